/** Does work in one turn, and lets nobody in. */
export function atOnce<T>(work: Iterator<void, T>): T {
  for (;;) {
    const turn = work.next();
    if (turn.done === true) return turn.value;
  }
}

/** In how many turns work is done. */
export function countTurns(work: Iterator<void, unknown>): number {
  for (let turns = 1; ; turns++) if (work.next().done === true) return turns;
}
