// The catalogue's one writer: rows, the version, the index of keys, and the roster of hubs to tell. The roster is the
// outbox too: a hub whose acknowledged version is behind is a change still to be delivered.

import { DurableObject } from "cloudflare:workers";
import { catalogueReplicaStub, hubStub, type Env } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Region } from "../lib/region.ts";
import type { Publication } from "../sessions/hub-contract.ts";
import { logFailure } from "../telemetry/log.ts";
import type { Tool } from "../tools/define-tool.ts";
import { applyPatch, defaultRow } from "./catalogue.ts";
import { readVersion } from "./meta-store.ts";
import * as outbox from "./outbox-store.ts";
import type { RosterEntry, SnapshotReader } from "./registry-contract.ts";
import type { KeyPage, KeyRow, Snapshot, ToolChange, ToolPatch, ToolRow } from "./registry-contract.ts";
import type { SecretRow, SecretWritten } from "./registry-contract.ts";
import * as store from "./registry-store.ts";
import { ReplicaLeases } from "./replica-leases.ts";
import * as secrets from "./secrets-store.ts";

class RegistryObject extends DurableObject<Env> {
  readonly #sql: SqlStorage;
  readonly #builtins: readonly Tool[];
  /** When each region asked last. */
  readonly #regions: Map<Region, number>;
  readonly #leases: ReplicaLeases;
  #publishedAtMs = 0;

