/** A map of at most `limit` entries; the one used longest ago makes room. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #limit: number;
  /** Used last: it stands at the end already, and a map that takes out and puts back makes its table anew over and over. */
  #newest: K | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && key !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
      this.#newest = key;
    }
    return value;
  }

  set(key: K, value: V): V {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#limit) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    this.#entries.set(key, value);
    this.#newest = key;
    return value;
  }

  /** Whether it was there. */
  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
