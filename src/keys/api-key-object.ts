// One object a key: its record and its buckets. Both are written before a lease is answered, so that neither an
// eviction nor a killed runtime gives back what was spent.

import { DurableObject } from "cloudflare:workers";
import { shorten } from "../audit/admin-act.ts";
import { registryStub, type Env } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import { equalInConstantTime } from "../lib/signing.ts";
import type { KeyAct, KeyNews } from "../registry/registry-contract.ts";
import { logFailure } from "../telemetry/log.ts";
import type { ClaimAnswer, ClaimRequest, RenewRequest, SettleRequest } from "./claim-contract.ts";
import { nextPruneMs, pruneClaims } from "./claim-ages.ts";
import { claimCall, renewClaim, settleCall } from "./claimed-calls.ts";
import type { KeyChange } from "./key-input.ts";
import { KeyLedger } from "./key-ledger.ts";
import { editionOf, factsOf, livePriors, statusOf, type KeyRecord } from "./key-record.ts";
import type {
  KeyCreated,
  KeyOutcome,
  KeyStatus,
  LeaseAnswer,
  LeaseRequest,
  SlotAnswer,
  SlotRequest,
} from "./key-record.ts";
import type { SessionNote } from "./key-record.ts";
import { toKeyRow } from "./key-row.ts";
import { readNotes, writeNote } from "./session-notes.ts";
import { SlotLedger } from "./slot-table.ts";
import { factsTag, secretTag } from "./socket-tags.ts";

/** Sockets to be closed, and when. */
interface DueClosure {
  tag: string;
  atMs: number;
}

