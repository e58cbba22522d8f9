// What is hidden in a definition's texts: the operator should read it before a model does.

import { findHidden, type Hidden } from "../sanitize/hidden-characters.ts";
import type { Text } from "./texts.ts";
import type { Verdict } from "./verdict.ts";

/** A place is told with so many of its characters. */
const TOLD = 8;

export function lintHiddenCharacters({ text, path }: Text): Verdict[] {
  const found = findHidden(text);
  if (found.length === 0) return [];
  const told = found.slice(0, TOLD).map(({ characters, index }) => `${nameOf(characters)} at ${index}`);
  const more = found.length > TOLD ? ` and ${found.length - TOLD} more` : "";
  const message = `Characters that nobody sees but a model reads: ${told.join(", ")}${more}.${spellTags(found)}`;
  return [{ client: "all", level: "error", rule: "hidden-characters", path, message }];
}

const nameOf = (character: string): string => `U+${hexOf(character).padStart(4, "0")}`;

const hexOf = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).toUpperCase();

/** What tags say in ASCII: the operator should read it. */
function spellTags(found: readonly Hidden[]): string {
  const codes = found.map(({ characters }) => (characters.codePointAt(0) ?? 0) - 0xe0000);
  const spelt = codes.filter((code) => code >= 0x20 && code < 0x7f).slice(0, 60);
  return spelt.length === 0 ? "" : ` The tags spell ${JSON.stringify(String.fromCharCode(...spelt))}.`;
}
