// How many tokens a lease holds. Granted tokens are debited at once and never credited back, so that
// admitted(w) ≤ burst + rate × (w + lease life), however many isolates ask.

import { LIMITS } from "../lib/limits.ts";
import { refillBucket, waitForToken, type Bucket, type Rate } from "./token-bucket.ts";

/**
 * The most tokens that one lease may prepay at a rate: half of what flows in during its life, so that what is forfeited
 * never keeps a bucket from filling again. 0 below 60 a minute: small rates stay exact.
 */
export const prepaidMax = ({ perMinute, burst }: Rate): number =>
  Math.min(LIMITS.leaseTokens, burst, Math.floor((perMinute * LIMITS.leaseLifeMs) / 60_000 / 2));

/**
 * Pays a lease out of a bucket: all that is needed if it is there, more only as far as may be prepaid. `retryAfterMs` is
 * above 0 when the bucket ran dry.
 */
export function grantLease(
  bucket: Bucket,
  rate: Rate,
  ask: { need: number; want: number },
  nowMs: number,
): { bucket: Bucket; tokens: number; retryAfterMs: number } {
  const { tokens: available, atMs } = refillBucket(bucket, rate, nowMs);
  const asked = Math.max(ask.need, Math.min(ask.want, prepaidMax(rate)));
  const tokens = Math.min(Math.floor(available), asked);
  const rest = { tokens: available - tokens, atMs };
  return { bucket: rest, tokens, retryAfterMs: tokens < Math.max(ask.need, 1) ? waitForToken(rest, rate) : 0 };
}
