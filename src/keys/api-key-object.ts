// One object a key: its record and its buckets. Both are written before a lease is answered, so that neither an
// eviction nor a killed runtime gives back what was spent.

import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env.ts";
import { equalInConstantTime } from "../lib/signing.ts";
import { factsOf, rateOf, statusOf, type BucketName, type KeyRecord } from "./key-record.ts";
import type { KeyStatus, LeaseAnswer, LeaseRequest, SessionNote } from "./key-record.ts";
import { grantLease } from "./lease.ts";
import { PrepaidTokens } from "./prepaid-tokens.ts";
import { readNotes, writeNote } from "./session-notes.ts";
import { fullBucket, type Bucket } from "./token-bucket.ts";

export class ApiKey extends DurableObject<Env> {
  #record: KeyRecord | undefined;
  readonly #buckets = new Map<BucketName, Bucket>();
  readonly #prepaid: Record<BucketName, PrepaidTokens> = { calls: new PrepaidTokens(), control: new PrepaidTokens() };

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#record = ctx.storage.kv.get<KeyRecord>("record");
  }

  /** Stores a new key; one that is there already stays as it is. */
  create(record: KeyRecord): void {
    if (this.#record) return;
    this.#write(record);
  }

  /** The key as it stands; `undefined` when there is none. */
  read(): { record: KeyRecord; status: KeyStatus } | undefined {
    return this.#record && { record: this.#record, status: statusOf(this.#record, Date.now()) };
  }

  /** Ends the key for good. Answers whether there was one. */
  revoke(): boolean {
    if (!this.#record) return false;
    if (this.#record.revokedAtMs === undefined) this.#write({ ...this.#record, revokedAtMs: Date.now() });
    return true;
  }

  /** Status, rules and prepaid tokens in one call. */
  lease({ digest, bucket, need, want, holder = "", left = 0, notesSeen = 0 }: LeaseRequest): LeaseAnswer {
    const nowMs = Date.now();
    const record = this.#record;
    if (!record || !equalInConstantTime(record.digest, digest)) return { v: 1, status: "unknown" };
    const status = statusOf(record, nowMs);
    if (status !== "active") return { v: 1, status };
    const rate = rateOf(record, bucket);
    const prepaid = this.#prepaid[bucket].readOthers(holder, nowMs) + left;
    const grant = grantLease(this.#readBucket(bucket) ?? fullBucket(rate, nowMs), rate, { need, want, prepaid }, nowMs);
    this.#writeBucket(bucket, grant.bucket);
    this.#prepaid[bucket].write(holder, left + grant.tokens - need, nowMs);
    return {
      v: 1,
      status,
      facts: factsOf(record),
      rate,
      tokens: grant.tokens,
      retryAfterMs: grant.retryAfterMs,
      notes: readNotes(this.ctx.storage.sql, notesSeen, nowMs),
    };
  }

  /** Remembers that a session ended or which log level it wants. `undefined` when the key has too many notes. */
  noteSession(note: Omit<SessionNote, "seq">): SessionNote | undefined {
    return writeNote(this.ctx.storage.sql, note, Date.now());
  }

  #write(record: KeyRecord): void {
    this.#record = record;
    this.ctx.storage.kv.put("record", record);
  }

  #readBucket(name: BucketName): Bucket | undefined {
    return this.#buckets.get(name) ?? this.ctx.storage.kv.get<Bucket>(`bucket:${name}`);
  }

  #writeBucket(name: BucketName, bucket: Bucket): void {
    this.#buckets.set(name, bucket);
    this.ctx.storage.kv.put(`bucket:${name}`, bucket);
  }
}