export class ApiKey extends DurableObject<Env> {
  #record: KeyRecord | undefined;
  readonly #ledger: KeyLedger;
  readonly #slots: SlotLedger;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#record = ctx.storage.kv.get<KeyRecord>("record");
    this.#ledger = new KeyLedger(ctx.storage.kv);
    this.#slots = new SlotLedger(ctx.storage.kv);
  }

  /** Stores a new key; one that is there already stays as it is. */
  create(record: KeyRecord): void {
    if (this.#record) return;
    this.#write(record);
  }

  /**
   * Stores a new key and has it listed: both or neither. Until it is listed it is revoked, which is owed to the registry from
   * the start, so that whatever cuts this short leaves neither a key that no list shows nor one that is listed and opens
   * nothing.
   */
  async createListed(record: KeyRecord, who: string): Promise<KeyCreated> {
    if (this.#record) return { v: 1, outcome: this.#record.revokedAtMs === undefined ? "created" : "behind" };
    this.#write({ ...record, revokedAtMs: Date.now() });
    this.#owe({ who, action: "key.revoke" }, "changed");
    const added = await this.#list(record, who);
    // Whoever saw it listed may have ended it meanwhile.
    if (added === undefined || this.#readOwed().length !== 1) return { v: 1, outcome: "behind" };
    this.ctx.storage.kv.delete("owed");
    this.#schedule(Date.now());
    if (!added) {
      this.#record = undefined;
      for (const name of ["record", "acts"]) this.ctx.storage.kv.delete(name);
      return { v: 1, outcome: "too_many_keys" };
    }
    this.#write(record);
    return { v: 1, outcome: "created" };
  }

  /** The key as it stands, and what it used of its day; `undefined` when there is none. */
  read(): { record: KeyRecord; status: KeyStatus; usedToday: number } | undefined {
    const nowMs = Date.now();
    if (!this.#record) return undefined;
    return { record: this.#record, status: statusOf(this.#record, nowMs), usedToday: this.#ledger.readUsed(nowMs) };
  }

  /** Ends the key for good. Answers whether there was one. Its sockets are closed even if whoever asked is cut off. */
  async revoke(act?: KeyAct): Promise<boolean> {
    const record = this.#record;
    if (!record) return false;
    const isNew = record.revokedAtMs === undefined;
    if (isNew) this.#write({ ...record, revokedAtMs: Date.now() });
    this.#owe(act, isNew ? "changed" : "unchanged");
    if (isNew) this.#closeAt(factsTag(record.id, record.changes ?? 0), Date.now());
    await this.#tellRegistry();
    return true;
  }

  /**
   * Changes an operator's decisions. Sockets that hold a copy of what changed are closed, to come back with the new: once
   * every lease from before is over, so that nobody who comes back lists what was there before.
   */
  async change(change: KeyChange, act?: KeyAct): Promise<KeyOutcome> {
    const { changeRecord } = await import("./key-input.ts");
    const record = this.#record;
    if (!record) return { v: 1, outcome: "unknown" };
    if (record.revokedAtMs !== undefined) return { v: 1, outcome: "revoked" };
    const nowMs = Date.now();
    if (act && this.#isBehind()) return { v: 1, outcome: "behind" };
    const changed = changeRecord(record, change, nowMs);
    if (!("record" in changed)) return { v: 1, ...changed };
    const { record: next } = changed;
    this.#write(next);
    this.#owe(act, "changed");
    if (next.changes !== record.changes)
      this.#closeAt(factsTag(record.id, record.changes ?? 0), nowMs + LIMITS.leaseLifeMs);
    await this.#tellRegistry();
    return this.#done(next);
  }

  /** Gives the key another secret. Sockets that were opened with the old one are closed when that ends. */
  async rotate({ digest, overlapMs }: { digest: string; overlapMs: number }, act?: KeyAct): Promise<KeyOutcome> {
    const { rotateRecord } = await import("./key-input.ts");
    const record = this.#record;
    const nowMs = Date.now();
    if (!record) return { v: 1, outcome: "unknown" };
    if (record.revokedAtMs !== undefined) return { v: 1, outcome: "revoked" };
    if (act && this.#isBehind()) return { v: 1, outcome: "behind" };
    const next = rotateRecord(record, digest, overlapMs, nowMs);
    if (!next) return { v: 1, outcome: "too_many_secrets" };
    this.#write(next);
    this.#owe(act, "changed");
    const ended =
      overlapMs > 0 ? [record.digest] : [record.digest, ...livePriors(record, nowMs).map(({ digest }) => digest)];
    for (const old of ended) this.#closeAt(secretTag(old), nowMs + overlapMs);
    await this.#tellRegistry();
    return this.#done(next);
  }

  /**
   * Tells the registry what it does not know yet, has sockets closed that are due, and tries both again while it can't be
   * reached. Prunes what is past its age.
   */
  override async alarm(): Promise<void> {
    const nowMs = Date.now();
    await this.#tellRegistry();
    for (const { tag, atMs } of this.#readClosures()) {
      if (atMs > nowMs) continue;
      try {
        await registryStub(this.env).closeSockets(tag);
        this.#writeClosures(this.#readClosures().filter((closure) => closure.tag !== tag));
      } catch (error) {
        logFailure("close_failed", tag.split(":")[0] ?? "", error, { key: this.#record?.id });
      }
    }
    pruneClaims(this.ctx.storage.sql, nowMs);
    this.#schedule(Date.now() + LIMITS.closureRetryMs);
  }

  /** Status, rules and prepaid calls in one call. */
  lease(request: LeaseRequest): LeaseAnswer {
    const nowMs = Date.now();
    const record = this.#record;
    if (!record || !opensWith(record, request.digest, nowMs)) return { v: 1, status: "unknown" };
    const status = statusOf(record, nowMs);
    if (status !== "active") return { v: 1, status };
    const facts = factsOf(record, nowMs);
    const notes = readNotes(this.ctx.storage.sql, request.notesSeen ?? 0, nowMs);
    const { pricedFor = editionOf(facts) } = request;
    if (pricedFor !== editionOf(facts)) {
      // What the request gives back is taken all the same: it is said once.
      const { accounts } = this.#ledger.pay(record, { ...request, need: 0, want: 0 }, nowMs);
      return { v: 1, status, facts, tokens: 0, retryAfterMs: 0, accounts, notes, outdated: true };
    }
    const { calls, dry, accounts, grant } = this.#ledger.pay(record, request, nowMs);
    return {
      v: 1,
      status,
      facts,
      tokens: calls,
      retryAfterMs: dry?.retryAfterMs ?? 0,
      ...(dry && { dry: dry.name }),
      accounts,
      ...(grant !== undefined && { grant }),
      notes,
    };
  }

  /** How many calls an isolate may run, where the key's running calls are bounded. */
  hold(request: SlotRequest): SlotAnswer {
    const limit = this.#record?.concurrent;
    if (limit === undefined) return { v: 1, slots: Infinity };
    return { v: 1, slots: this.#slots.hold(request, limit, Date.now()), limit };
  }

  /** Remembers that a session ended or which log level it wants. `undefined` when the key has too many notes. */
  noteSession(note: Omit<SessionNote, "seq">): SessionNote | undefined {
    return writeNote(this.ctx.storage.sql, note, Date.now());
  }

  /** Claims a call that is to run once, or says what is known of it. On disk before it is answered. */
  claimCall(request: ClaimRequest): ClaimAnswer {
    const { sql } = this.ctx.storage;
    const isFirst = nextPruneMs(sql) === undefined;
    const answer = claimCall(sql, request, Date.now());
    if (isFirst) this.#schedule(Date.now());
    return answer;
  }

  /** Gives a claimed call more time, because it waits for its client's user. */
  renewClaim(request: RenewRequest): void {
    renewClaim(this.ctx.storage.sql, request, Date.now());
  }

  /** Stores what came of a claimed call. On disk before it is answered. */
  settleCall(request: SettleRequest): void {
    settleCall(this.ctx.storage.sql, request);
  }

  #done(record: KeyRecord): KeyOutcome {
    const nowMs = Date.now();
    const status = statusOf(record, nowMs);
    return { v: 1, outcome: "done", record, status, usedToday: this.#ledger.readUsed(nowMs) };
  }

  /** An act is owed to the index and the trail from the moment on that it is done: one commit with what it did. */
  #owe(act: KeyAct | undefined, outcome: "changed" | "unchanged"): void {
    // That it was ended again says nothing new: who ends a key is never turned away.
    if (!act || (outcome === "unchanged" && this.#isBehind())) return;
    const { kv } = this.ctx.storage;
    const n = (kv.get<number>("acts") ?? 0) + 1;
    kv.put("acts", n);
    kv.put("owed", [...this.#readOwed(), { n, act: { ...act, ...shortenDetail(act), outcome } }]);
    this.#schedule(Date.now() + LIMITS.closureRetryMs);
  }

  #isBehind(): boolean {
    return this.#readOwed().length >= LIMITS.owedActs;
  }

  #readOwed(): KeyNews[] {
    return this.ctx.storage.kv.get<KeyNews[]>("owed") ?? [];
  }

  async #tellRegistry(): Promise<void> {
    const news = this.#readOwed();
    const last = news.at(-1);
    if (!this.#record || !last) return;
    try {
      const noted = registryStub(this.env).noteKey(toKeyRow(this.#record), news);
      await withDeadline(noted, LIMITS.keyNewsTimeoutMs, "registry");
      // More may be owed by now.
      const rest = this.#readOwed().filter(({ n }) => n > last.n);
      if (rest.length > 0) this.ctx.storage.kv.put("owed", rest);
      else this.ctx.storage.kv.delete("owed");
      this.#schedule(Date.now());
    } catch (error) {
      logFailure("note_failed", this.#record.id, error);
    }
  }

  /** Whether the registry had room for it; `undefined` when that can't be known. */
  async #list(record: KeyRecord, who: string): Promise<boolean | undefined> {
    try {
      const added = registryStub(this.env).addKey(toKeyRow(record), who);
      return await withDeadline(added, LIMITS.keyNewsTimeoutMs, "registry");
    } catch (error) {
      logFailure("list_failed", record.id, error);
      return undefined;
    }
  }

  #closeAt(tag: string, atMs: number): void {
    const closures = [...this.#readClosures().filter((closure) => closure.tag !== tag), { tag, atMs }];
    this.#writeClosures(closures);
    this.#schedule(Date.now());
  }

  #readClosures(): DueClosure[] {
    return this.ctx.storage.kv.get<DueClosure[]>("closures") ?? [];
  }

  #writeClosures(closures: DueClosure[]): void {
    if (closures.length > 0) this.ctx.storage.kv.put("closures", closures);
    else this.ctx.storage.kv.delete("closures");
  }

  /** The alarm is for what is due first: what is overdue or owed at `overdueMs`, and the next round of pruning. */
  #schedule(overdueMs: number): void {
    const nowMs = Date.now();
    const closuresMs = this.#readClosures().map(({ atMs }) => (atMs > nowMs ? atMs : overdueMs));
    const owedMs = this.#readOwed().length > 0 ? overdueMs : Infinity;
    const dueMs = Math.min(...closuresMs, owedMs, nextPruneMs(this.ctx.storage.sql) ?? Infinity);
    if (dueMs < Infinity) void this.ctx.storage.setAlarm(dueMs);
    else void this.ctx.storage.deleteAlarm();
  }

  #write(record: KeyRecord): void {
    this.#record = record;
    this.ctx.storage.kv.put("record", record);
  }
}

/** What is owed lies in one value, which holds 2 MB. */
const shortenDetail = ({ detail }: KeyAct): Pick<KeyAct, "detail"> => (detail ? { detail: shorten(detail) } : {});

/** Whether a digest is that of the key's present secret, or of an earlier one that still works. */
const opensWith = (record: KeyRecord, digest: string, nowMs: number): boolean =>
  [record, ...livePriors(record, nowMs)].some((secret) => equalInConstantTime(secret.digest, digest));
