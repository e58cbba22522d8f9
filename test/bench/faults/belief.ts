/** What something must be by now: what was acknowledged last, or what was asked for since without an acknowledgement. */
export class Belief<T> {
  #sure: T;
  #maybe: T[] = [];

  constructor(sure: T) {
    this.#sure = sure;
  }

  /** Set where there is no doubt. */
  get sure(): T | undefined {
    return this.#maybe.length === 0 ? this.#sure : undefined;
  }

  get all(): T[] {
    return [this.#sure, ...this.#maybe];
  }

  note(value: T, outcome: "done" | "unknown" | "not done"): void {
    if (outcome === "unknown") this.#maybe.push(value);
    else if (outcome === "done") this.settle(value);
  }

  /** It was looked at; whether it is what it may be. */
  settle(value: T): boolean {
    const isAllowed = this.all.includes(value);
    this.#sure = value;
    this.#maybe = [];
    return isAllowed;
  }
}
