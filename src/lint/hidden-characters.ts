// Characters that people don't see and models read: controls, invisible ones, those that change the direction of text,
// Unicode tags ("ASCII smuggling") and variation selectors, which can carry whole instructions. CVE-2021-42574 (bidi);
// mcpsafe.io/threats/MCP-223 (tags), 2026. What scripts and emoji need is let through.

import type { Text } from "./texts.ts";
import type { Verdict } from "./verdict.ts";

/** A place is told with so many of its characters. */
const TOLD = 8;

// Unicode 16: controls, format characters, what is ignorable by default, lone surrogates. Visible format characters of
// Arabic and Syriac number signs are no part of it.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
const VISIBLE = /[\t\n\r\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]/u;

/** The three flags that are interchanged (England, Scotland, Wales): a black flag and its letters as tags. */
const TAG_FLAGS =
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/gu;

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/;
const DIRECTION_MARKS = "\u200E\u200F\u061C";
const JOINERS = "\u200C\u200D";
const SHAPED = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\u0900-\u0DFF\u1000-\u109F\u1780-\u17FF]/u;
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]/u;

export function lintHiddenCharacters({ text, path }: Text): Verdict[] {
  if (!HIDDEN.test(text)) return [];
  const found = findHidden(text.replaceAll(TAG_FLAGS, (flag) => "_".repeat(flag.length)));
  if (found.length === 0) return [];
  const told = found.slice(0, TOLD).map(({ character, index }) => `${nameOf(character)} at ${index}`);
  const more = found.length > TOLD ? ` and ${found.length - TOLD} more` : "";
  const message = `Characters that nobody sees but a model reads: ${told.join(", ")}${more}.${spellTags(found)}`;
  return [{ client: "all", level: "error", rule: "hidden-characters", path, message }];
}

interface Hidden {
  character: string;
  /** In UTF-16 units. */
  index: number;
}

function findHidden(text: string): Hidden[] {
  const isRightToLeft = RIGHT_TO_LEFT.test(text);
  const characters = [...text];
  const found: Hidden[] = [];
  let index = 0;
  for (const [at, character] of characters.entries()) {
    const [before = "", after = ""] = [characters[at - 1], characters[at + 1]];
    const isHidden = HIDDEN.test(character) && !VISIBLE.test(character);
    if (isHidden && !isNeeded(character, before, after, isRightToLeft)) found.push({ character, index });
    index += character.length;
  }
  return found;
}

function isNeeded(character: string, before: string, after: string, isRightToLeft: boolean): boolean {
  if (DIRECTION_MARKS.includes(character)) return isRightToLeft;
  if (JOINERS.includes(character)) {
    return SHAPED.test(before) || (EMOJI.test(before) && EMOJI.test(after));
  }
  return isSelector(character) && isSelectable(character, before);
}

const isSelector = (character: string): boolean =>
  /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}\u180B-\u180D\u180F]/u.test(character);

// One selector follows a character that has variants: emoji and keycaps, symbols, ideographs.
function isSelectable(character: string, before: string): boolean {
  if (/[\uFE0E\uFE0F]/.test(character)) return /[\p{Emoji}\p{So}\p{Sm}\p{Po}]/u.test(before);
  if (/[\u180B-\u180F]/.test(character)) return /\p{Script=Mongolian}/u.test(before);
  return /[\p{Script=Han}\p{Sm}\p{Script=Myanmar}]/u.test(before);
}

const nameOf = (character: string): string => `U+${hexOf(character).padStart(4, "0")}`;

const hexOf = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).toUpperCase();

/** What tags say in ASCII: the operator should read it. */
function spellTags(found: readonly Hidden[]): string {
  const codes = found.map(({ character }) => (character.codePointAt(0) ?? 0) - 0xe0000);
  const spelt = codes.filter((code) => code >= 0x20 && code < 0x7f).slice(0, 60);
  return spelt.length === 0 ? "" : ` The tags spell ${JSON.stringify(String.fromCharCode(...spelt))}.`;
}
