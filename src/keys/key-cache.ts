// The keys that one isolate knows: whose MAC was checked, what each has prepaid, and what is noted of its sessions.
// Bounded; a flood of bad keys leaves no trace in it, because only minted keys get in.

import { apiKeyStub, signingSecrets, type Env, type WaitUntil } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { LruMap } from "../lib/lru-map.ts";
import { logFailure } from "../telemetry/log.ts";
import { verifyKey, type VerifiedKey } from "./key-format.ts";
import { editionOf, type BucketName, type KeyFacts, type LeaseAnswer, type SessionNote } from "./key-record.ts";
import { KeyStanding, type Denial } from "./key-standing.ts";
import { LeasePool, type Admission, type LeaseAsk, type Receipt } from "./lease-pool.ts";
import { SlotPool } from "./slot-pool.ts";
import { refillBucket, type Bucket } from "./token-bucket.ts";
import { matchesGlob } from "./tool-rules.ts";

export type KeyHandle = Pick<VerifiedKey, "keyId" | "digest">;

/** What a request costs. */
export interface Price {
  bucket: BucketName;
  /** The tool that is called. */
  tool?: string;
  /** Tokens, 1 without it. */
  cost?: number;
  /** Whether it needs a key that was checked just now, because it may do what can't be undone. */
  failsClosed?: boolean;
}

/** The price of a call, which a key must not learn of a tool that is hidden from it. */
export interface Pricing {
  /** By what is known of the key. */
  priceFor: (facts: KeyFacts) => Price;
  /** What it takes from any key, where that is the same for all: the key need not be known beforehand. */
  charge?: Price;
}

export const CONTROL: Price = { bucket: "control" };
/** What stays open for hours outlives any doubt: its key was checked. */
export const OPENING: Price = { bucket: "control", failsClosed: true };
export const ADMIN_READ: Price = { bucket: "control", failsClosed: true };
export const ADMIN_WRITE: Price = { bucket: "writes", failsClosed: true };

/** `leave` must be called when an admitted call is over. */
export type Entrance =
  | { status: "admitted"; facts: KeyFacts; receipt?: Receipt; leave?: () => void }
  | { status: "limited"; denial: Denial; receipt?: Receipt }
  | { status: "refused" }
  | { status: "unavailable" };

/** Which pool pays for what, as long as the facts are the same. */
interface Route {
  facts: KeyFacts;
  pools: Map<string, LeasePool>;
}

interface Entry {
  route: Route | undefined;
  standing: KeyStanding;
  pools: LruMap<string, LeasePool>;
  slots: SlotPool;
  /** What is served while the key's object can't be asked. */
  trickle: Bucket;
  notes: Map<string, SessionNote>;
  notesSeen: number;
}

export class KeyCache {
  readonly #verified = new LruMap<string, VerifiedKey>(LIMITS.leasedKeys);
  readonly #entries = new LruMap<string, Entry>(LIMITS.leasedKeys);

  /** A key that was checked before, with nothing to work out. */
  recall(key: string): VerifiedKey | undefined {
    return this.#verified.get(key);
  }

  /** Checks that this server minted a key; asks nobody. */
  async verify(env: Env, key: string): Promise<VerifiedKey | undefined> {
    const known = this.recall(key);
    if (known) return known;
    const verified = key.length > LIMITS.keyChars ? undefined : await verifyKey(signingSecrets(env), key);
    return verified && this.#verified.set(key, verified);
  }

