// What a `style` attribute hides. What stylesheets, scripts or other colours hide is not known here: that takes a browser.

import { LIMITS } from "../../lib/limits.ts";
import { callsIn, isRelative, parseNumber, parsePx, parseShare } from "./css-values.ts";

/** Properties that hide an element's text until one inside it says otherwise. */
export type InheritedProperty = "visibility" | "font-size" | "color";

export interface StyleEffect {
  /** The element is not seen, whatever is inside it. */
  hides: boolean;
  /** For each that is declared: whether text is seen by it. */
  shows: ReadonlyMap<InheritedProperty, boolean>;
}

const CSS_COMMENT = /\/\*[^]*?(?:\*\/|$)/g;
const CSS_ESCAPE = /\\(?:([0-9a-f]{1,6})\s?|([^]))/gi;

const EVERY_PROPERTY = "inherit initial unset revert revert-layer";
const KEYWORDS = new Map(
  Object.entries({
    display:
      "none block inline inline-block flex inline-flex grid inline-grid flow-root contents list-item table inline-table " +
      "table-row table-cell table-row-group table-header-group table-footer-group table-column table-column-group " +
      "table-caption ruby ruby-text run-in -webkit-box -webkit-inline-box",
    visibility: "visible hidden collapse",
    "content-visibility": "visible auto hidden",
  }).map(([name, words]) => [name, new Set(`${words} ${EVERY_PROPERTY}`.split(" "))]),
);
const INHERITED_VALUES = new Set(["inherit", "unset"]);
const FONT_SIZES = new Set("xx-small x-small small medium large x-large xx-large xxx-large smaller larger".split(" "));
const SYSTEM_FONTS = new Set(`caption icon menu message-box small-caption status-bar ${EVERY_PROPERTY}`.split(" "));

/** Smaller is not read: the least letters of some use have twice as much. */
const LEAST_FONT_PX = 2;
const LEAST_OPACITY = 0.1;
/** So far to the left or above, it is on no screen. */
const OUTSIDE_PX = -999;
const OFFSETS = ["text-indent", "left", "top", "margin-left", "margin-top"];

/** What a `style` attribute hides, its references decoded; a longer one than is looked at hides. */
export function readStyle(style: string): StyleEffect {
  if (style.length > LIMITS.pageStyleChars) return { hides: true, shows: new Map() };
  const values = parseDeclarations(style);
  return { hides: HIDING.some((hides) => hides(values)), shows: inheritedOf(values) };
}

type Values = ReadonlyMap<string, string>;

const HIDING: readonly ((values: Values) => boolean)[] = [
  (values) => values.get("display") === "none",
  (values) => values.get("content-visibility") === "hidden",
  (values) => isFaint(values.get("opacity")),
  (values) => functionsOf(values, "filter").some(({ name, args }) => name === "opacity" && isFaint(args[0])),
  hasNoRoom,
  (values) => OFFSETS.some((name) => (parsePx(values.get(name) ?? "") ?? 0) <= OUTSIDE_PX),
  (values) => functionsOf(values, "clip-path").some(clipsAll),
  (values) => functionsOf(values, "clip").some(clipsAll),
  (values) => functionsOf(values, "transform").some(transformsAway),
  (values) => (values.get("scale") ?? "").split(" ").some((share) => isNothing(share)),
];

// Of two declarations the later valid one counts, and an important one before all others.
function parseDeclarations(style: string): Values {
  const values = new Map<string, string>();
  const important = new Set<string>();
  const css = style
    .replaceAll(CSS_COMMENT, "")
    .replaceAll(CSS_ESCAPE, (_, hex?: string, character = "") =>
      hex === undefined ? String(character) : characterOf(Number.parseInt(hex, 16)),
    );
  for (const declaration of css.split(";")) {
    const colon = declaration.indexOf(":");
    if (colon < 0) continue;
    const written = declaration.slice(0, colon).trim().toLowerCase();
    const [value, isImportant] = splitImportant(declaration.slice(colon + 1));
    const [name, set] = written === "font" ? ["font-size", fontSizeOf(value)] : [written, value];
    if (set === undefined || !isValid(name, set) || (important.has(name) && !isImportant)) continue;
    if (isImportant) important.add(name);
    values.set(name, set);
  }
  return values;
}

function splitImportant(written: string): [value: string, isImportant: boolean] {
  const text = written.trim().toLowerCase();
  const mark = text.lastIndexOf("!");
  const isImportant = mark >= 0 && text.slice(mark + 1).trim() === "important";
  return [isImportant ? text.slice(0, mark).trim() : text, isImportant];
}

