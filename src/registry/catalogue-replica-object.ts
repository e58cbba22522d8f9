// A region's copy of the catalogue. It answers under a short lease of the registry, which tells clients of a version only
// once every replica that holds one knows that version: so nobody who heard of a change reads an older list here.

import { DurableObject } from "cloudflare:workers";
import { registryStub, type Env } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Snapshot, SnapshotReader } from "./registry-contract.ts";

export class CatalogueReplica extends DurableObject<Env> {
  #held: Snapshot | undefined;
  #leaseUntilMs = 0;
  #renewal: Promise<void> | undefined;

  /** Throws when its lease can't be renewed: ask the registry then. */
  async readSnapshot(have: number, { region }: SnapshotReader): Promise<Snapshot> {
    if (Date.now() >= this.#leaseUntilMs) await (this.#renewal ??= this.#renew(region));
    // A renewal that took longer than a lease lives says nothing about now.
    if (!this.#held || Date.now() >= this.#leaseUntilMs) throw new Error("no lease on the catalogue");
    const { rows: _, ...version } = this.#held;
    return this.#held.version === have ? version : this.#held;
  }

  refresh(snapshot: Snapshot): { v: 1 } {
    this.#hold(snapshot);
    return { v: 1 };
  }

  /** The lease counts from when it was asked for, which is before the registry counts it. */
  async #renew(region: SnapshotReader["region"]): Promise<void> {
    const askedAtMs = Date.now();
    try {
      const reply = registryStub(this.env).readSnapshot(this.#held?.version ?? -1, { region, isReplica: true });
      this.#hold(await withDeadline(reply, LIMITS.replicaLeaseMs, "registry"));
      this.#leaseUntilMs = askedAtMs + LIMITS.replicaLeaseMs;
    } finally {
      this.#renewal = undefined;
    }
  }

  /** Answers can overtake each other: an older version never replaces a newer one. */
  #hold(snapshot: Snapshot): void {
    const held = this.#held;
    if (held && snapshot.version < held.version) return;
    const rows = snapshot.rows ?? held?.rows ?? [];
    this.#held = { v: 1, version: snapshot.version, rows, replicas: snapshot.replicas ?? held?.replicas ?? false };
  }
}
