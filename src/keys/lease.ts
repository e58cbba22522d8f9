// How many tokens a lease holds. Granted tokens are debited at once and never credited back, so that
// admitted(w) ≤ burst + rate × (w + lease life), however many isolates ask.

import { LIMITS } from "../lib/limits.ts";
import { refillBucket, waitForToken, type Bucket, type Rate } from "./token-bucket.ts";

/**
 * The most tokens that may be prepaid at once at a rate: half of what flows in during a lease's life, so that what is
 * forfeited never keeps a bucket from filling again. 0 below 60 a minute and for bursts below 4: those stay exact.
 */
export const prepaidMax = ({ perMinute, burst }: Rate): number =>
  Math.floor(Math.min(LIMITS.leaseTokens, burst / 4, (perMinute * LIMITS.leaseLifeMs) / 60_000 / 2));

export interface GrantAsk {
  need: number;
  want: number;
  /** Tokens that are prepaid to others and not over yet. */
  prepaid: number;
}

/**
 * Pays a lease out of a bucket: what is needed if it is there; what is wanted beyond that only as far as may be prepaid,
 * and out of the upper three quarters of the bucket, so that prepaying never denies who needs. `retryAfterMs` is above 0
 * when the bucket ran dry.
 */
export function grantLease(
  bucket: Bucket,
  rate: Rate,
  { need, want, prepaid }: GrantAsk,
  nowMs: number,
): { bucket: Bucket; tokens: number; retryAfterMs: number } {
  const { tokens: available, atMs } = refillBucket(bucket, rate, nowMs);
  const needed = Math.min(need, Math.floor(available));
  const spare = Math.floor(available - needed - rate.burst / 4);
  const ahead = Math.max(0, Math.min(want - needed, prepaidMax(rate) - prepaid, spare));
  const rest = { tokens: available - needed - ahead, atMs };
  const dry = needed < need || available < 1;
  return { bucket: rest, tokens: needed + ahead, retryAfterMs: dry ? waitForToken(rest, rate) : 0 };
}
