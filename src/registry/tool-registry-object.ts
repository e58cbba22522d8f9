// The catalogue's one writer: rows, the version, the index of keys, the log of admin actions, and through its publisher the
// roster of hubs to tell. The roster is the outbox too: a hub whose acknowledged version is behind is a change still to be
// delivered.

import { DurableObject } from "cloudflare:workers";
import { DEPLOYER, type AdminAct, type AdminOutcome } from "../audit/admin-act.ts";
import { migrateAdminLog, readAdminLog, recordAdmin, type AdminPage } from "../audit/admin-log.ts";
import type { AuditQuery } from "../audit/audit-contract.ts";
import type { Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Region } from "../lib/region.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { Upstream } from "../tools/upstream/upstream-record.ts";
import { readVersion } from "./meta-store.ts";
import { readHubs, readPublished } from "./outbox-store.ts";
import { Publisher } from "./publisher.ts";
import type { EditAct, EditOutcome, KeyAct, KeyNews, KeyPage, KeyRow, RosterEntry } from "./registry-contract.ts";
import type { Snapshot } from "./registry-contract.ts";
import type { SnapshotReader, ToolEdit, ToolRow, ToolVersion } from "./registry-contract.ts";
import type { RegistryState, SecretRow, SecretWritten } from "./registry-contract.ts";
import { readRegistryState } from "./registry-state.ts";
import * as store from "./registry-store.ts";
import * as secrets from "./secrets-store.ts";
import { applyEdits } from "./tool-edits.ts";
import * as tools from "./tool-store.ts";
import type { UpstreamChange, UpstreamDeleted, UpstreamOutcome, UpstreamRow } from "./upstream-contract.ts";
import type { UpstreamWritten } from "./upstream-contract.ts";
import * as upstreams from "./upstream-store.ts";
import { UpstreamWatch } from "./upstream-watch.ts";

class RegistryObject extends DurableObject<Env> {
  readonly #sql: SqlStorage;
  readonly #builtins: readonly Tool[];
  /** When each region asked last. */
  readonly #regions: Map<Region, number>;
  readonly #publisher: Publisher;
  readonly #watch: UpstreamWatch;

