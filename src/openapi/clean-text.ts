// Controls, invisible marks, and what turns the direction of text: a reader of the document would not see them, a model would.
const HIDDEN =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]+/gu;

/** A document's text for a model: nothing invisible in it, at most `maxChars` long, cut at a word if need be. */
export function cleanText(text: unknown, maxChars: number): string {
  if (typeof text !== "string") return "";
  // Far more than is kept, so that no time goes into cleaning what is cut.
  const lines = text
    .slice(0, maxChars * 4)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll("\t", " ");
  const clean = lines
    .replaceAll(HIDDEN, "")
    .replaceAll(/(?<! ) *\n/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
  if (clean.length <= maxChars) return clean;
  const cut = clean.slice(0, maxChars - 1);
  const atWord = cut.search(/\s\S*$/);
  return `${(atWord > maxChars / 2 ? cut.slice(0, atWord) : cut)
    .trimEnd()
    .toWellFormed()
    .replace(/\ufffd$/, "")}…`;
}