  constructor(ctx: DurableObjectState, env: Env, builtins: readonly Tool[]) {
    super(ctx, env);
    this.#builtins = builtins;
    this.#sql = ctx.storage.sql;
    ctx.storage.transactionSync(() => store.migrate(this.#sql));
    const nowMs = Date.now();
    this.#regions = new Map(store.readRegions(this.#sql, nowMs - LIMITS.regionSeenMs));
    this.#leases = new ReplicaLeases(nowMs, this.#regions.size > 1);
    this.#noticeBuild();
    // A publication that a killed runtime left undone goes on as soon as anything wakes the object.
    this.#scheduleLate();
  }

  readSnapshot(have: number, { region, isReplica = false }: SnapshotReader = {}): Snapshot {
    const nowMs = Date.now();
    const version = readVersion(this.#sql);
    if (region) this.#noteRegion(region, nowMs);
    if (region && isReplica) this.#leases.grant(region, version, nowMs);
    const replicas = this.#regions.size > 1;
    return {
      v: 1,
      version,
      ...(version !== have && { rows: store.readRows(this.#sql) }),
      ...(replicas && { replicas }),
    };
  }

  changeTool(name: string, patch: ToolPatch, ifVersion?: number): ToolChange {
    if (!this.#builtins.some((tool) => tool.name === name)) return { v: 1, outcome: "unknown_tool" };
    const version = readVersion(this.#sql);
    if (ifVersion !== undefined && ifVersion !== version) return { v: 1, outcome: "version_mismatch", version };
    const row = applyPatch(store.readRow(this.#sql, name) ?? defaultRow(name), patch);
    if (!row) return { v: 1, outcome: "changed", version };
    return { v: 1, outcome: "changed", version: this.#commit(row) };
  }

  addKey(row: KeyRow): boolean {
    if (store.countKeys(this.#sql) >= LIMITS.keys) return false;
    store.writeKey(this.#sql, row);
    return true;
  }

  readKeys(after: string, limit: number): KeyPage {
    return store.readKeys(this.#sql, after, limit);
  }

  markKeyRevoked(keyId: string, atMs: number): boolean {
    const row = store.readKey(this.#sql, keyId);
    if (row && row.revokedAtMs === undefined) store.writeKey(this.#sql, { ...row, revokedAtMs: atMs });
    return row !== undefined;
  }

  writeSecret(name: string, sealed: string, atMs: number): SecretWritten {
    return this.ctx.storage.transactionSync(() => secrets.writeSecret(this.#sql, name, sealed, atMs));
  }

  resealSecret(name: string, version: number, sealed: string): boolean {
    return secrets.resealSecret(this.#sql, name, version, sealed);
  }

  deleteSecret(name: string): boolean {
    return secrets.deleteSecret(this.#sql, name);
  }

  readSecrets(names?: string[]): { v: 1; secrets: SecretRow[] } {
    return { v: 1, secrets: secrets.readSecrets(this.#sql, names) };
  }

  readHubs(): string[] {
    return outbox.readHubs(this.#sql);
  }

  joinRoster(hub: string): RosterEntry {
    const nowMs = Date.now();
    this.#settle(readVersion(this.#sql), nowMs);
    const version = outbox.readPublished(this.#sql);
    const epoch = outbox.joinRoster(this.#sql, hub, version);
    this.#scheduleLate();
    const [closures, changes] = [
      outbox.readLateClosures(this.#sql, nowMs),
      outbox.readChanges(this.#sql, version, nowMs),
    ];
    return { v: 1, version, epoch, closures, changes };
  }

  /** Closes all sockets and streams with a tag, wherever they hang; delivered like a change. */
  closeSockets(tag: string): void {
    outbox.writeClosure(this.#sql, tag, Date.now());
    this.#schedulePublication(LIMITS.publishDelayMs);
  }

  /** Delivers the newest version to every replica and hub that is behind; those out of reach are tried again. */
  override async alarm(): Promise<void> {
    outbox.writePublicationDue(this.#sql, 0);
    const heldUpMs = await this.#informReplicas();
    this.#publishedAtMs = Date.now();
    const outcomes = await Promise.all(outbox.readLateHubs(this.#sql).map((place) => this.#publish(place)));
    const failures = outcomes.includes(false) ? outbox.countFailure(this.#sql) : outbox.clearFailures(this.#sql);
    if (failures === 0 && heldUpMs === 0 && outbox.readLateHubs(this.#sql).length === 0) return;
    // More closures than one publication holds: at once; a hub or a replica out of reach: with pauses.
    const pauseMs =
      failures === 0 ? 0 : Math.min(LIMITS.publishRetryMaxMs, LIMITS.publishRetryMs * 2 ** (failures - 1));
    this.#schedulePublication(Math.max(pauseMs, heldUpMs));
  }

  /**
   * Tells replicas of the newest version first: clients hear of it when none can answer with less. How long that may take
   * still, in milliseconds: as long as the lease of a replica that could not be told.
   */
  async #informReplicas(): Promise<number> {
    const version = readVersion(this.#sql);
    const behind = this.#leases.findBehind(version, Date.now());
    const snapshot: Snapshot = { v: 1, version, rows: store.readRows(this.#sql), replicas: true };
    await Promise.all(
      behind.map(async (region) => {
        try {
          const refreshed = catalogueReplicaStub(this.env, region).refresh(snapshot);
          await withDeadline(refreshed, LIMITS.replicaTimeoutMs, "refresh");
          this.#leases.acknowledge(region, version);
        } catch (error) {
          logFailure("refresh_failed", region, error, { version });
        }
      }),
    );
    return this.#settle(version, Date.now());
  }

  /** Lets hubs tell of a version if no replica can answer with less; else answers for how long one still may. */
  #settle(version: number, nowMs: number): number {
    const heldUpMs = this.#leases.waitMs(version, nowMs);
    if (heldUpMs === 0 && outbox.readPublished(this.#sql) < version) outbox.writePublished(this.#sql, version);
    return heldUpMs;
  }

  async #publish(place: outbox.RosterPlace): Promise<boolean> {
    const { hub, epoch } = place;
    const version = outbox.readPublished(this.#sql);
    const news: Publication = {
      v: 1,
      version,
      epoch,
      closures: outbox.readClosures(this.#sql, place),
      changes: outbox.readChanges(this.#sql, version, Date.now()),
      audience: outbox.countAudience(this.#sql),
    };
    try {
      const published = hubStub(this.env, hub).publish(news);
      const { sockets } = await withDeadline(published, LIMITS.publishTimeoutMs, "publish");
      if (sockets === 0) outbox.leaveRoster(this.#sql, place, Date.now());
      else outbox.acknowledge(this.#sql, place, { ...news, sockets }, Date.now());
      return true;
    } catch (error) {
      logFailure("publish_failed", hub, error, { version });
      return false;
    }
  }

  /** Row, version and alarm in one commit: with no await between them, none is durable without the others. */
  #commit(row: ToolRow | undefined): number {
    const nowMs = Date.now();
    this.#settle(readVersion(this.#sql), nowMs);
    const version = this.ctx.storage.transactionSync(() => store.commit(this.#sql, row, nowMs));
    this.#schedulePublication(Math.max(LIMITS.publishDelayMs, this.#publishedAtMs + LIMITS.publishSpacingMs - nowMs));
    return version;
  }

  #scheduleLate(): void {
    const isLate =
      outbox.readPublished(this.#sql) < readVersion(this.#sql) || outbox.readLateHubs(this.#sql).length > 0;
    if (isLate) this.#schedulePublication(LIMITS.publishDelayMs);
  }

  /** The first change of a burst sets the time, so that no later one can put it off. */
  #schedulePublication(delayMs: number): void {
    const nowMs = Date.now();
    const dueMs = outbox.readPublicationDue(this.#sql);
    if (dueMs > nowMs && dueMs <= nowMs + delayMs) return;
    outbox.writePublicationDue(this.#sql, nowMs + delayMs);
    void this.ctx.storage.setAlarm(nowMs + delayMs);
  }

  /** Written at most twice in the time that it counts for. */
  #noteRegion(region: Region, nowMs: number): void {
    if (nowMs - (this.#regions.get(region) ?? 0) <= LIMITS.regionSeenMs / 2) return;
    this.#regions.set(region, nowMs);
    store.writeRegion(this.#sql, region, nowMs);
  }

  /** A deploy that changes the tools in the code changes the catalogue: it gets a version and is heard of. */
  #noticeBuild(): void {
    const build = JSON.stringify(this.#builtins.map(({ definition }) => definition));
    if (store.readBuild(this.#sql) === build) return;
    store.writeBuild(this.#sql, build);
    this.#commit(undefined);
  }
}

/** The registry's class for a Worker with these tools in its code. */
export const createToolRegistry = (builtins: readonly Tool[]) =>
  class ToolRegistry extends RegistryObject {
    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env, builtins);
    }
  };