  constructor(ctx: DurableObjectState, env: Env, builtins: readonly Tool[]) {
    super(ctx, env);
    this.#builtins = builtins;
    this.#sql = ctx.storage.sql;
    ctx.storage.transactionSync(() => {
      store.migrate(this.#sql);
      migrateAdminLog(this.#sql);
    });
    const isWoken = readVersion(this.#sql) > 0;
    this.#regions = new Map(store.readRegions(this.#sql, Date.now() - LIMITS.regionSeenMs));
    this.#publisher = new Publisher(ctx.storage, env, {
      readSnapshot: () => this.readSnapshot(-1),
      // A replica goes on being asked, and asking, when its region was not heard of for long.
      servesReplicas: store.readRegions(this.#sql, 0).length > 1,
      isWoken,
    });
    this.#watch = new UpstreamWatch(ctx);
    this.#noticeBuild();
    this.#publisher.resume();
  }

  readSnapshot(have: number, { region, isReplica = false, lists = false }: SnapshotReader = {}): Snapshot {
    if (region) this.#noteRegion(region, Date.now());
    if (region && isReplica) this.#publisher.grantLease(region);
    const snapshot = tools.readSnapshot(this.#sql, have);
    return {
      ...snapshot,
      ...((this.#regions.size > 1 || isReplica) && { replicas: this.#regions.size > 1 }),
      ...(lists && { listableMs: this.#publisher.grantLists(snapshot.version) }),
      ...((lists || isReplica) && { published: Math.max(FIRST, readPublished(this.#sql)) }),
    };
  }

  editTools(edits: ToolEdit[], ifVersion?: number, who = "", as?: EditAct): EditOutcome {
    return this.ctx.storage.transactionSync(() => {
      const before = readVersion(this.#sql);
      const outcome = this.#edit(edits, ifVersion, who);
      const isChange = readVersion(this.#sql) > before;
      if (as) this.#record({ ...as, who, outcome: outcomeOf(undefined, outcome, isChange) });
      else for (const edit of edits) this.#record({ ...actOf(edit, who), outcome: outcomeOf(edit, outcome, isChange) });
      return outcome;
    });
  }

  readToolHistory(name: string): ToolVersion[] {
    return tools.readHistory(this.#sql, name);
  }

  readModule(hash: string): string | undefined {
    return tools.readModule(this.#sql, hash);
  }

  addKey(row: KeyRow, who = ""): boolean {
    const { id, name, scopes, urlKey } = row;
    const act = { who, action: "key.create", target: id, detail: { name, scopes, urlKey } } as const;
    return this.ctx.storage.transactionSync(() => {
      // One that comes late, or once more, must not list a key anew that was revoked meanwhile.
      if (store.readKey(this.#sql, id)) return true;
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

  noteKey(row: KeyRow, news: KeyNews[]): void {
    this.ctx.storage.transactionSync(() => {
      const { noted = 0 } = store.readKey(this.#sql, row.id) ?? {};
      const fresh = news.filter(({ n }) => n > noted);
      const last = fresh.at(-1);
      if (!last) return;
      store.writeKey(this.#sql, { ...row, noted: last.n });
      for (const { act } of fresh) this.#record({ ...act, target: row.id });
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

  writeSecret(name: string, sealed: string, atMs: number, who = ""): SecretWritten {
    return this.ctx.storage.transactionSync(() => {
      const written = secrets.writeSecret(this.#sql, name, sealed, atMs);
      const outcome = written.outcome === "written" ? "changed" : "too_many_secrets";
      this.#record({ who, action: "secret.set", target: name, outcome });
      return written;
    });
  }

  resealSecret(name: string, version: number, sealed: string, who = ""): boolean {
    return this.ctx.storage.transactionSync(() => {
      const isDone = secrets.resealSecret(this.#sql, name, version, sealed);
      this.#record({ who, action: "secret.reseal", target: name, outcome: isDone ? "changed" : "unchanged" });
      return isDone;
    });
  }

  deleteSecret(name: string, who = ""): boolean {
    return this.ctx.storage.transactionSync(() => {
      const existed = secrets.deleteSecret(this.#sql, name);
      this.#record({ who, action: "secret.delete", target: name, outcome: existed ? "changed" : "unknown_secret" });
      return existed;
    });
  }

  readSecrets(names?: string[]): { v: 1; secrets: SecretRow[] } {
    return { v: 1, secrets: secrets.readSecrets(this.#sql, names) };
  }

  readState(): RegistryState {
    return readRegistryState(this.#sql);
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

  readUpstreams(names?: string[]): { v: 1; upstreams: UpstreamRow[]; version: number } {
    return { v: 1, upstreams: upstreams.readUpstreams(this.#sql, names), version: readVersion(this.#sql) };
  }

  writeUpstream(name: string, record: Upstream, who = "", ifVersion?: number): UpstreamWritten {
    return this.ctx.storage.transactionSync(() => {
      const detail = { host: URL.parse(record.url)?.host, enabled: record.enabled ?? true };
      const act = { who, action: "upstream.put", target: name, detail } as const;
      const mismatch = this.#checkVersion(act, ifVersion);
      if (mismatch) return mismatch;
      const written = upstreams.writeUpstream(this.#sql, name, record, Date.now());
      this.#record({ ...act, outcome: written.outcome === "written" ? "changed" : "too_many_upstreams" });
      this.#watch.arm();
      return written;
    });
  }

  applyUpstream({ name, edition, edits, ifVersion, status, who, isAsked }: UpstreamChange): UpstreamOutcome {
    return this.ctx.storage.transactionSync(() => {
      const [row] = upstreams.readUpstreams(this.#sql, [name]);
      if (row?.edition !== edition) return { v: 1, outcome: "upstream_changed" };
      const outcome = this.#edit(edits, ifVersion, who);
      if (outcome.outcome !== "changed") return outcome;
      const isChange = outcome.version > ifVersion;
      upstreams.writeStatus(this.#sql, name, status, Date.now());
      const act = { who, action: "upstream.refresh", target: name, detail: { state: status.state } } as const;
      if (isChange || isAsked) this.#record({ ...act, outcome: isChange ? "changed" : "unchanged" });
      this.#watch.arm();
      return outcome;
    });
  }

  hastenUpstream(name: string, atMs: number): void {
    upstreams.hasten(this.#sql, name, atMs);
    this.#watch.arm();
  }

  deleteUpstream(name: string, who = "", ifVersion?: number): UpstreamDeleted {
    return this.ctx.storage.transactionSync(() => {
      const act = { who, action: "upstream.delete", target: name } as const;
      const mismatch = this.#checkVersion(act, ifVersion);
      if (mismatch) return mismatch;
      if (upstreams.readUpstreams(this.#sql, [name]).length === 0) {
        this.#record({ ...act, outcome: "unknown_upstream" });
        return { v: 1, outcome: "unknown_upstream" };
      }
      const rows = new Map(upstreams.readToolNames(this.#sql, name).map((tool) => [tool, null]));
      const committed = rows.size > 0 ? this.#commit(rows, who) : { version: readVersion(this.#sql) };
      upstreams.deleteUpstream(this.#sql, name);
      this.#record({ ...act, outcome: "changed" });
      return { v: 1, outcome: "deleted", ...committed };
    });
  }

  override async alarm(): Promise<void> {
    await this.#publisher.publish();
    await this.#watch.refreshDue();
  }

  #edit(edits: ToolEdit[], ifVersion: number | undefined, who: string): EditOutcome {
    const version = readVersion(this.#sql);
    if (ifVersion !== undefined && ifVersion !== version) return { v: 1, outcome: "version_mismatch", version };
    const plan = applyEdits(edits, {
      isBuiltin: (name) => this.#builtins.some((tool) => tool.name === name),
      readRow: (name) => tools.readRow(this.#sql, name),
    });
    if ("outcome" in plan) return plan;
    const { rows, ...told } = plan;
    // Who asks for the same again is answered no sooner than who asked first.
    if (rows.size === 0) return { v: 1, outcome: "changed", ...this.#listedAt(version), ...told, unchanged: true };
    if (!this.#hasRoomFor(rows)) return { v: 1, outcome: "catalogue_full" };
    for (const edit of edits) {
      if (edit.op !== "put" || edit.module === undefined || edit.row.record?.source.kind !== "code") continue;
      tools.writeModule(this.#sql, edit.row.record.source.hash, edit.module);
    }
    return { v: 1, outcome: "changed", ...this.#commit(rows, who), ...told };
  }

  #hasRoomFor(changed: ReadonlyMap<string, ToolRow | null>): boolean {
    const grown = [...changed].map(([name, row]) => {
      const held = tools.readRow(this.#sql, name);
      return { rows: Number(row !== null) - Number(held !== undefined), chars: charsOf(row) - charsOf(held) };
    });
    const { rows, chars } = tools.measureRows(this.#sql);
    return (
      grown.reduce((sum, each) => sum + each.rows, rows) <= LIMITS.toolRecords &&
      grown.reduce((sum, each) => sum + each.chars, chars) <= LIMITS.catalogueChars
    );
  }

  /** That the catalogue is at another version than an operator knows of, which is recorded as what came of the act. */
  #checkVersion(act: Omit<AdminAct, "version" | "outcome">, ifVersion: number | undefined) {
    const version = readVersion(this.#sql);
    if (ifVersion === undefined || ifVersion === version) return undefined;
    this.#record({ ...act, outcome: "version_mismatch" });
    return { v: 1, outcome: "version_mismatch", version } as const;
  }

  #record(act: Omit<AdminAct, "version">): void {
    recordAdmin(this.#sql, { ...act, version: readVersion(this.#sql) }, Date.now());
  }

  /** Rows, version and alarm in one commit: with no await between them, none is durable without the others. */
  #commit(rows: ReadonlyMap<string, ToolRow | null>, who: string): { version: number; listedInMs?: number } {
    this.#publisher.beforeChange();
    const version = tools.commitRows(this.#sql, { rows, who, atMs: Date.now() });
    tools.dropUnusedModules(this.#sql);
    this.#publisher.afterChange();
    return this.#listedAt(version);
  }

  #listedAt(version: number): { version: number; listedInMs?: number } {
    const listedInMs = this.#publisher.waitForLists(version);
    return { version, ...(listedInMs > 0 && { listedInMs }) };
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
    this.ctx.storage.transactionSync(() => {
      store.writeBuild(this.#sql, build);
      this.#commit(new Map(), DEPLOYER);
      this.#record({ who: DEPLOYER, action: "deploy", target: "", outcome: "changed" });
    });
  }
}

/** The version that is news to nobody. */
const FIRST = 1;

const charsOf = (row: ToolRow | null | undefined): number => (row ? JSON.stringify(row).length : 0);

const actOf = (edit: ToolEdit, who: string): Pick<AdminAct, "who" | "action" | "target" | "detail"> => {
  const target = edit.name;
  switch (edit.op) {
    case "put": {
      const { kind } = edit.row.record?.source ?? {};
      return {
        who,
        action: "tool.put",
        target,
        detail: { kind, ...(!edit.keepsEnabled && { enabled: edit.row.enabled }) },
      };
    }
    case "patch":
      return { who, action: "tool.change", target, detail: edit.patch };
    case "delete":
      return { who, action: "tool.delete", target };
  }
};

/** Edits are one change: all of them were made, or the one that could not be made stopped the others. */
function outcomeOf(edit: ToolEdit | undefined, outcome: EditOutcome, isChange: boolean): AdminOutcome {
  if (outcome.outcome === "changed") return isChange ? "changed" : "unchanged";
  return edit && "name" in outcome && outcome.name !== edit.name ? "not_done" : outcome.outcome;
}

/** The registry's class for a Worker with these tools in its code. */
export const createToolRegistry = (builtins: readonly Tool[]) =>
  class ToolRegistry extends RegistryObject {
    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env, builtins);
    }
  };
