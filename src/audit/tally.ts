// Calls counted by span, key, tool, outcome and latency: what statistics are made of. Labels are bounded: a tool is named
// only where the catalogue has it.

import { LIMITS } from "../lib/limits.ts";
import type { Tally } from "./audit-contract.ts";
import type { CallDraft } from "./call-row.ts";

/** Upper bounds of the latency buckets in milliseconds; one more bucket holds what takes longer. */
export const LATENCY_BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;

/** Stands for all names that the catalogue does not have. */
export const UNKNOWN_TOOL = "(unknown)";

export const slotOf = (atMs: number): number => Math.floor(atMs / LIMITS.auditSlotMs);

export const bucketOf = (durationMs: number): number => {
  const bucket = LATENCY_BOUNDS_MS.findIndex((boundMs) => durationMs <= boundMs);
  return bucket < 0 ? LATENCY_BOUNDS_MS.length : bucket;
};

export class Tallies {
  readonly #byName = new Map<string, Tally>();

  /** Counts a call that has ended; beyond the limit of combinations, under no key's name. */
  count({ keyId, tool, known, outcome = "failed", startedAtMs, endedAtMs }: CallDraft): void {
    const label = known ? tool : UNKNOWN_TOOL;
    const bucket = bucketOf(endedAtMs - startedAtMs);
    const slot = slotOf(startedAtMs);
    const counted = this.#byName.get(nameOf(slot, keyId, label, outcome, bucket));
    if (counted) counted[5]++;
    else this.#add([slot, keyId, label, outcome, bucket, 1]);
  }

  /** What was counted, as JSON. */
  toJson(): string {
    return JSON.stringify([...this.#byName.values()]);
  }

  #add(tally: Tally): void {
    const [slot, key, tool, outcome, bucket] = tally;
    const name = nameOf(slot, key, tool, outcome, bucket);
    const known = this.#byName.get(name);
    if (known) known[5]++;
    else if (this.#byName.size < LIMITS.auditTallies || key === "") this.#byName.set(name, tally);
    else this.#add([slot, "", tool, outcome, bucket, 1]);
  }
}

const nameOf = (slot: number, key: string, tool: string, outcome: string, bucket: number): string =>
  `${slot} ${key} ${tool} ${outcome} ${bucket}`;