  /** Pays what a request costs out of what is prepaid; `undefined` where anybody has to be asked. */
  admitAtOnce(key: KeyHandle, price: Price | Pricing): Entrance | undefined {
    return admitAtOnce(this.#entryOf(key), price, Date.now());
  }

  /** Pays what a request costs, with no object call while the isolate holds a lease. */
  async admit(env: Env, key: KeyHandle, price: Price | Pricing, waitUntil: WaitUntil): Promise<Entrance> {
    const atOnce = this.admitAtOnce(key, price);
    if (atOnce) return atOnce;
    const entry = this.#entryOf(key);
    const isCall = "priceFor" in price || price.bucket === "calls";
    if (entry.standing.isRefused(Date.now())) return { status: "refused" };
    const limit = entry.standing.lastKnown?.facts.concurrent;
    const early = isCall && limit !== undefined ? await enter(env, key, entry, limit, waitUntil) : undefined;
    if (early && "status" in early) return early;
    const admission = await this.#pay(env, key, entry, price, waitUntil);
    if (admission.status !== "admitted") {
      early?.leave();
      return admission.status === "unavailable" ? trickleThrough(entry, price) : admission;
    }
    const { facts, receipt, undo } = admission;
    if (!isCall || early || facts.concurrent === undefined) return { status: "admitted", facts, receipt, ...early };
    // The first call of a key: only now it is known that its running calls are bounded.
    const late = await enter(env, key, entry, facts.concurrent, waitUntil);
    if ("status" in late) undo();
    return "status" in late ? late : { status: "admitted", facts, receipt, ...late };
  }

  /** What is noted of a session, as of the key's last lease. */
  readNote(key: KeyHandle, sessionId: string): SessionNote | undefined {
    return this.#entryOf(key).notes.get(sessionId);
  }

  /** Notes something of a session for all isolates; whether there was room for it. */
  async writeNote(env: Env, key: KeyHandle, note: Omit<SessionNote, "seq">): Promise<boolean> {
    const written = await apiKeyStub(env, key.keyId).noteSession(note);
    // Known here at once, elsewhere with the next lease. Notes between the last one seen and this are still to come.
    if (written) addNote(this.#entryOf(key), written);
    return written !== undefined;
  }

  /** Has the key's next request ask its object: its facts are known to be outdated. */
  doubt(key: KeyHandle): void {
    this.#entryOf(key).standing.doubt();
  }

  /** Forgets what is known of a key; its next request asks anew. */
  forget({ digest }: KeyHandle): void {
    this.#entries.delete(digest);
  }

  /** A call is priced by the facts that its key's object has, too: one that changed meanwhile pays nothing by the old. */
  async #pay(
    env: Env,
    key: KeyHandle,
    entry: Entry,
    price: Price | Pricing,
    waitUntil: WaitUntil,
  ): Promise<Exclude<Admission, { status: "outdated" }>> {
    const fixed = "priceFor" in price ? price.charge : price;
    for (let round = 0; round < LIMITS.leaseRounds; round++) {
      const facts = entry.standing.lastKnown?.facts;
      const pricedFor = fixed ? undefined : ((facts && editionOf(facts)) ?? NOT_PRICED);
      const asked = fixed ?? (facts && "priceFor" in price ? price.priceFor(facts) : TO_LEARN);
      const admission = await this.#payFrom(env, key, entry, { ...asked, pricedFor }, waitUntil);
      if (admission.status !== "outdated") return admission;
    }
    return { status: "unavailable" };
  }

  #payFrom(
    env: Env,
    key: KeyHandle,
    entry: Entry,
    price: Price & { pricedFor: number | undefined },
    waitUntil: WaitUntil,
  ): Promise<Admission> {
    const { bucket, tool, cost = 1, pricedFor } = price;
    const { standing } = entry;
    const isCurrent = (): boolean => {
      const facts = standing.lastKnown?.facts;
      return pricedFor === undefined || pricedFor === (facts ? editionOf(facts) : NOT_PRICED);
    };
    const lease = async (ask: LeaseAsk): Promise<LeaseAnswer> => {
      const target = {
        bucket,
        ...(tool !== undefined && { tool }),
        cost,
        ...(pricedFor !== undefined && { pricedFor }),
      };
      const answer = await requestLease(env, key, { ...target, ...ask, notesSeen: entry.notesSeen });
      if ("facts" in answer) dropMisfits(entry, answer.facts);
      for (const note of "notes" in answer ? (answer.notes ?? []) : []) keepNote(entry, note);
      return answer;
    };
    const pool = pricedFor === NOT_PRICED ? learningPoolOf(entry) : poolOf(entry, price);
    return pool.admit(lease, waitUntil, Date.now, isCurrent);
  }

  /** A digest is of a whole key, its id included. */
  #entryOf({ digest }: KeyHandle): Entry {
    return (
      this.#entries.get(digest) ??
      this.#entries.set(digest, {
        route: undefined,
        standing: new KeyStanding(),
        pools: new LruMap(LIMITS.keyPools),
        slots: new SlotPool(),
        trickle: { tokens: LIMITS.tricklePerMinute, atMs: 0 },
        notes: new Map(),
        notesSeen: 0,
      })
    );
  }
}

/** No key's facts have changed so often: by this nothing is paid, and the facts are told. */
const NOT_PRICED = -1;
const TO_LEARN: Price = { bucket: "calls" };

/** Of its own, as those who wait in it for what is known of the key want nothing that others pay for. */
const learningPoolOf = ({ standing, pools }: Entry): LeasePool =>
  pools.get("facts") ?? pools.set("facts", new LeasePool(standing, 1));

/** A warm request is paid for here: nobody is asked, not even in the background. */
function admitAtOnce(entry: Entry, pricing: Price | Pricing, nowMs: number): Entrance | undefined {
  const facts = entry.standing.lastKnown?.facts;
  if (!facts) return undefined;
  const price = "priceFor" in pricing ? (pricing.charge ?? pricing.priceFor(facts)) : pricing;
  if (price.bucket === "calls" && facts.concurrent !== undefined) return undefined;
  return routeOf(entry, facts, price).admitAtOnce(nowMs);
}

