import { describe, expect, it } from "vitest";
import { grantLease, prepaidMax } from "../../src/keys/lease.ts";
import { LIMITS } from "../../src/lib/limits.ts";

describe("prepaidMax", () => {
  it.each([
    [{ perMinute: 10, burst: 10 }, 0],
    [{ perMinute: 59, burst: 59 }, 0],
    [{ perMinute: 60, burst: 60 }, 1],
    [{ perMinute: 600, burst: 600 }, 10],
    [{ perMinute: 600, burst: 5 }, 1],
    [{ perMinute: 600, burst: 3 }, 0],
    [{ perMinute: 1_000_000, burst: 1_000_000 }, LIMITS.leaseTokens],
  ])("of %o is %i", (rate, tokens) => {
    expect(prepaidMax(rate)).toBe(tokens);
  });
});

describe("grantLease", () => {
  const small = { perMinute: 10, burst: 10 };
  const large = { perMinute: 60_000, burst: 1_000 };

  it("grants a small rate what is needed now and nothing ahead", () => {
    expect(grantLease({ tokens: 10, atMs: 0 }, small, { need: 3, want: 100, prepaid: 0 }, 0)).toEqual({
      bucket: { tokens: 7, atMs: 0 },
      tokens: 3,
      retryAfterMs: 0,
    });
  });

  it("grants what is left, and says when there is more", () => {
    expect(grantLease({ tokens: 2.5, atMs: 0 }, small, { need: 5, want: 5, prepaid: 0 }, 0)).toEqual({
      bucket: { tokens: 0.5, atMs: 0 },
      tokens: 2,
      retryAfterMs: 3_000,
    });
  });

  it("prepays a large rate as far as half of it flows in during the lease, to all who hold of it together", () => {
    const full = { tokens: 1_000, atMs: 0 };
    expect(grantLease(full, large, { need: 1, want: 64, prepaid: 0 }, 0).tokens).toBe(64);
    expect(grantLease(full, large, { need: 1, want: 5_000, prepaid: 0 }, 0).tokens).toBe(251);
    expect(grantLease(full, large, { need: 1, want: 5_000, prepaid: 200 }, 0).tokens).toBe(51);
  });

  it("prepays nothing out of the last quarter of the burst", () => {
    expect(grantLease({ tokens: 300, atMs: 0 }, large, { need: 1, want: 100, prepaid: 0 }, 0).tokens).toBe(50);
    expect(grantLease({ tokens: 200, atMs: 0 }, large, { need: 1, want: 100, prepaid: 0 }, 0).tokens).toBe(1);
  });

  it("says so when there is nothing to prepay", () => {
    const { tokens, retryAfterMs } = grantLease({ tokens: 0, atMs: 0 }, large, { need: 0, want: 16, prepaid: 0 }, 0);
    expect({ tokens, retryAfterMs }).toEqual({ tokens: 0, retryAfterMs: 1 });
  });

  it("admits no more than burst + rate × (window + lease life), whoever asks and whatever for", () => {
    const rate = { perMinute: 600, burst: 50 };
    let bucket = { tokens: rate.burst, atMs: 0 };
    let granted = 0;
    let random = 42;
    const next = (below: number): number => (random = (random * 48_271) % 2_147_483_647) % below;
    const windowMs = 30_000;
    for (let nowMs = 0; nowMs < windowMs; nowMs += next(20)) {
      const grant = grantLease(bucket, rate, { need: next(4), want: next(300), prepaid: next(20) }, nowMs);
      bucket = grant.bucket;
      granted += grant.tokens;
    }
    const bound = rate.burst + (rate.perMinute * (windowMs + LIMITS.leaseLifeMs)) / 60_000;
    expect(granted).toBeLessThanOrEqual(bound);
    expect(granted).toBeGreaterThan(rate.burst + (rate.perMinute * windowMs) / 60_000 - 10);
  });
});
