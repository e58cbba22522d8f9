// The prepaid calls of one key in one isolate that are paid from the same buckets at the same cost. Callers that find
// none share one request for a lease; a lease that is being used is renewed in the background before it runs out, so
// that a warm call waits for nobody.

import type { WaitUntil } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import { isOverloaded } from "../lib/out-of-reach.ts";
import { jitter, randomText } from "../lib/random.ts";
import type { AccountState, KeyFacts, LeaseAnswer, LeaseRequest } from "./key-record.ts";
import type { Denial, KeyStanding } from "./key-standing.ts";
import { prepaidMax } from "./lease.ts";

/** What a request was paid from, as of the lease that paid for it, and the calls that are prepaid besides. */
export interface Receipt {
  accounts: readonly AccountState[];
  prepaid: number;
  cost: number;
}

/** `undo` takes back a payment for what is not done after all. */
export type Admission =
  | { status: "admitted"; facts: KeyFacts; receipt: Receipt; undo: () => void }
  | { status: "limited"; denial: Denial; receipt: Receipt }
  | { status: "refused" }
  | { status: "unavailable" }
  /** The key's facts are others by now than those that the cost is by. */
  | { status: "outdated" };

export type LeaseAsk = Required<Pick<LeaseRequest, "need" | "want" | "hungry" | "holder" | "left" | "unused">>;
export type RequestLease = (ask: LeaseAsk) => Promise<LeaseAnswer>;

interface Grant {
  calls: number;
  expiresAtMs: number;
  /** Set where what is not used can be given back. */
  name: string | undefined;
}

interface Waiter {
  /** How many leases had been answered when it last looked. */
  answers: number;
}

const MAX_FAILURES = 2;

export class LeasePool {
  readonly #holder = randomText(8);
  readonly #standing: KeyStanding;
  readonly #cost: number;
  #accounts: readonly AccountState[] = [];
  /** Calls that one lease may prepay at most, as its rates are. */
  #mostAhead: number = LIMITS.leaseTokens;
  #grants: Grant[] = [];
  #unused: LeaseAsk["unused"] = [];
  #pending: { answered: Promise<boolean>; startedAtMs: number } | undefined;
  readonly #waiters = new Set<Waiter>();
  /** Leases that were answered so far. */
  #answers = 0;
  /** Nothing was to be had ahead of need lately: no asking again before. */
  #restUntilMs = 0;
  /** The object could not be asked a moment ago: who comes meanwhile need not wait for the same. */
  #unreachableUntilMs = 0;
  /** Leases in a row that were not answered. One may be a deploy, and is asked for again at once. */
  #failures = 0;
  /** Callers that were refused since the last request for a lease. */
  #turnedAway = 0;
  /** Calls paid in the current and the previous span of a lease's life. */
  #taken = { spanAtMs: 0, now: 0, before: 0 };

  constructor(standing: KeyStanding, cost: number) {
    this.#standing = standing;
    this.#cost = cost;
  }

