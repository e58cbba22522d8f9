// What a key's object has given out: buckets and the day's quota, which are stored before a lease is answered, so that
// neither an eviction nor a killed runtime gives anything back; and what is prepaid, for which memory is enough.

import { LIMITS } from "../lib/limits.ts";
import { LruMap } from "../lib/lru-map.ts";
import { randomText } from "../lib/random.ts";
import { accountsOf, type AccountState, type KeyRecord, type LeaseRequest } from "./key-record.ts";
import { DAY, dayOf, grantLease, type Account, type Grant } from "./lease.ts";
import { PrepaidTokens } from "./prepaid-tokens.ts";
import { fullBucket, type Bucket } from "./token-bucket.ts";

/** The part of an object's storage that a ledger needs. */
export interface LedgerStore {
  get<T>(name: string): T | undefined;
  put(name: string, value: unknown): void;
}

/** Tokens of a day. */
interface DayUse {
  day: number;
  used: number;
}

interface OpenGrant {
  day: number;
  calls: number;
  charge: number;
}

export interface Payment {
  calls: number;
  dry: Grant["dry"];
  /** What was paid from, as it stands now. */
  accounts: AccountState[];
  /** Names the payment to whoever gives back what it did not use of a day's quota. */
  grant?: string;
}

export class KeyLedger {
  readonly #store: LedgerStore;
  readonly #buckets = new Map<string, Bucket>();
  readonly #prepaid = new Map<string, PrepaidTokens>();
  readonly #open = new LruMap<string, OpenGrant>(LIMITS.openGrants);

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  /** Pays for calls out of all that the record says they cost. */
  pay(record: KeyRecord, request: LeaseRequest, nowMs: number): Payment {
    const { cost = 1, left = 0, holder = "", need } = request;
    const rates = accountsOf(record, request);
    const accounts = rates.map(({ name, rate }): Account => {
      const prepaid = this.#prepaidOf(name).readOthers(holder, nowMs) + left * Math.min(cost, rate.burst);
      return { name, rate, prepaid, bucket: this.#readBucket(name) ?? fullBucket(rate, nowMs) };
    });
    const perDay = request.bucket === "calls" ? record.perDay : undefined;
    const use = perDay === undefined ? undefined : this.#takeBack(request.unused ?? [], nowMs);
    const quota = perDay === undefined || !use ? undefined : { perDay, used: use.used };
    const paid = grantLease({ accounts, quota, cost }, request, nowMs);
    for (const [index, { name, rate }] of accounts.entries()) {
      this.#writeBucket(name, paid.buckets[index] ?? fullBucket(rate, nowMs));
      this.#prepaidOf(name).write(holder, (left + paid.calls - need) * Math.min(cost, rate.burst), nowMs);
    }
    const states = accounts.map(({ name, rate }, index) => ({
      name,
      limit: rate,
      left: Math.floor(paid.buckets[index]?.tokens ?? 0),
    }));
    if (!quota || !use) return { calls: paid.calls, dry: paid.dry, accounts: states };
    this.#store.put("quota", { day: use.day, used: paid.used } satisfies DayUse);
    const day: AccountState = {
      name: DAY,
      limit: { perDay: quota.perDay },
      left: Math.max(0, quota.perDay - paid.used),
    };
    const grant = this.#openGrant({ day: use.day, calls: paid.calls, charge: Math.min(cost, quota.perDay) });
    return { calls: paid.calls, dry: paid.dry, accounts: [...states, day], ...(grant !== undefined && { grant }) };
  }

  /** Tokens of the day's quota that are gone. */
  readUsed(nowMs: number): number {
    return this.#readUse(nowMs).used;
  }

  /**
   * Unlike buckets, a day has no second chance: what a lease did not use comes back, once. Whoever gives it back can't
   * spend it any more, and a grant that is not remembered is not believed.
   */
  #takeBack(unused: NonNullable<LeaseRequest["unused"]>, nowMs: number): DayUse {
    const use = this.#readUse(nowMs);
    let { used } = use;
    for (const { grant, calls } of unused) {
      const open = this.#open.get(grant);
      this.#open.delete(grant);
      if (open?.day === use.day) used -= Math.min(calls, open.calls) * open.charge;
    }
    return { day: use.day, used };
  }

  #readUse(nowMs: number): DayUse {
    const day = dayOf(nowMs);
    const use = this.#store.get<DayUse>("quota");
    // A clock that went back stays in the day that it was in.
    return use && use.day >= day ? use : { day, used: 0 };
  }

  #openGrant(open: OpenGrant): string | undefined {
    if (open.calls === 0) return undefined;
    const name = randomText(10);
    this.#open.set(name, open);
    return name;
  }

  #prepaidOf(name: string): PrepaidTokens {
    const prepaid = this.#prepaid.get(name) ?? new PrepaidTokens();
    this.#prepaid.set(name, prepaid);
    return prepaid;
  }

  #readBucket(name: string): Bucket | undefined {
    return this.#buckets.get(name) ?? this.#store.get<Bucket>(`bucket:${name}`);
  }

  #writeBucket(name: string, bucket: Bucket): void {
    this.#buckets.set(name, bucket);
    this.#store.put(`bucket:${name}`, bucket);
  }
}
