// The catalogue's one writer: rows, the version, the index of keys, the log of admin actions, and through its publisher the
// roster of hubs to tell. The roster is the outbox too: a hub whose acknowledged version is behind is a change still to be
// delivered.

import { DurableObject } from "cloudflare:workers";
import {
  DEPLOYER,
  migrateAdminLog,
  readAdminLog,
  recordAdmin,
  type AdminAct,
  type AdminPage,
} from "../audit/admin-log.ts";
import type { AuditQuery } from "../audit/audit-contract.ts";
import type { Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Region } from "../lib/region.ts";
import type { Tool } from "../tools/define-tool.ts";
import { applyPatch, defaultRow } from "./catalogue.ts";
import { readVersion } from "./meta-store.ts";
import { readHubs } from "./outbox-store.ts";
import { Publisher } from "./publisher.ts";
import type { RosterEntry, SnapshotReader } from "./registry-contract.ts";
import type { KeyAct, KeyPage, KeyRow, Snapshot, ToolChange, ToolPatch, ToolRow } from "./registry-contract.ts";
import * as store from "./registry-store.ts";

class RegistryObject extends DurableObject<Env> {
  readonly #sql: SqlStorage;
  readonly #builtins: readonly Tool[];
  /** When each region asked last. */
  readonly #regions: Map<Region, number>;
  readonly #publisher: Publisher;

  constructor(ctx: DurableObjectState, env: Env, builtins: readonly Tool[]) {
    super(ctx, env);
    this.#builtins = builtins;
    this.#sql = ctx.storage.sql;
    ctx.storage.transactionSync(() => {
      store.migrate(this.#sql);
      migrateAdminLog(this.#sql);
    });
    this.#regions = new Map(store.readRegions(this.#sql, Date.now() - LIMITS.regionSeenMs));
    this.#publisher = new Publisher(ctx.storage, env, {
      readSnapshot: () => this.readSnapshot(-1),
      servesReplicas: this.#regions.size > 1,
    });
    this.#noticeBuild();
    this.#publisher.resume();
  }

  readSnapshot(have: number, { region, isReplica = false }: SnapshotReader = {}): Snapshot {
    if (region) this.#noteRegion(region, Date.now());
    if (region && isReplica) this.#publisher.grantLease(region);
    const version = readVersion(this.#sql);
    const replicas = this.#regions.size > 1;
    return {
      v: 1,
      version,
      ...(version !== have && { rows: store.readRows(this.#sql) }),
      ...(replicas && { replicas }),
    };
  }

  changeTool(name: string, patch: ToolPatch, ifVersion?: number, who = ""): ToolChange {
    const act = { who, action: "tool.change", target: name, detail: patch } as const;
    if (!this.#builtins.some((tool) => tool.name === name)) {
      this.#record({ ...act, outcome: "unknown_tool" });
      return { v: 1, outcome: "unknown_tool" };
    }
    const version = readVersion(this.#sql);
    if (ifVersion !== undefined && ifVersion !== version) {
      this.#record({ ...act, outcome: "version_mismatch" });
      return { v: 1, outcome: "version_mismatch", version };
    }
    const row = applyPatch(store.readRow(this.#sql, name) ?? defaultRow(name), patch);
    if (row) return { v: 1, outcome: "changed", version: this.#commit(row, { ...act, outcome: "changed" }) };
    this.#record({ ...act, outcome: "unchanged" });
    return { v: 1, outcome: "changed", version };
  }

  addKey(row: KeyRow, who = ""): boolean {
    const { id, name, scopes, urlKey } = row;
    const act = { who, action: "key.create", target: id, detail: { name, scopes, urlKey } } as const;
    return this.ctx.storage.transactionSync(() => {
      const hasRoom = store.countKeys(this.#sql) < LIMITS.keys;
      if (hasRoom) store.writeKey(this.#sql, row);
      this.#record({ ...act, outcome: hasRoom ? "changed" : "too_many_keys" });
      return hasRoom;
    });
  }

  readKeys(after: string, limit: number): KeyPage {
    return store.readKeys(this.#sql, after, limit);
  }

  changeKey(row: KeyRow, act: KeyAct): void {
    this.ctx.storage.transactionSync(() => {
      const { revokedAtMs } = store.readKey(this.#sql, row.id) ?? {};
      store.writeKey(this.#sql, { ...row, ...(revokedAtMs !== undefined && { revokedAtMs }) });
      this.#record({ ...act, target: row.id, outcome: "changed" });
    });
  }

  markKeyRevoked(keyId: string, atMs: number, who = ""): boolean {
    return this.ctx.storage.transactionSync(() => {
      const row = store.readKey(this.#sql, keyId);
      const isNew = row !== undefined && row.revokedAtMs === undefined;
      if (isNew) store.writeKey(this.#sql, { ...row, revokedAtMs: atMs });
      const found = isNew ? "changed" : "unchanged";
      this.#record({ who, action: "key.revoke", target: keyId, outcome: row ? found : "unknown_key" });
      return row !== undefined;
    });
  }

  readAdminLog(query: AuditQuery): AdminPage {
    return readAdminLog(this.#sql, query);
  }

  readHubs(): string[] {
    return readHubs(this.#sql);
  }

  joinRoster(hub: string): RosterEntry {
    return this.#publisher.joinRoster(hub);
  }

  closeSockets(tag: string): void {
    this.#publisher.closeSockets(tag);
  }

  override alarm(): Promise<void> {
    return this.#publisher.publish();
  }

  #record(act: Omit<AdminAct, "version">): void {
    recordAdmin(this.#sql, { ...act, version: readVersion(this.#sql) }, Date.now());
  }

  /** Rows, version and alarm in one commit: with no await between them, none is durable without the others. */
  #commit(row: ToolRow | undefined, act: Omit<AdminAct, "version">): number {
    this.#publisher.beforeChange();
    const version = this.ctx.storage.transactionSync(() => {
      const next = store.commit(this.#sql, row, Date.now());
      this.#record(act);
      return next;
    });
    this.#publisher.afterChange();
    return version;
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
    this.#commit(undefined, { who: DEPLOYER, action: "deploy", target: "", outcome: "changed" });
  }
}

/** The registry's class for a Worker with these tools in its code. */
export const createToolRegistry = (builtins: readonly Tool[]) =>
  class ToolRegistry extends RegistryObject {
    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env, builtins);
    }
  };
