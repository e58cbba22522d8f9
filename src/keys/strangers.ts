// Addresses that send keys which nobody minted. Only failures count, by the platform's own counters; an address over the
// ceiling is refused without a look for a while, except with a key that its isolate knows.

import type { Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { LruMap } from "../lib/lru-map.ts";
import { logFailure } from "../telemetry/log.ts";

export class Strangers {
  readonly #restingUntilMs = new LruMap<string, number>(LIMITS.strangers);

  /** Milliseconds for which an address is not looked at; 0 when it is. */
  readWait(address: string | undefined, nowMs: number): number {
    const untilMs = address === undefined ? 0 : (this.#restingUntilMs.get(address) ?? 0);
    return Math.max(0, untilMs - nowMs);
  }

  /** Counts a key that was refused; answers as `readWait`. Without the binding, or an address, there is no ceiling. */
  async countFailure({ STRANGERS }: Env, address: string | undefined, nowMs: number): Promise<number> {
    if (!STRANGERS || address === undefined) return 0;
    try {
      const { success } = await STRANGERS.limit({ key: address });
      if (!success) this.#restingUntilMs.set(address, nowMs + LIMITS.strangerRestMs);
    } catch (error) {
      // A ceiling against floods must not become a wall when its counter is out of order.
      logFailure("stranger_count_failed", "ratelimit", error);
    }
    return this.readWait(address, nowMs);
  }
}