/** As `poolOf`, remembered until the facts are told anew. */
function routeOf(entry: Entry, facts: KeyFacts, price: Price): LeasePool {
  const { bucket, tool, cost = 1 } = price;
  const name = tool === undefined ? bucket : `${cost} ${tool}`;
  if (entry.route?.facts !== facts) entry.route = { facts, pools: new Map() };
  const known = entry.route.pools.get(name);
  if (known) return known;
  const pool = poolOf(entry, price);
  // A pool that made room for this one must not be used any more.
  if (entry.pools.size >= LIMITS.keyPools || entry.route.pools.size >= LIMITS.keyRoutes) entry.route.pools.clear();
  entry.route.pools.set(name, pool);
  return pool;
}

/** The pool of all calls that are paid from the same buckets at the same cost. */
function poolOf({ standing, pools }: Entry, { bucket, tool, cost = 1 }: Price): LeasePool {
  const create = (name: string): LeasePool => pools.set(name, new LeasePool(standing, cost));
  if (bucket !== "calls" || tool === undefined) return pools.get(bucket) ?? create(bucket);
  const facts = standing.lastKnown?.facts;
  // Before anything is known of the key, the tool's name stands for the buckets that it is paid from.
  const first = JSON.stringify([tool, cost]);
  if (!facts) return pools.get(first) ?? create(first);
  const globs = facts.toolGlobs?.filter((glob) => matchesGlob(glob, tool)) ?? [];
  const name = `calls ${cost} ${globs.join(" ")}`;
  const known = pools.get(name);
  if (known) return known;
  const adopted = pools.get(first);
  pools.delete(first);
  return adopted ? pools.set(name, adopted) : create(name);
}

/** Once other tools have buckets of their own, what is prepaid was not paid from what it should be: at most a lease. */
function dropMisfits({ standing, pools }: Entry, { toolGlobs }: KeyFacts): void {
  const known = standing.lastKnown?.facts;
  if (known && JSON.stringify(known.toolGlobs) !== JSON.stringify(toolGlobs)) pools.clear();
}

async function enter(
  env: Env,
  { keyId }: KeyHandle,
  { slots }: Entry,
  concurrent: number,
  waitUntil: WaitUntil,
): Promise<{ leave: () => void } | Extract<Entrance, { status: "limited" | "unavailable" }>> {
  const entered = await slots.enter((request) => apiKeyStub(env, keyId).hold(request), waitUntil, Date.now);
  if (entered === "unavailable") return { status: "unavailable" };
  if (entered !== "full") return { leave: entered };
  const account = { name: CONCURRENT, limit: { concurrent }, left: 0 };
  return { status: "limited", denial: { account, retryAfterMs: LIMITS.concurrentRetryMs } };
}

/** The name of the bound on running calls among the accounts. */
export const CONCURRENT = "concurrent";

/**
 * A key that was good a moment ago is served a little while its object can't be asked, unless that could break a bound
 * that is promised exactly, or can't be undone.
 */
function trickleThrough({ standing, trickle }: Entry, pricing: Price | Pricing): Entrance {
  const nowMs = Date.now();
  const { facts, askedAtMs } = standing.lastKnown ?? {};
  const price = facts && ("priceFor" in pricing ? pricing.priceFor(facts) : pricing);
  if (!facts || price?.failsClosed || askedAtMs === undefined || nowMs >= askedAtMs + LIMITS.trickleLifeMs) {
    return { status: "unavailable" };
  }
  const isExact = facts.perDay !== undefined || facts.concurrent !== undefined;
  if (isExact || (facts.expiresAtMs ?? Infinity) <= nowMs) return { status: "unavailable" };
  const perMinute = LIMITS.tricklePerMinute;
  const { tokens, atMs } = refillBucket(trickle, { perMinute, burst: perMinute }, nowMs);
  Object.assign(trickle, { tokens: tokens < 1 ? tokens : tokens - 1, atMs });
  return tokens < 1 ? { status: "unavailable" } : { status: "admitted", facts };
}

/** A key has no more notes than the limit at a time: when there are more here, some are over. */
function addNote({ notes }: Entry, note: SessionNote): void {
  if (note.seq < (notes.get(note.sessionId)?.seq ?? 0)) return;
  notes.set(note.sessionId, note);
  if (notes.size <= LIMITS.sessionNotes) return;
  const nowMs = Date.now();
  for (const { sessionId, expiresAtMs } of notes.values()) if (expiresAtMs <= nowMs) notes.delete(sessionId);
}

function keepNote(entry: Entry, note: SessionNote): void {
  addNote(entry, note);
  entry.notesSeen = Math.max(entry.notesSeen, note.seq);
}

async function requestLease(
  env: Env,
  { keyId, digest }: KeyHandle,
  ask: LeaseAsk & { bucket: BucketName; tool?: string; cost: number; notesSeen: number; pricedFor?: number },
): Promise<LeaseAnswer> {
  try {
    return await apiKeyStub(env, keyId).lease({ v: 1, digest, ...ask });
  } catch (error) {
    logFailure("lease_failed", keyId, error);
    throw error;
  }
}
