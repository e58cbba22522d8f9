// Work that takes long gives way now and then: an isolate has one thread, and nothing else would interrupt it.
// Not for objects: they have alarms, and no other way to wait.

/** Lets other requests of this isolate in. A microtask would let in nobody: those run before any event. */
export const giveWay = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Does the work, and gives way whenever it yields. */
export async function takeTurns<T>(work: Iterator<void, T>): Promise<T> {
  for (;;) {
    const turn = work.next();
    if (turn.done === true) return turn.value;
    await giveWay();
  }
}
