// Texts as words to be found by: case, plurals, `snake_case` and `camelCase` make no difference.

const WORD = /[\p{L}\p{N}]+/gu;
/** Most words are plain, and need no closer look. */
const PLAIN = /^[a-z0-9]+$/;
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
/** Scripts that put no spaces between words are found by the character. */
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** Words that say nothing of a tool. */
const EMPTY = new Set(
  "a an and any are as at be by can do for from how i in is it me my of on or please that the this to tool tools use want which with you".split(
    " ",
  ),
);

/** The words of a text, in order, those that are empty left out. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text.matchAll(WORD)) {
    for (const part of PLAIN.test(run) ? [run] : run.split(HUMP)) {
      if (SPACELESS.test(part)) words.push(...part);
      else {
        const word = stem(part.toLowerCase());
        if (!EMPTY.has(word)) words.push(word);
      }
    }
  }
  return words;
}

/** English plurals alone: anything cleverer takes different words for the same. */
function stem(word: string): string {
  if (word.length <= 3 || !word.endsWith("s") || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return /(?:[sx]|ch|sh)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}
