// For how long isolates may list from what the registry told them, without asking again. It remembers what it told lately:
// clients are told of a version, and operators answered, once no list can be older. Memory is enough: a registry that was
// just woken waits as long as a lease lives.

import { LIMITS } from "../lib/limits.ts";

/** What some isolates may list from until then. */
interface Grant {
  version: number;
  untilMs: number;
}

export class ListLeases {
  /** One a version that was told within a lease's life, the oldest version first. */
  #grants: Grant[] = [];
  /** Until when there may be leases that are not remembered. */
  readonly #blindUntilMs: number;

  /** `isWoken`: others may have been granted before this one was there. */
  constructor(nowMs: number, isWoken: boolean) {
    this.#blindUntilMs = isWoken ? nowMs + LIMITS.listLeaseMs : nowMs;
  }

  /** Notes that lists may be answered with a version for `LIMITS.listLeaseMs` from now. */
  grant(version: number, nowMs: number): void {
    const last = this.#grants.at(-1);
    const untilMs = nowMs + LIMITS.listLeaseMs;
    if (last?.version === version) last.untilMs = untilMs;
    else this.#grants = [...this.#living(nowMs), { version, untilMs }].toSorted((a, b) => a.version - b.version);
  }

  /** How long a list may still be older than a version; 0 when none can. */
  waitMs(version: number, nowMs: number): number {
    const older = this.#living(nowMs).filter((grant) => grant.version < version);
    return Math.max(
      0,
      ...[this.#blindUntilMs, ...older.map(({ untilMs }) => untilMs)].map((untilMs) => untilMs - nowMs),
    );
  }

  /** The newest version, up to this one, that no list can be older than; `undefined` where that is not known. */
  readSettled(version: number, nowMs: number): number | undefined {
    if (this.#blindUntilMs > nowMs) return undefined;
    return Math.min(version, this.#living(nowMs)[0]?.version ?? version);
  }

  #living(nowMs: number): Grant[] {
    return this.#grants.filter(({ untilMs }) => untilMs > nowMs);
  }
}
