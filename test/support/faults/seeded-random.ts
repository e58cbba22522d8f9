/** Numbers from 0 to 1 that are the same for the same seed. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** A whole number from `from` up to and without `to`. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.int(0, items.length)];
    if (item === undefined) throw new Error("there is nothing to pick from");
    return item;
  }

  /** Numbers of its own for a part, so that one part does not change what another draws. */
  fork(): SeededRandom {
    return new SeededRandom(this.int(0, 2 ** 32));
  }
}
