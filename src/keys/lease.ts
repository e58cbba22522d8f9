// How many calls a lease pays for. All that a call is paid from is debited together when the lease is granted and never
// credited back to a bucket, so that admitted(w) ≤ burst + rate × (w + lease life) of each, however many isolates ask.

import { LIMITS } from "../lib/limits.ts";
import { refillBucket, waitForTokens, type Bucket, type Rate } from "./token-bucket.ts";

/** A bucket that a call is paid from. */
export interface Account {
  name: string;
  rate: Rate;
  bucket: Bucket;
  /** Tokens out of it that are prepaid to others and not over yet. */
  prepaid: number;
}

/** How many tokens a day has, and how many are gone. */
export interface DayQuota {
  perDay: number;
  used: number;
}

export interface LeaseWish {
  need: number;
  want: number;
  /** Callers were turned away for want of a lease: what is granted beyond need is used at once. */
  hungry?: boolean;
}

export interface Purse {
  accounts: readonly Account[];
  quota: DayQuota | undefined;
  /** Tokens that a call takes out of each: at most as many as it can hold. */
  cost: number;
}

export interface Grant {
  /** Calls that are paid for. */
  calls: number;
  /** The accounts' buckets afterwards, in their order. */
  buckets: Bucket[];
  /** Tokens of the day that are gone afterwards. */
  used: number;
  /** What ran dry, and how long it takes until it pays for a call again: whatever takes longest. */
  dry: { name: string; retryAfterMs: number } | undefined;
}

/** The name of the quota among the accounts. */
export const DAY = "day";
const DAY_MS = 86_400_000;

/** The day of a moment, counted in UTC. */
export const dayOf = (nowMs: number): number => Math.floor(nowMs / DAY_MS);

/**
 * The most tokens that may be prepaid at once at a rate: half of what flows in during a lease's life, so that what is
 * forfeited never keeps a bucket from filling again. 0 below 60 a minute and for bursts below 4: those stay exact.
 */
export const prepaidMax = ({ perMinute, burst }: Rate): number =>
  Math.floor(Math.min(LIMITS.leaseTokens, burst / 4, (perMinute * LIMITS.leaseLifeMs) / 60_000 / 2));

/** For the hungry all that flows in during a lease's life, where anything may be prepaid at all. */
const hungryMax = (rate: Rate): number =>
  prepaidMax(rate) < 1 ? 0 : Math.min(LIMITS.leaseTokens, (rate.perMinute * LIMITS.leaseLifeMs) / 60_000);

/**
 * Pays a lease: calls that are needed if all accounts have them; what is wanted beyond that only as far as may be
 * prepaid, out of the upper half of a bucket and a twentieth of what is left of the day, so that prepaying
 * never denies who needs, and the last calls of a day are paid one by one. The hungry may have all of a bucket: each
 * takes what flowed in since the last one asked, and need not ask for it call by call.
 */
export function grantLease(purse: Purse, { need, want, hungry = false }: LeaseWish, nowMs: number): Grant {
  const wells = purse.accounts.map((account) => wellOf(account, purse.cost, nowMs));
  const day = purse.quota && dayWellOf(purse.quota, purse.cost, nowMs);
  const all = day ? [...wells, day] : wells;
  const needed = Math.max(0, Math.min(need, ...all.map(({ calls }) => calls)));
  const ahead = Math.max(0, Math.min(want - needed, ...all.map((well) => well.readAhead(needed, hungry))));
  const calls = needed + ahead;
  let dry: Grant["dry"];
  for (const well of all) {
    if (well.calls >= Math.max(1, need) && !hungry) continue;
    const retryAfterMs = well.wait(calls);
    if (retryAfterMs > (dry?.retryAfterMs ?? 0)) dry = { name: well.name, retryAfterMs };
  }
  return { calls, buckets: wells.map((well) => well.take(calls)), used: day ? day.take(calls) : 0, dry };
}

/** What a call is paid from, counted in calls. */
interface Well<T> {
  name: string;
  calls: number;
  /** How many more may be prepaid once so many are taken. */
  readAhead: (taken: number, hungry: boolean) => number;
  /** What is left once so many are taken. */
  take: (taken: number) => T;
  /** Milliseconds from then until there is one more. */
  wait: (taken: number) => number;
}

function wellOf({ name, rate, bucket, prepaid }: Account, cost: number, nowMs: number): Well<Bucket> {
  const { tokens, atMs } = refillBucket(bucket, rate, nowMs);
  const charge = Math.min(cost, rate.burst);
  const take = (taken: number): Bucket => ({ tokens: tokens - taken * charge, atMs });
  return {
    name,
    calls: Math.floor(tokens / charge),
    readAhead: (taken, hungry) => {
      const left = tokens - taken * charge;
      const spare = hungry
        ? Math.min(hungryMax(rate) - prepaid, left)
        : Math.min(prepaidMax(rate) - prepaid, left - rate.burst / 2);
      return Math.floor(spare / charge);
    },
    take,
    wait: (taken) => waitForTokens(take(taken), rate, charge),
  };
}

function dayWellOf({ perDay, used }: DayQuota, cost: number, nowMs: number): Well<number> {
  const charge = Math.min(cost, perDay);
  return {
    name: DAY,
    calls: Math.max(0, Math.floor((perDay - used) / charge)),
    readAhead: (taken) => Math.floor((perDay - used - taken * charge) / LIMITS.quotaAheadShare / charge),
    take: (taken) => used + taken * charge,
    wait: (taken) => (perDay - used - taken * charge >= charge ? 0 : (dayOf(nowMs) + 1) * DAY_MS - nowMs),
  };
}
