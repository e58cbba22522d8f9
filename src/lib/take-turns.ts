// Work that takes long gives way now and then: an isolate has one thread, and nothing else would interrupt it.

/** Does the work, and lets other requests of this isolate in whenever it yields. Not for objects, which have alarms. */
export async function takeTurns<T>(work: Iterator<void, T>): Promise<T> {
  for (;;) {
    const turn = work.next();
    if (turn.done === true) return turn.value;
    // A microtask would let nobody in: those run before any event.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
