// What goes wrong in a round: calls of objects by a plan, objects that are evicted and reset, and the runtime killed.

import type { FaultPlan } from "../../support/faults/fault-plan.ts";
import { NO_FAULTS } from "../../support/faults/fault-plan.ts";
import type { SeededRandom } from "../../support/faults/seeded-random.ts";
import type { Runtime } from "./runtime.ts";
import type { UnsteadyUpstream } from "./unsteady-upstream.ts";
import type { Witness } from "./witness.ts";

const KINDS = ["evict", "evict_closing_sockets", "reset", "reset"] as const;
/** The region of requests that come from nowhere. */
const HUB = "hub:weur:0";
const AUDIT_LOGS = 8;

export interface FaultMakerOptions {
  runtime: Runtime;
  upstream: UnsteadyUpstream;
  witness: Witness;
  random: SeededRandom;
  /** The keys whose objects are struck. */
  keyIds: () => readonly string[];
  /** The objects of calls that run. */
  relays: () => readonly string[];
}

export class FaultMaker {
  readonly #options: FaultMakerOptions;
  #killedAtMs = 0;

  constructor(options: FaultMakerOptions) {
    this.#options = options;
  }

  /** Whether the runtime was killed at a time or later. */
  isKilledSince(atMs: number): boolean {
    return this.#killedAtMs >= atMs;
  }

  /** Makes faults until a time, and ends with none. */
  async work(untilMs: number, kills: boolean): Promise<void> {
    const { runtime, upstream } = this.#options;
    upstream.setSteady(false);
    await Promise.all([
      runtime.setFaults(this.#plan()),
      this.#strikeOnAndOn(untilMs),
      this.#strikeOnAndOn(untilMs),
      kills ? this.#kill(untilMs) : undefined,
    ]);
    upstream.setSteady(true);
    await runtime.setFaults(NO_FAULTS);
  }

  #plan(): FaultPlan {
    const { random } = this.#options;
    // Some rounds are about delays, some about losses, some about neither.
    const [delays, losses] = [random.chance(0.6), random.chance(0.6)];
    return {
      seed: random.int(0, 2 ** 31),
      delayShare: delays ? random.next() * 0.4 : 0,
      delayMaxMs: random.pick([30, 100, 300]),
      lostRequestShare: losses ? random.next() * 0.15 : 0,
      lostAnswerShare: losses ? random.next() * 0.15 : 0,
    };
  }

  async #strikeOnAndOn(untilMs: number): Promise<void> {
    const { runtime, random, witness } = this.#options;
    for (;;) {
      await pause(random.int(10, 120));
      if (Date.now() >= untilMs) return;
      const kind = random.pick(KINDS);
      const { binding, name } = this.#target();
      witness.count(`faults: ${kind} of ${binding}`);
      await runtime.strike({ kind, binding, name });
    }
  }

  #target(): { binding: string; name: string } {
    const { random, keyIds, relays } = this.#options;
    switch (random.int(0, 7)) {
      case 0:
      case 1:
        return { binding: "TOOL_REGISTRY", name: "registry" };
      case 2:
        return { binding: "SESSION_HUB", name: HUB };
      case 3:
        return { binding: "AUDIT_LOG", name: `audit:${random.int(0, AUDIT_LOGS)}` };
      case 4:
        if (relays().length > 0) return { binding: "CALL_RELAY", name: random.pick(relays()) };
        return { binding: "TOOL_REGISTRY", name: "registry" };
      default:
        return { binding: "API_KEY", name: `key:${random.pick(keyIds())}` };
    }
  }

  async #kill(untilMs: number): Promise<void> {
    const { runtime, random, witness } = this.#options;
    await pause(random.int(0, Math.max(1, untilMs - Date.now())));
    witness.count("faults: kill");
    // Until it is back, connections break.
    this.#killedAtMs = Infinity;
    await runtime.restart();
    this.#killedAtMs = Date.now();
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
