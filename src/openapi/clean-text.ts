import { removeHidden } from "../sanitize/clean-output.ts";

/** A document's text for a model: nothing invisible in it, at most `maxChars` long, cut at a word if need be. */
export function cleanText(text: unknown, maxChars: number): string {
  if (typeof text !== "string") return "";
  // Far more than is kept, so that no time goes into cleaning what is cut.
  const lines = text
    .slice(0, maxChars * 4)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll("\t", " ");
  const clean = removeHidden(lines)
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
