import { describe, expect, it } from "vitest";
import { grantLease, prepaidMax, type LeaseWish } from "../../src/keys/lease.ts";
import type { Bucket, Rate } from "../../src/keys/token-bucket.ts";
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

/** A lease out of one bucket, at a cost of 1. */
function grantOne(bucket: Bucket, rate: Rate, { prepaid, ...wish }: LeaseWish & { prepaid: number }, nowMs: number) {
  const purse = { accounts: [{ name: "calls", rate, bucket, prepaid }], quota: undefined, cost: 1 };
  const { calls, buckets, dry } = grantLease(purse, wish, nowMs);
  return { bucket: buckets[0] ?? bucket, tokens: calls, retryAfterMs: dry?.retryAfterMs ?? 0 };
}

const BUSY = { perMinute: 60_000, burst: 1_000 };

const granted = (tokens: number, hungry: boolean): number =>
  grantOne({ tokens, atMs: 0 }, BUSY, { need: 1, want: 100, prepaid: 0, hungry }, 0).tokens;

describe("grantLease out of one bucket", () => {
  const small = { perMinute: 10, burst: 10 };
  const large = BUSY;

  it("grants a small rate what is needed now and nothing ahead", () => {
    expect(grantOne({ tokens: 10, atMs: 0 }, small, { need: 3, want: 100, prepaid: 0 }, 0)).toEqual({
      bucket: { tokens: 7, atMs: 0 },
      tokens: 3,
      retryAfterMs: 0,
    });
  });

  it("grants what is left, and says when there is more", () => {
    expect(grantOne({ tokens: 2.5, atMs: 0 }, small, { need: 5, want: 5, prepaid: 0 }, 0)).toEqual({
      bucket: { tokens: 0.5, atMs: 0 },
      tokens: 2,
      retryAfterMs: 3_000,
    });
  });

  it("prepays a large rate as far as half of it flows in during the lease, to all who hold of it together", () => {
    const full = { tokens: 1_000, atMs: 0 };
    expect(grantOne(full, large, { need: 1, want: 64, prepaid: 0 }, 0).tokens).toBe(64);
    expect(grantOne(full, large, { need: 1, want: 5_000, prepaid: 0 }, 0).tokens).toBe(251);
    expect(grantOne(full, large, { need: 1, want: 5_000, prepaid: 200 }, 0).tokens).toBe(51);
  });

  it("prepays nothing out of the lower half of the burst, but to the hungry", () => {
    expect([granted(550, false), granted(500, false), granted(500, true), granted(40, true)]).toEqual([50, 1, 100, 40]);
  });

  it("tells the hungry when there is more, so that they need not ask before", () => {
    const { tokens, retryAfterMs } = grantOne(
      { tokens: 40, atMs: 0 },
      large,
      { need: 1, want: 100, prepaid: 0, hungry: true },
      0,
    );
    expect({ tokens, retryAfterMs }).toEqual({ tokens: 40, retryAfterMs: 1 });
  });

  it("prepays small rates nothing, hungry or not", () => {
    expect(grantOne({ tokens: 10, atMs: 0 }, small, { need: 1, want: 100, prepaid: 0, hungry: true }, 0).tokens).toBe(
      1,
    );
  });

  it("says so when there is nothing to prepay", () => {
    const { tokens, retryAfterMs } = grantOne({ tokens: 0, atMs: 0 }, large, { need: 0, want: 16, prepaid: 0 }, 0);
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
      const grant = grantOne(bucket, rate, { need: next(4), want: next(300), prepaid: next(20) }, nowMs);
      bucket = grant.bucket;
      granted += grant.tokens;
    }
    const bound = rate.burst + (rate.perMinute * (windowMs + LIMITS.leaseLifeMs)) / 60_000;
    expect(granted).toBeLessThanOrEqual(bound);
    expect(granted).toBeGreaterThan(rate.burst + (rate.perMinute * windowMs) / 60_000 - 10);
  });
});

const at = (tokens: number): Bucket => ({ tokens, atMs: 0 });

/** A key that may call without end, on most days. */
const busyKey = (used: number) => ({
  accounts: [{ name: "calls", rate: { perMinute: 1_000_000, burst: 1_000_000 }, bucket: at(1_000_000), prepaid: 0 }],
  quota: { perDay: 1_000, used },
  cost: 1,
});

describe("grantLease out of several accounts", () => {
  const wide = { perMinute: 6_000, burst: 600 };
  const narrow = { perMinute: 60, burst: 6 };
  const purse = (tokens: [number, number], cost = 1, quota?: { perDay: number; used: number }) => ({
    accounts: [
      { name: "calls", rate: wide, bucket: { tokens: tokens[0], atMs: 0 }, prepaid: 0 },
      { name: "tool:x*", rate: narrow, bucket: { tokens: tokens[1], atMs: 0 }, prepaid: 0 },
    ],
    quota,
    cost,
  });
  it("takes from all or from none, and names what ran dry", () => {
    expect(grantLease(purse([600, 0]), { need: 1, want: 1 }, 0)).toEqual({
      calls: 0,
      buckets: [at(600), at(0)],
      used: 0,
      dry: { name: "tool:x*", retryAfterMs: 1_000 },
    });
    expect(grantLease(purse([0, 6]), { need: 2, want: 2 }, 0)).toMatchObject({
      calls: 0,
      buckets: [at(0), at(6)],
      dry: { name: "calls", retryAfterMs: 10 },
    });
  });

  it("grants as many as the one with the fewest has, and names the one that takes longest", () => {
    expect(grantLease(purse([4, 2]), { need: 5, want: 5 }, 0)).toEqual({
      calls: 2,
      buckets: [at(2), at(0)],
      used: 0,
      dry: { name: "tool:x*", retryAfterMs: 1_000 },
    });
  });

  it("prepays no more than every one of them may", () => {
    expect(grantLease(purse([600, 6]), { need: 1, want: 50 }, 0)).toMatchObject({
      calls: 2,
      buckets: [at(598), at(4)],
    });
  });

  it("charges what a call costs, but of no bucket more than it holds", () => {
    expect(grantLease(purse([600, 6], 10), { need: 1, want: 1 }, 0)).toEqual({
      calls: 1,
      buckets: [at(590), at(0)],
      used: 0,
      dry: undefined,
    });
    expect(grantLease(purse([600, 5], 10), { need: 1, want: 1 }, 0)).toMatchObject({
      calls: 0,
      dry: { name: "tool:x*", retryAfterMs: 1_000 },
    });
  });

  it("takes from the day as well, and says when that is over", () => {
    const nowMs = 86_400_000 - 5_000;
    const day = { perDay: 10, used: 8 };
    const whole = {
      ...purse([600, 6], 1, day),
      accounts: purse([600, 6]).accounts.map((a) => ({ ...a, bucket: { ...a.bucket, atMs: nowMs } })),
    };
    expect(grantLease(whole, { need: 3, want: 9 }, nowMs)).toMatchObject({
      calls: 2,
      used: 10,
      dry: { name: "day", retryAfterMs: 5_000 },
    });
    expect(grantLease({ ...whole, quota: { perDay: 10, used: 10 } }, { need: 1, want: 1 }, nowMs)).toMatchObject({
      calls: 0,
      used: 10,
      dry: { name: "day", retryAfterMs: 5_000 },
    });
  });

  it("prepays a twentieth of what is left of the day, and the last calls one by one", () => {
    const granted = [0, 599, 979, 980, 999].map((used) => grantLease(busyKey(used), { need: 1, want: 500 }, 0).calls);
    expect(granted).toEqual([1 + 49, 1 + 20, 1 + 1, 1, 1]);
  });
});
