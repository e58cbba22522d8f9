// A token bucket as pure steps over plain data.

/** A rate: `perMinute` tokens flow in, at most `burst` are kept. */
export interface Rate {
  perMinute: number;
  burst: number;
}

export interface Bucket {
  tokens: number;
  atMs: number;
}

export const fullBucket = ({ burst }: Rate, nowMs: number): Bucket => ({ tokens: burst, atMs: nowMs });

/** The bucket as it stands at `nowMs`. A clock that went back adds nothing. */
export function refillBucket(bucket: Bucket, rate: Rate, nowMs: number): Bucket {
  const passedMs = Math.max(0, nowMs - bucket.atMs);
  const tokens = Math.min(rate.burst, bucket.tokens + (passedMs * rate.perMinute) / 60_000);
  return { tokens, atMs: Math.max(nowMs, bucket.atMs) };
}

/** Milliseconds until so many tokens are there, at least 1; 0 when they are there now. */
export function waitForTokens({ tokens }: Bucket, { perMinute }: Rate, wanted: number): number {
  if (tokens >= wanted) return 0;
  return Math.max(1, Math.ceil(((wanted - tokens) * 60_000) / perMinute));
}