  /**
   * Pays for one call. `requestLease` is called only when none is left, or in the background to renew. `isCurrent` says
   * whether the call is still to be paid from here, at this cost.
   */
  async admit(
    requestLease: RequestLease,
    waitUntil: WaitUntil,
    now: () => number,
    isCurrent: () => boolean = () => true,
  ): Promise<Admission> {
    const waiter: Waiter = { answers: this.#answers };
    try {
      for (let round = 0; round < LIMITS.leaseRounds; round++) {
        if (!isCurrent()) return { status: "outdated" };
        // Who is woken late was taken for gone, and is not.
        this.#waiters.add(waiter);
        waiter.answers = this.#answers;
        const admission = this.#tryAdmit(now());
        if (admission) {
          this.#waiters.delete(waiter);
          if (admission.status === "admitted") this.#renewEarly(requestLease, waitUntil, now);
          return admission;
        }
        const answered = await this.#join(requestLease, waitUntil, now);
        if (!answered && now() < this.#unreachableUntilMs) return { status: "unavailable" };
      }
      return { status: "unavailable" };
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  /** Pays for one call out of what is prepaid; `undefined` where a lease has to be asked for, be it in the background. */
  admitAtOnce(nowMs: number): Extract<Admission, { status: "admitted" }> | undefined {
    if (this.#standing.isRefused(nowMs) || this.#standing.trusted(nowMs) === undefined) return undefined;
    if (!this.#hasCall(nowMs) || this.#isRenewalDue(nowMs, this.#left() - 1)) return undefined;
    const admission = this.#tryAdmit(nowMs);
    return admission?.status === "admitted" ? admission : undefined;
  }

  /** Whether the next call would be paid by a grant that is good, with none before it to clear away. */
  #hasCall(nowMs: number): boolean {
    const [oldest] = this.#grants;
    return oldest !== undefined && oldest.calls > 0 && oldest.expiresAtMs > nowMs;
  }

  #tryAdmit(nowMs: number): Admission | undefined {
    if (this.#standing.isRefused(nowMs)) return { status: "refused" };
    const facts = this.#standing.trusted(nowMs);
    if (facts === undefined) return undefined;
    this.#dropExpired(nowMs);
    const [oldest] = this.#grants;
    if (oldest) {
      oldest.calls--;
      this.#countTaken(nowMs);
      return { status: "admitted", facts, receipt: this.#writeReceipt(), undo: () => this.#putBack(oldest) };
    }
    const denial = this.#standing.findDenial(this.#accounts, this.#cost, nowMs);
    if (!denial) return undefined;
    this.#turnedAway++;
    return { status: "limited", denial, receipt: this.#writeReceipt() };
  }

  #putBack(grant: Grant): void {
    grant.calls++;
    if (!this.#grants.includes(grant)) this.#grants.push(grant);
  }

  /** What is over was paid for nothing; where the object takes that back, it is told with the next request. */
  #dropExpired(nowMs: number): void {
    if (this.#grants.every(({ calls, expiresAtMs }) => calls > 0 && expiresAtMs > nowMs)) return;
    const kept: Grant[] = [];
    for (const grant of this.#grants) {
      if (grant.calls === 0) continue;
      if (grant.expiresAtMs > nowMs) kept.push(grant);
      else if (grant.name !== undefined) this.#unused.push({ grant: grant.name, calls: grant.calls });
    }
    this.#grants = kept;
  }

  /** Waits for the lease under way, or starts one; whether it was answered in time. */
  #join(requestLease: RequestLease, waitUntil: WaitUntil, now: () => number): Promise<boolean> {
    const nowMs = now();
    if (nowMs < this.#unreachableUntilMs) return Promise.resolve(false);
    const pending =
      this.#underWay(nowMs) ?? this.#start(requestLease, waitUntil, now, Math.max(1, this.#countWaiters()));
    return withDeadline(pending, LIMITS.leaseTimeoutMs, "lease").catch(() => {
      this.#noteUnreachable(now());
      return false;
    });
  }

  /** A request that is cut off takes the lease it asked for with it: nobody waits for one without an end. */
  #underWay(nowMs: number): Promise<boolean> | undefined {
    const pending = this.#pending;
    return pending && nowMs - pending.startedAtMs < LIMITS.leaseTimeoutMs ? pending.answered : undefined;
  }

  #start(requestLease: RequestLease, waitUntil: WaitUntil, now: () => number, need: number): Promise<boolean> {
    const startedAtMs = now();
    this.#dropExpired(startedAtMs);
    const left = this.#left();
    const want = need + Math.max(0, this.#expected() - left, this.#turnedAway);
    const hungry = this.#turnedAway > 0;
    this.#turnedAway = 0;
    const ask = { need, want, hungry, holder: this.#holder, left, unused: this.#unused.splice(0) };
    const answered: Promise<boolean> = requestLease(ask).then(
      (answer) => this.#settle(answered, answer, startedAtMs, now()),
      (error: unknown) => {
        if (isOverloaded(error)) this.#failures = MAX_FAILURES;
        return this.#settle(answered, undefined, startedAtMs, now());
      },
    );
    this.#pending = { answered, startedAtMs };
    waitUntil(answered);
    return answered;
  }

  /** Those who were woken by the last lease or came since. Who was cut off is never woken, and runs no `finally` either. */
  #countWaiters(): number {
    for (const waiter of this.#waiters) if (waiter.answers < this.#answers - 1) this.#waiters.delete(waiter);
    return this.#waiters.size;
  }

  #settle(answered: Promise<boolean>, answer: LeaseAnswer | undefined, startedAtMs: number, nowMs: number): boolean {
    this.#answers++;
    if (this.#pending?.answered === answered) this.#pending = undefined;
    // An answer that took longer than a lease lives says nothing about now.
    if (!answer || nowMs >= startedAtMs + LIMITS.leaseLifeMs) {
      if (++this.#failures >= MAX_FAILURES) this.#noteUnreachable(nowMs);
      return false;
    }
    this.#failures = 0;
    this.#unreachableUntilMs = 0;
    this.#store(answer, startedAtMs, nowMs);
    return true;
  }

  #noteUnreachable(nowMs: number): void {
    this.#unreachableUntilMs = nowMs + jitter(LIMITS.denialFloorMs, 2 * LIMITS.denialFloorMs);
  }

  #store(answer: LeaseAnswer, startedAtMs: number, nowMs: number): void {
    if (answer.status !== "active") {
      this.#grants = [];
      this.#standing.refuse(startedAtMs);
      return;
    }
    const { facts, accounts, tokens, grant } = answer;
    this.#standing.accept(facts, startedAtMs);
    if (answer.outdated) return;
    this.#accounts = accounts;
    this.#mostAhead = this.#readMostAhead(accounts);
    const expiresAtMs = startedAtMs + LIMITS.leaseLifeMs;
    if (tokens > 0) this.#grants.push({ calls: tokens, expiresAtMs, name: grant });
    else this.#restUntilMs = nowMs + LIMITS.denialFloorMs;
    for (const { name } of accounts) this.#standing.allow(name);
    const dry = accounts.find(({ name }) => name === answer.dry);
    if (dry) this.#deny(dry, answer.retryAfterMs, nowMs);
  }

  #deny(account: AccountState, retryAfterMs: number, nowMs: number): void {
    const { limit } = account;
    // A bucket that is full again before the floor is over would spill what its key is due.
    const fillMs = "burst" in limit ? Math.ceil((limit.burst * 60_000) / limit.perMinute) : Infinity;
    const floorMs = Math.min(jitter(LIMITS.denialFloorMs, 2 * LIMITS.denialFloorMs), fillMs);
    const heldMs = Math.min(Math.max(retryAfterMs, floorMs), LIMITS.leaseLifeMs);
    this.#standing.deny(account, this.#cost, nowMs + retryAfterMs, nowMs + heldMs);
  }

  /** Asks for more in the background before what is left is used up or over, where the rates allow prepaying at all. */
  #renewEarly(requestLease: RequestLease, waitUntil: WaitUntil, now: () => number): void {
    const left = this.#left();
    if (!this.#isRenewalDue(now(), left)) return;
    void this.#start(requestLease, waitUntil, now, Math.max(0, this.#countWaiters() - left));
  }

  #isRenewalDue(nowMs: number, left: number): boolean {
    const endsAtMs = this.#grants.reduce((latest, { expiresAtMs }) => Math.max(latest, expiresAtMs), 0);
    // Of what a lease can give, where more is used than that: else each call would have the next one asked for.
    const few = Math.min(this.#expected(), this.#mostAhead) / 4;
    if (left > few && endsAtMs - nowMs > LIMITS.leaseLifeMs / 2) return false;
    if (this.#underWay(nowMs) || this.#mostAhead < 1 || nowMs < this.#unreachableUntilMs) return false;
    return nowMs >= this.#restUntilMs && !this.#standing.findDenial(this.#accounts, this.#cost, nowMs);
  }

  #readMostAhead(accounts: readonly AccountState[]): number {
    const each = accounts.map(({ limit }) =>
      "burst" in limit ? Math.floor(prepaidMax(limit) / Math.min(this.#cost, limit.burst)) : LIMITS.leaseTokens,
    );
    return Math.min(LIMITS.leaseTokens, ...each);
  }

  #writeReceipt(): Receipt {
    return { accounts: this.#accounts, prepaid: this.#left(), cost: this.#cost };
  }

  #left(): number {
    return this.#grants.reduce((sum, { calls }) => sum + calls, 0);
  }

  /** Twice what was used in a lease's life lately. */
  #expected(): number {
    return 2 * Math.max(this.#taken.now, this.#taken.before);
  }

  #countTaken(nowMs: number): void {
    const spans = Math.floor((nowMs - this.#taken.spanAtMs) / LIMITS.leaseLifeMs);
    if (spans > 0) this.#taken = { spanAtMs: nowMs, now: 0, before: spans === 1 ? this.#taken.now : 0 };
    this.#taken.now++;
  }
}