function isValid(name: string, value: string): boolean {
  if (SYSTEM_FONTS.has(value)) return true;
  if (name === "opacity") return parseShare(value) !== undefined;
  if (name === "font-size") return FONT_SIZES.has(value) || (parsePx(value) ?? -1) >= 0 || value.includes("(");
  const words = KEYWORDS.get(name);
  return words === undefined || words.has(value) || (name === "display" && isTwoWords(value));
}

// "block flow", "inline flow-root list-item": what hides is one word.
const isTwoWords = (value: string): boolean => value.startsWith("block ") || value.startsWith("inline ");

// Weights are numbers too, but without a unit.
function fontSizeOf(font: string): string | undefined {
  if (SYSTEM_FONTS.has(font)) return font;
  const sizes = font.split(/\s/).map((word) => word.split("/", 1)[0] ?? "");
  return sizes.find((size) => FONT_SIZES.has(size) || parsePx(size) !== undefined);
}

function inheritedOf(values: Values): Map<InheritedProperty, boolean> {
  const shows = new Map<InheritedProperty, boolean>();
  const visibility = values.get("visibility");
  if (visibility !== undefined && !INHERITED_VALUES.has(visibility))
    shows.set("visibility", visibility !== "hidden" && visibility !== "collapse");
  const size = values.get("font-size");
  if (size !== undefined && !INHERITED_VALUES.has(size)) {
    const isRead = (parsePx(size) ?? LEAST_FONT_PX) >= LEAST_FONT_PX;
    if (!isRead || !isRelative(size)) shows.set("font-size", isRead);
  }
  const color = values.get("color");
  if (color !== undefined && !INHERITED_VALUES.has(color) && color !== "currentcolor")
    shows.set("color", !isTransparent(color) || isFilledWithBackground(values));
  return shows;
}

const isFilledWithBackground = (values: Values): boolean =>
  ["background-clip", "-webkit-background-clip"].some((name) => values.get(name) === "text");

function isTransparent(color: string): boolean {
  if (color === "transparent") return true;
  if (color.startsWith("#")) return (color.length === 5 && color[4] === "0") || color.slice(7) === "00";
  return Array.from(callsIn(color)).some(({ args }) => args.length === 4 && isNothing(args[3]));
}

function hasNoRoom(values: Values): boolean {
  const cuts = ["overflow", "overflow-x", "overflow-y"].some((name) =>
    (values.get(name) ?? "").split(" ").some((word) => word === "hidden" || word === "clip"),
  );
  const sizes = ["height", "width", "max-height", "max-width"].map((name) => parsePx(values.get(name) ?? ""));
  return cuts && sizes.some((px) => px !== undefined && px >= 0 && px <= 1);
}

type Call = { name: string; args: string[] };

const functionsOf = (values: Values, name: string): Call[] => Array.from(callsIn(values.get(name) ?? ""));

function clipsAll({ name, args }: Call): boolean {
  if (name === "circle" || name === "ellipse") return isNothing(args[0]);
  const [top = "", right = top, bottom = top, left = right] = args;
  if (name === "inset")
    return (
      (parseShare(top) ?? 0) + (parseShare(bottom) ?? 0) >= 1 || (parseShare(right) ?? 0) + (parseShare(left) ?? 0) >= 1
    );
  return name === "rect" && (pxBetween(top, bottom) <= 1 || pxBetween(left, right) <= 1);
}

const pxBetween = (from: string, to: string): number => (parsePx(to) ?? Number.NaN) - (parsePx(from) ?? Number.NaN);

function transformsAway({ name, args }: Call): boolean {
  if (name === "matrix") return isNothing(args[0]) && isNothing(args[1]);
  if (name.startsWith("scale") && name !== "scalez") return args.slice(0, 2).some((share) => isNothing(share));
  return name.startsWith("translate") && name !== "translatez" && args.some((arg) => (parsePx(arg) ?? 0) <= OUTSIDE_PX);
}

const isFaint = (value = ""): boolean => (parseShare(value) ?? 1) < LEAST_OPACITY;

const isNothing = (value = ""): boolean => Math.abs(parseNumber(value)?.value ?? 1) < 0.01;

const characterOf = (codePoint: number): string =>
  codePoint > 0x10_ff_ff ? "\uFFFD" : String.fromCodePoint(codePoint);
