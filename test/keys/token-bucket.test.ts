import { describe, expect, it } from "vitest";
import { fullBucket, refillBucket, waitForTokens } from "../../src/keys/token-bucket.ts";

const RATE = { perMinute: 60, burst: 10 };

describe("token bucket", () => {
  it("starts full", () => {
    expect(fullBucket(RATE, 5)).toEqual({ tokens: 10, atMs: 5 });
  });

  it("flows in by the millisecond and never beyond the burst", () => {
    const empty = { tokens: 0, atMs: 0 };
    expect(refillBucket(empty, RATE, 1500)).toEqual({ tokens: 1.5, atMs: 1500 });
    expect(refillBucket(empty, RATE, 60_000)).toEqual({ tokens: 10, atMs: 60_000 });
  });

  it("adds nothing when the clock goes back", () => {
    expect(refillBucket({ tokens: 1, atMs: 1000 }, RATE, 400)).toEqual({ tokens: 1, atMs: 1000 });
  });

  it("says how long several tokens take", () => {
    expect(waitForTokens({ tokens: 1, atMs: 0 }, RATE, 5)).toBe(4_000);
  });

  it("says how long the next token takes", () => {
    expect(waitForTokens({ tokens: 1, atMs: 0 }, RATE, 1)).toBe(0);
    expect(waitForTokens({ tokens: 0.25, atMs: 0 }, RATE, 1)).toBe(750);
    expect(waitForTokens({ tokens: 0.9999999, atMs: 0 }, RATE, 1)).toBe(1);
  });
});
