// What isolates hold ahead of need, by what each last said. Memory is enough: it bounds waste, not admission.

import { LIMITS } from "../lib/limits.ts";

export class PrepaidTokens {
  readonly #held = new Map<string, { tokens: number; expiresAtMs: number }>();

  /** What all holders but this one have, as far as it is not over. */
  readOthers(holder: string, nowMs: number): number {
    let sum = 0;
    for (const [name, { tokens, expiresAtMs }] of this.#held) {
      if (expiresAtMs <= nowMs) this.#held.delete(name);
      else if (name !== holder) sum += tokens;
    }
    return sum;
  }

  write(holder: string, tokens: number, nowMs: number): void {
    if (tokens > 0) this.#held.set(holder, { tokens, expiresAtMs: nowMs + LIMITS.leaseLifeMs });
    else this.#held.delete(holder);
  }
}
