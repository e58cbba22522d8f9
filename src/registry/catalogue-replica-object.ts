// A region's copy of the catalogue. It answers under a short lease of the registry, which tells clients of a version only
// once every replica that holds one knows that version: so nobody who heard of a change reads an older list here.

import { DurableObject } from "cloudflare:workers";
import { registryStub, type Env } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Snapshot, SnapshotReader } from "./registry-contract.ts";
import { RowTable } from "./row-table.ts";

export class CatalogueReplica extends DurableObject<Env> {
  readonly #rows = new RowTable();
  #replicas = false;
  #published = 0;
  #leaseUntilMs = 0;
  #renewal: Promise<void> | undefined;

  /** Throws when its lease can't be renewed: ask the registry then. */
  async readSnapshot(have: number, { region, lists = false }: SnapshotReader): Promise<Snapshot> {
    if (Date.now() >= this.#leaseUntilMs) await (this.#renewal ??= this.#renew(region));
    // A renewal that took longer than a lease lives says nothing about now.
    if (Date.now() >= this.#leaseUntilMs) throw new Error("no lease on the catalogue");
    // Nobody lists for longer than this lease lives, nor is told of a newer version while it may.
    const listableMs = Math.min(LIMITS.listLeaseMs, this.#leaseUntilMs - Date.now());
    return {
      ...this.#rows.since(have),
      replicas: this.#replicas,
      ...(lists && { listableMs, published: this.#published }),
    };
  }

  refresh(snapshot: Snapshot): { v: 1 } {
    this.#hold(snapshot);
    return { v: 1 };
  }

  /** The lease counts from when it was asked for, which is before the registry counts it. */
  async #renew(region: SnapshotReader["region"]): Promise<void> {
    const askedAtMs = Date.now();
    try {
      const reply = registryStub(this.env).readSnapshot(this.#rows.version, { region, isReplica: true });
      this.#hold(await withDeadline(reply, LIMITS.replicaLeaseMs, "registry"));
      this.#leaseUntilMs = askedAtMs + LIMITS.replicaLeaseMs;
    } finally {
      this.#renewal = undefined;
    }
  }

  #hold(snapshot: Snapshot): void {
    this.#rows.apply(snapshot);
    this.#replicas = snapshot.replicas ?? this.#replicas;
    this.#published = Math.max(this.#published, snapshot.published ?? 0);
  }
}
