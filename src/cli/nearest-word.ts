/** Of the words that are known the one nearest to another, if a slip or two of the fingers (or three in ten) part them. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const asked = word.slice(0, MAX_CHARS);
  const [best] = known
    .map((candidate) => ({ candidate, slips: slipsBetween(asked, candidate) }))
    .filter(({ candidate, slips }) => slips <= Math.max(1, Math.round(Math.max(asked.length, candidate.length) * 0.3)))
    .toSorted((a, b) => a.slips - b.slips);
  return best?.candidate;
}

// Longer than any word that is known: the rest of a longer one only costs time.
const MAX_CHARS = 64;

/** Letters to add, leave out, replace or swap with the next to come from one word to the other. */
function slipsBetween(from: string, to: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const ways = [(last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (isSame ? 0 : 1)];
      if (isSwapped) ways.push((before[column - 2] ?? 0) + 1);
      next.push(Math.min(...ways));
    }
    [before, last] = [last, next];
  }
  return last[to.length] ?? 0;
}
