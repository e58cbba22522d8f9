const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/**
 * The text with everything escaped that people don't see or terminals obey, as JSON escapes it: no value can forge a line,
 * hide in one or turn it around. With `keepLines`, line feeds stay.
 */
export function escapeUnseen(text: string, keepLines = false): string {
  return text.replace(UNSEEN, (character) => (keepLines && character === "\n" ? character : escape(character)));
}

/** Each UTF-16 unit by itself. */
const escape = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
