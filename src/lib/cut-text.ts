/** At most so many characters (UTF-16 units) of a text, but never half of a surrogate pair. */
export const cutText = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, "");

/** The same, and `…` after what was cut. */
export const markCut = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${cutText(text, maxChars)}…`;
