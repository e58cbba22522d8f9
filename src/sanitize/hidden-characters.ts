// Characters that people don't see and models read: controls, invisible ones, those that change the direction of text,
// Unicode tags ("ASCII smuggling") and variation selectors, which can carry whole instructions. CVE-2021-42574 (bidi);
// mcpsafe.io/threats/MCP-223 (tags), 2026. What scripts and emoji need is let through.

import type { Reading } from "./escapes.ts";
import { isPart } from "./script-parts.ts";

// Unicode 16: controls, format characters, what is ignorable by default, lone surrogates.
export const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
// Line ends, and the visible format characters of Arabic and Syriac number signs.
const VISIBLE_ONE = /[\t\n\r\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]/u;
const VISIBLE = new RegExp(`^${VISIBLE_ONE.source}$`, "u");

/** The three flags that are interchanged (England, Scotland, Wales): a black flag and its letters as tags. */
const TAG_FLAG =
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/u;

// ECMA-48: control sequences, control strings (title, hyperlink) up to their end on the same line, and other escapes.
const CONTROL_SEQUENCE = /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]/u;
const CONTROL_STRING = /(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\p{Cc}]{0,2048}(?:\u0007|\u001B\\|\u009C)/u;
const OTHER_ESCAPE = /\u001B[ -/]*[0-~]/u;
const ESCAPE = new RegExp(`${CONTROL_SEQUENCE.source}|${CONTROL_STRING.source}|${OTHER_ESCAPE.source}`, "u");

const ESCAPES = new RegExp(ESCAPE.source, "gu");
const SUSPECT = new RegExp(`${TAG_FLAG.source}|${ESCAPE.source}|${HIDDEN.source}`, "gu");

const UNSEEN = new RegExp(`${ESCAPE.source}|\\r(?!\\n)|(?!${VISIBLE_ONE.source})${HIDDEN.source}`, "gu");

/** What nobody sees left out, also where scripts and emoji need it; next lines and lone returns are line ends. */
export const UNSEEN_LEFT_OUT: Reading = {
  pattern: UNSEEN,
  read: (piece) => (piece === "\r" || piece === "\u0085" ? "\n" : ""),
};

/** The text as people see it; the same text when all of it can be seen. */
export const seenOf = (text: string): string => (HIDDEN.test(text) ? text.replace(UNSEEN, UNSEEN_LEFT_OUT.read) : text);

const RIGHT_TO_LEFT = /[\u0590-\u061B\u061D-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/;
const DIRECTION_MARK = /^[\u200E\u200F\u061C]$/;

export type HiddenKind = "escapes" | "controls" | "bidi" | "tags" | "selectors" | "surrogates" | "invisible";

export interface Hidden {
  /** One code point, or an escape sequence. */
  characters: string;
  kind: HiddenKind;
  /** In UTF-16 units. */
  index: number;
}

/** What is hidden in a text, in order; escape sequences as a whole. */
export function findHidden(text: string): Hidden[] {
  if (!HIDDEN.test(text)) return [];
  const found: Hidden[] = [];
  let isRightToLeft: boolean | undefined;
  let [removedUntil, markedUntil] = [-1, -1];
  for (const { 0: characters, index } of text.matchAll(SUSPECT)) {
    const end = index + characters.length;
    const isReturn = characters === "\r" && text[end] !== "\n";
    if (!isReturn && (characters.startsWith("\u{1F3F4}") || VISIBLE.test(characters))) continue;
    const kind = kindOf(characters);
    const isMark = DIRECTION_MARK.test(characters);
    // One mark does what a run of them does. What is removed itself makes nothing else after it needed: so that a clean
    // text stays as it is.
    const isNeeded = isMark
      ? index !== markedUntil && (isRightToLeft ??= isWrittenToLeft(text))
      : index !== removedUntil && isPart(text, characters, index);
    if (isNeeded ? isMark : index === markedUntil) markedUntil = end;
    if (isNeeded) continue;
    found.push({ characters, kind, index });
    removedUntil = end;
  }
  return found;
}

// What stands in an escape sequence goes with it.
const isWrittenToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text.replace(ESCAPES, ""));

const KINDS: readonly (readonly [HiddenKind, RegExp])[] = [
  ["surrogates", /^\p{Cs}$/u],
  ["controls", /^\p{Cc}$/u],
  ["bidi", /^[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]$/u],
  ["tags", /^[\u{E0000}-\u{E007F}]$/u],
  ["selectors", /^[\uFE00-\uFE0F\u{E0100}-\u{E01EF}\u180B-\u180D\u180F]$/u],
  ["invisible", /^[\p{Cf}\p{Default_Ignorable_Code_Point}]$/u],
];

const kindOf = (characters: string): HiddenKind =>
  KINDS.find(([, pattern]) => pattern.test(characters))?.[0] ?? "escapes";
