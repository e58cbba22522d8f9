// Elements that a page's reader does not see and a model would read as its text, by their names and attributes.

import { type InheritedProperty, readStyle } from "./hiding-style.ts";

export interface ElementEffect {
  hides: boolean;
  shows: ReadonlyMap<InheritedProperty, boolean>;
  /** What it has is no text at all, so that nothing is left out with it. */
  noText: boolean;
}

/** Shown once a script of theirs has run: until then whole pages are hidden, so that they don't flicker. */
export const WHOLE_PAGE: ReadonlySet<string> = new Set(["html", "body", "head"]);

const NO_TEXT = new Set(["script", "style"]);

/** Of these nothing is ever shown as text, or only where something is missing that readers have. */
const NEVER_SHOWN = new Set(
  (
    "noscript template datalist noframes noembed iframe canvas audio video object progress meter " +
    "desc metadata defs annotation annotation-xml"
  ).split(" "),
);

/** What HTML's attributes have and SVG's say by ones of their own. */
const PRESENTATION = ["display", "visibility", "opacity", "font-size"];

const NOTHING: ElementEffect = { hides: false, shows: new Map(), noText: false };

/** What an element does to what is inside it; its attributes are decoded. */
export function effectOf(name: string, attributes: ReadonlyMap<string, string>, isForeign: boolean): ElementEffect {
  if (NO_TEXT.has(name)) return { ...NOTHING, hides: true, noText: true };
  if (attributes.size === 0) return NEVER_SHOWN.has(name) || name === "dialog" ? { ...NOTHING, hides: true } : NOTHING;
  const style = styleOf(attributes, isForeign);
  return { ...style, hides: style.hides || isMarked(name, attributes), noText: false };
}

function isMarked(name: string, attributes: ReadonlyMap<string, string>): boolean {
  if (NEVER_SHOWN.has(name) || (name === "dialog" && !attributes.has("open"))) return true;
  if (attributes.has("hidden") || attributes.has("popover")) return true;
  return attributes.get("aria-hidden")?.toLowerCase() === "true";
}

function styleOf(attributes: ReadonlyMap<string, string>, isForeign: boolean): ReturnType<typeof readStyle> {
  const style = attributes.get("style") ?? "";
  const written = isForeign ? PRESENTATION.filter((name) => attributes.has(name)) : [];
  if (written.length === 0 && style === "") return NOTHING;
  return readStyle([...written.map((name) => `${name}:${attributes.get(name)}`), style].join(";"));
}
