// Which regional replicas may still answer with an older catalogue. Memory is enough: a registry that was just woken waits
// as long as a lease lives.

import { LIMITS } from "../lib/limits.ts";
import type { Region } from "../lib/region.ts";

interface Lease {
  version: number;
  untilMs: number;
}

export class ReplicaLeases {
  readonly #leases = new Map<Region, Lease>();
  /** Until when replicas may hold leases that are not remembered. */
  readonly #blindUntilMs: number;

  constructor(nowMs: number, servesReplicas: boolean) {
    this.#blindUntilMs = servesReplicas ? nowMs + LIMITS.replicaLeaseMs : nowMs;
  }

  /**
   * Notes what a replica is told now; it may answer with that for `LIMITS.replicaLeaseMs` from when it asked. Answers the older
   * version that it may have told isolates of until now, if there is one.
   */
  grant(region: Region, version: number, nowMs: number): number | undefined {
    const last = this.#leases.get(region);
    const before = last && last.untilMs > nowMs && last.version < version ? last.version : undefined;
    this.#leases.set(region, { version, untilMs: nowMs + LIMITS.replicaLeaseMs });
    return before;
  }

  /** The newest version, up to this one, that no replica can answer with less than; `undefined` where that is not known. */
  readSettled(version: number, nowMs: number): number | undefined {
    if (this.#blindUntilMs > nowMs) return undefined;
    const living = [...this.#leases.values()].filter(({ untilMs }) => untilMs > nowMs);
    return Math.min(version, ...living.map((lease) => lease.version));
  }

  /** Replicas that may answer with less than a version. */
  findBehind(version: number, nowMs: number): Region[] {
    return [...this.#leases]
      .filter(([, lease]) => lease.version < version && lease.untilMs > nowMs)
      .map(([name]) => name);
  }

  /** A replica was told of a version; answers the one that it had. */
  acknowledge(region: Region, version: number): number {
    const lease = this.#leases.get(region);
    const before = lease?.version ?? version;
    if (lease) lease.version = Math.max(lease.version, version);
    return before;
  }

  /** Whether any replica may answer without asking. */
  isAnyHeld(nowMs: number): boolean {
    return this.#blindUntilMs > nowMs || [...this.#leases.values()].some(({ untilMs }) => untilMs > nowMs);
  }

  /** How long somebody may still answer with less than a version; 0 when nobody may. */
  waitMs(version: number, nowMs: number): number {
    const ends = this.findBehind(version, nowMs).map((region) => this.#leases.get(region)?.untilMs ?? 0);
    return Math.max(0, ...[this.#blindUntilMs, ...ends].map((untilMs) => untilMs - nowMs));
  }
}
