// The catalogue's one writer: rows, the version, the index of keys, and the roster of hubs to tell. The roster is the
// outbox too: a hub whose acknowledged version is behind is a change still to be delivered.

import { DurableObject } from "cloudflare:workers";
import { hubStub, type Env } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import { logFailure } from "../telemetry/log.ts";
import type { Tool } from "../tools/define-tool.ts";
import { applyPatch, defaultRow } from "./catalogue.ts";
import type { RosterEntry } from "./registry-contract.ts";
import type { KeyPage, KeyRow, Snapshot, ToolChange, ToolPatch, ToolRow } from "./registry-contract.ts";
import * as store from "./registry-store.ts";

class RegistryObject extends DurableObject<Env> {
  readonly #sql: SqlStorage;
  readonly #builtins: readonly Tool[];

  constructor(ctx: DurableObjectState, env: Env, builtins: readonly Tool[]) {
    super(ctx, env);
    this.#builtins = builtins;
    this.#sql = ctx.storage.sql;
    ctx.storage.transactionSync(() => store.migrate(this.#sql));
    this.#noticeBuild();
    // A publication that a killed runtime left undone goes on as soon as anything wakes the object.
    if (store.readLateHubs(this.#sql).length > 0) this.#schedulePublication(LIMITS.publishDelayMs);
  }

  readSnapshot(have: number): Snapshot {
    const version = store.readVersion(this.#sql);
    return version === have ? { v: 1, version } : { v: 1, version, rows: store.readRows(this.#sql) };
  }

  changeTool(name: string, patch: ToolPatch, ifVersion?: number): ToolChange {
    if (!this.#builtins.some((tool) => tool.name === name)) return { v: 1, outcome: "unknown_tool" };
    const version = store.readVersion(this.#sql);
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

  changeKey(row: KeyRow): void {
    const { revokedAtMs } = store.readKey(this.#sql, row.id) ?? {};
    store.writeKey(this.#sql, { ...row, ...(revokedAtMs !== undefined && { revokedAtMs }) });
  }

  markKeyRevoked(keyId: string, atMs: number): boolean {
    const row = store.readKey(this.#sql, keyId);
    if (row && row.revokedAtMs === undefined) store.writeKey(this.#sql, { ...row, revokedAtMs: atMs });
    return row !== undefined;
  }

  readHubs(): string[] {
    return store.readHubs(this.#sql);
  }

  joinRoster(hub: string): RosterEntry {
    const place = store.joinRoster(this.#sql, hub);
    if (store.readLateHubs(this.#sql).length > 0) this.#schedulePublication(LIMITS.publishDelayMs);
    return { v: 1, ...place, closures: store.readLateClosures(this.#sql, Date.now()) };
  }

  /** Closes all sockets and streams with a tag, wherever they hang; delivered like a change. */
  closeSockets(tag: string): void {
    store.writeClosure(this.#sql, tag, Date.now());
    this.#schedulePublication(LIMITS.publishDelayMs);
  }

  /** Delivers the newest version to every hub that is behind; those that can't be reached are tried again. */
  override async alarm(): Promise<void> {
    store.writePublicationDue(this.#sql, 0);
    const outcomes = await Promise.all(store.readLateHubs(this.#sql).map((place) => this.#publish(place)));
    const failures = outcomes.includes(false) ? store.countFailure(this.#sql) : store.clearFailures(this.#sql);
    if (failures === 0 && store.readLateHubs(this.#sql).length === 0) return;
    // More closures than one publication holds, or a change in the meantime: at once; a hub out of reach: with pauses.
    const delayMs =
      failures === 0 ? 0 : Math.min(LIMITS.publishRetryMaxMs, LIMITS.publishRetryMs * 2 ** (failures - 1));
    this.#schedulePublication(delayMs);
  }

  async #publish(place: store.RosterPlace): Promise<boolean> {
    const { hub, epoch } = place;
    const changed = store.readChangedTools(this.#sql, place.acknowledged);
    const news = {
      version: store.readVersion(this.#sql),
      closures: store.readClosures(this.#sql, place),
      ...(changed && { changed }),
    };
    try {
      const published = hubStub(this.env, hub).publish({ v: 1, epoch, ...news });
      const { sockets } = await withDeadline(published, LIMITS.publishTimeoutMs, "publish");
      if (sockets === 0) store.leaveRoster(this.#sql, place, Date.now());
      else store.acknowledge(this.#sql, place, news, Date.now());
      return true;
    } catch (error) {
      logFailure("publish_failed", hub, error, { version: news.version });
      return false;
    }
  }

  /** Row, version and alarm in one commit: with no await between them, none is durable without the others. */
  #commit(row: ToolRow | undefined): number {
    const version = this.ctx.storage.transactionSync(() => store.commit(this.#sql, row));
    this.#schedulePublication(LIMITS.publishDelayMs);
    return version;
  }

  /** The first change of a burst sets the time, so that no later one can put it off. */
  #schedulePublication(delayMs: number): void {
    const nowMs = Date.now();
    const dueMs = store.readPublicationDue(this.#sql);
    if (dueMs > nowMs && dueMs <= nowMs + delayMs) return;
    store.writePublicationDue(this.#sql, nowMs + delayMs);
    void this.ctx.storage.setAlarm(nowMs + delayMs);
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
