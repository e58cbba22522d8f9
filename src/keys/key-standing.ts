// What the last answers of a key's object said of the key, for all that one isolate has prepaid of it.

import { LIMITS } from "../lib/limits.ts";
import type { AccountState, KeyFacts } from "./key-record.ts";

/** Why a request is not paid for: the account that ran dry, and how long until it has a call again. */
export interface Denial {
  account: AccountState;
  retryAfterMs: number;
}

interface HeldDenial {
  account: AccountState;
  cost: number;
  retryAtMs: number;
  expiresAtMs: number;
}

export class KeyStanding {
  /** The facts of the last answer, and when it was asked for. */
  #known: { facts: KeyFacts; askedAtMs: number } | undefined;
  #refusedUntilMs = 0;
  #trustedUntilMs = 0;
  readonly #denials = new Map<string, HeldDenial>();

  /** The newest facts, however old; `undefined` when the key was never heard of, or refused last. */
  get lastKnown(): { facts: KeyFacts; askedAtMs: number } | undefined {
    return this.#known;
  }

  /** A lease's life begins when it was asked for: the bound on what is admitted holds however slow the answer is. */
  accept(facts: KeyFacts, askedAtMs: number): void {
    // Answers can overtake each other.
    if (!this.#known || askedAtMs >= this.#known.askedAtMs) this.#known = { facts, askedAtMs };
    this.#trustedUntilMs = Math.max(this.#trustedUntilMs, askedAtMs + LIMITS.leaseLifeMs);
    this.#refusedUntilMs = 0;
  }

  refuse(askedAtMs: number): void {
    this.#known = undefined;
    this.#trustedUntilMs = 0;
    this.#refusedUntilMs = askedAtMs + LIMITS.leaseLifeMs;
  }

  /** What was said holds no longer: the object is asked before the next request. */
  doubt(): void {
    this.#trustedUntilMs = 0;
  }

  isRefused(nowMs: number): boolean {
    return nowMs < this.#refusedUntilMs;
  }

  /** The facts, while they may be relied on. */
  trusted(nowMs: number): KeyFacts | undefined {
    return nowMs < this.#trustedUntilMs ? this.#known?.facts : undefined;
  }

  /** Keeps what ran dry, for every request that is paid from it and costs as much. */
  deny(account: AccountState, cost: number, retryAtMs: number, expiresAtMs: number): void {
    this.#denials.set(account.name, { account, cost, retryAtMs, expiresAtMs });
  }

  /** Forgets that an account was dry: it has paid since. */
  allow(account: string): void {
    this.#denials.delete(account);
  }

  findDenial(accounts: readonly AccountState[], cost: number, nowMs: number): Denial | undefined {
    for (const { name } of accounts) {
      const denial = this.#denials.get(name);
      if (!denial || denial.expiresAtMs <= nowMs || denial.cost > cost) continue;
      const retryAfterMs = denial.retryAtMs - nowMs + waitForMore(denial, cost);
      return { account: denial.account, retryAfterMs: Math.max(1, retryAfterMs) };
    }
    return undefined;
  }
}

/** How much longer it takes until what costs more can be paid. */
function waitForMore({ account: { limit }, cost }: HeldDenial, wanted: number): number {
  if (!("burst" in limit)) return 0;
  const more = Math.min(wanted, limit.burst) - Math.min(cost, limit.burst);
  return Math.ceil((more * 60_000) / limit.perMinute);
}
