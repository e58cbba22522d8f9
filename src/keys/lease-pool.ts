// The prepaid tokens of one key and bucket in one isolate. Callers that find none share one request for a lease; a lease
// that is being used is renewed in the background before it runs out, so that a warm call waits for nobody.

import type { WaitUntil } from "../env.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import { jitter, randomText } from "../lib/random.ts";
import type { KeyFacts, LeaseAnswer, LeaseRequest } from "./key-record.ts";
import { prepaidMax } from "./lease.ts";
import type { Rate } from "./token-bucket.ts";

export type Admission =
  | { status: "admitted"; facts: KeyFacts }
  | { status: "limited"; facts: KeyFacts; rate: Rate; retryAfterMs: number }
  | { status: "refused" }
  | { status: "unavailable" };

export type LeaseAsk = Required<Pick<LeaseRequest, "need" | "want" | "holder" | "left">>;
export type RequestLease = (ask: LeaseAsk) => Promise<LeaseAnswer>;

interface Grant {
  tokens: number;
  expiresAtMs: number;
}

interface Waiter {
  /** How many leases had been answered when it last looked. */
  answers: number;
}

type Verdict = { facts: KeyFacts; rate: Rate } | "refused";

export class LeasePool {
  readonly #holder = randomText(8);
  #grants: Grant[] = [];
  /** What the last answer said of the key, and for how long that holds. */
  #verdict: { value: Verdict; expiresAtMs: number } | undefined;
  #denial: { retryAtMs: number; expiresAtMs: number } | undefined;
  #pending: { answered: Promise<boolean>; startedAtMs: number } | undefined;
  readonly #waiters = new Set<Waiter>();
  /** Leases that were answered so far. */
  #answers = 0;
  /** Nothing was to be had ahead of need lately: no asking again before. */
  #restUntilMs = 0;
  /** Calls paid in the current and the previous span of a lease's life. */
  #taken = { spanAtMs: 0, now: 0, before: 0 };

  /** Pays one token. `requestLease` is called only when none is left, or in the background to renew. */
  async admit(requestLease: RequestLease, waitUntil: WaitUntil, now: () => number): Promise<Admission> {
    const waiter: Waiter = { answers: this.#answers };
    try {
      for (let round = 0; round < LIMITS.leaseRounds; round++) {
        // Who is woken late was taken for gone, and is not.
        this.#waiters.add(waiter);
        waiter.answers = this.#answers;
        const admission = this.#tryAdmit(now());
        if (admission) {
          if (admission.status === "admitted") this.#renewEarly(requestLease, waitUntil, now);
          return admission;
        }
        const answered = await this.#join(requestLease, waitUntil, now);
        if (!answered) return { status: "unavailable" };
      }
      return { status: "unavailable" };
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  #tryAdmit(nowMs: number): Admission | undefined {
    const verdict = this.#verdict && this.#verdict.expiresAtMs > nowMs ? this.#verdict.value : undefined;
    if (verdict === "refused") return { status: "refused" };
    if (verdict === undefined) return undefined;
    this.#grants = this.#grants.filter(({ tokens, expiresAtMs }) => tokens > 0 && expiresAtMs > nowMs);
    const [oldest] = this.#grants;
    if (oldest) {
      oldest.tokens--;
      this.#countTaken(nowMs);
      return { status: "admitted", facts: verdict.facts };
    }
    if (!this.#denial || this.#denial.expiresAtMs <= nowMs) return undefined;
    const retryAfterMs = Math.max(1, this.#denial.retryAtMs - nowMs);
    return { status: "limited", facts: verdict.facts, rate: verdict.rate, retryAfterMs };
  }

  /** Waits for the lease under way, or starts one; whether it was answered in time. */
  #join(requestLease: RequestLease, waitUntil: WaitUntil, now: () => number): Promise<boolean> {
    const pending =
      this.#underWay(now()) ?? this.#start(requestLease, waitUntil, now, Math.max(1, this.#countWaiters()));
    return withDeadline(pending, LIMITS.leaseTimeoutMs, "lease").catch(() => false);
  }

  /** A request that is cut off takes the lease it asked for with it: nobody waits for one without an end. */
  #underWay(nowMs: number): Promise<boolean> | undefined {
    const pending = this.#pending;
    return pending && nowMs - pending.startedAtMs < LIMITS.leaseTimeoutMs ? pending.answered : undefined;
  }

  #start(requestLease: RequestLease, waitUntil: WaitUntil, now: () => number, need: number): Promise<boolean> {
    const startedAtMs = now();
    const left = this.#left();
    const want = Math.max(0, this.#expected() - left);
    const ask = { need, want: need + want, holder: this.#holder, left };
    const answered: Promise<boolean> = requestLease(ask).then(
      (answer) => this.#settle(answered, answer, startedAtMs, now()),
      () => this.#settle(answered, undefined, startedAtMs, now()),
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
    if (!answer || nowMs >= startedAtMs + LIMITS.leaseLifeMs) return false;
    this.#store(answer, startedAtMs, nowMs);
    return true;
  }

  /** A lease's life begins when it was asked for: the bound on what is admitted holds however slow the answer is. */
  #store(answer: LeaseAnswer, startedAtMs: number, nowMs: number): void {
    const expiresAtMs = startedAtMs + LIMITS.leaseLifeMs;
    if (answer.status !== "active") {
      this.#grants = [];
      this.#verdict = { value: "refused", expiresAtMs };
      return;
    }
    const { facts, rate, tokens, retryAfterMs } = answer;
    this.#verdict = { value: { facts, rate }, expiresAtMs };
    if (tokens > 0) this.#grants.push({ tokens, expiresAtMs });
    else this.#restUntilMs = nowMs + LIMITS.denialFloorMs;
    this.#denial = undefined;
    if (retryAfterMs === 0) return;
    // A bucket that is full again before the floor is over would spill what its key is due.
    const fillMs = Math.ceil((rate.burst * 60_000) / rate.perMinute);
    const floorMs = Math.min(jitter(LIMITS.denialFloorMs, 2 * LIMITS.denialFloorMs), fillMs);
    const heldMs = Math.min(Math.max(retryAfterMs, floorMs), LIMITS.leaseLifeMs);
    this.#denial = { retryAtMs: nowMs + retryAfterMs, expiresAtMs: nowMs + heldMs };
  }

  /** Asks for more in the background before what is left is used up or over, where the rate allows prepaying at all. */
  #renewEarly(requestLease: RequestLease, waitUntil: WaitUntil, now: () => number): void {
    if (this.#underWay(now()) || this.#verdict === undefined || this.#verdict.value === "refused") return;
    if (prepaidMax(this.#verdict.value.rate) < 1) return;
    const nowMs = now();
    if (nowMs < this.#restUntilMs || (this.#denial && this.#denial.expiresAtMs > nowMs)) return;
    const left = this.#left();
    const endsAtMs = Math.max(0, ...this.#grants.map(({ expiresAtMs }) => expiresAtMs));
    const enough = left > this.#expected() / 4 && endsAtMs - nowMs > LIMITS.leaseLifeMs / 2;
    if (!enough) void this.#start(requestLease, waitUntil, now, Math.max(0, this.#countWaiters() - 1 - left));
  }

  #left(): number {
    return this.#grants.reduce((sum, { tokens }) => sum + tokens, 0);
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
