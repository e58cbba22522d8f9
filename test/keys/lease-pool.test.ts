import { describe, expect, it } from "vitest";
import type { LeaseAnswer } from "../../src/keys/key-record.ts";
import { KeyStanding } from "../../src/keys/key-standing.ts";
import { LeasePool, type Admission, type LeaseAsk } from "../../src/keys/lease-pool.ts";
import type { Rate } from "../../src/keys/token-bucket.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { ledgerObject, recordOf } from "../support/ledger-object.ts";

/** One isolate's pool in front of a bucket, with a clock of its own and every request for a lease recorded. */
function setUp(rate: Rate) {
  const clock = { nowMs: 1_000_000 };
  const asks: LeaseAsk[] = [];
  const background: Promise<unknown>[] = [];
  const object = ledgerObject(recordOf({ calls: rate }), clock).lease;
  let answer: ((ask: LeaseAsk) => LeaseAnswer) | undefined;
  const requestLease = async (ask: LeaseAsk): Promise<LeaseAnswer> => {
    asks.push(ask);
    return (answer ?? object)(ask);
  };
  const pool = new LeasePool(new KeyStanding(), 1);
  const admit = (): Promise<Admission> =>
    pool.admit(
      requestLease,
      (work) => background.push(work),
      () => clock.nowMs,
    );
  const settle = (): Promise<unknown> => Promise.all(background.splice(0));
  return { clock, asks, pool, admit, settle, answerWith: (next: typeof answer) => (answer = next) };
}

const countBy = (admissions: Admission[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status } of admissions) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

describe("LeasePool", () => {
  it("admits exactly the burst of 50 callers at once, in two requests", async () => {
    const { admit, asks } = setUp({ perMinute: 10, burst: 10 });
    const admissions = await Promise.all(Array.from({ length: 50 }, admit));
    expect(countBy(admissions)).toEqual({ admitted: 10, limited: 40 });
    expect(asks.map(({ need }) => need)).toEqual([1, 49]);
  });

  it.each([
    [{ perMinute: 50, burst: 50 }, 200],
    [{ perMinute: 100, burst: 100 }, 300],
    [{ perMinute: 60, burst: 100 }, 300],
    [{ perMinute: 600, burst: 120 }, 120],
  ])("admits exactly the burst of %o to %i callers at once, prepaid or not", async (rate, callers) => {
    const { admit } = setUp(rate);
    const counts = countBy(await Promise.all(Array.from({ length: callers }, admit)));
    const limited = callers - rate.burst;
    expect(counts).toEqual({ admitted: rate.burst, ...(limited > 0 && { limited }) });
  });

  it.each([200, 1_000, 5_000])("keeps the burst of a key that makes a call every %i ms", async (everyMs) => {
    const rate = { perMinute: 600, burst: 100 };
    const { admit, settle, clock } = setUp(rate);
    for (let passedMs = 0; passedMs < 120_000; passedMs += everyMs) {
      expect((await admit()).status).toBe("admitted");
      await settle();
      clock.nowMs += everyMs;
    }
    const counts = countBy(await Promise.all(Array.from({ length: 200 }, admit)));
    expect(counts["admitted"]).toBeGreaterThanOrEqual(rate.burst - 2);
  });

  it("asks so many times for a call that is told neither yes nor no", async () => {
    const { admit, asks, answerWith } = setUp({ perMinute: 10, burst: 1 });
    answerWith(() => ({
      v: 1,
      status: "active",
      facts: { keyId: "k", name: "n", scopes: ["mcp"], tools: {} },
      tokens: 0,
      retryAfterMs: 0,
      accounts: [],
    }));
    expect([await admit(), asks.length]).toEqual([{ status: "unavailable" }, LIMITS.leaseRounds]);
  });

  it("tells those it denies when the next token is there", async () => {
    const { admit } = setUp({ perMinute: 10, burst: 1 });
    await admit();
    const account = { name: "calls", limit: { perMinute: 10, burst: 1 }, left: 0 };
    expect(await admit()).toEqual({
      status: "limited",
      denial: { account, retryAfterMs: 6_000 },
      receipt: { accounts: [account], prepaid: 0, cost: 1 },
    });
  });

  it("keeps a denial for the lease's life at most, and asks nobody meanwhile", async () => {
    const { admit, asks, clock } = setUp({ perMinute: 10, burst: 1 });
    await Promise.all([admit(), admit()]);
    const before = asks.length;
    await Promise.all(Array.from({ length: 20 }, admit));
    clock.nowMs += LIMITS.leaseLifeMs - 1;
    // The facts end with the lease; the key's status is asked for again then.
    expect(asks.length).toBe(before);
    clock.nowMs += 1;
    await admit();
    expect(asks.length).toBe(before + 1);
  });

  it("renews in the background, so that of 1,000 calls one after another only the first waits", async () => {
    const { admit, asks, settle, clock } = setUp({ perMinute: 60_000, burst: 60_000 });
    let blocked = 0;
    for (let call = 0; call < 1_000; call++) {
      const asked = asks.length;
      const admission = await admit();
      expect(admission.status).toBe("admitted");
      if (asks.slice(asked).some(({ need }) => need > 0)) blocked++;
      await settle();
      clock.nowMs += 2;
    }
    expect(blocked).toBe(1);
    expect(asks.length).toBeLessThan(30);
  });

  it.each([
    // A lease prepays 2,000 at most, which is less than is used in a lease's life.
    [{ perMinute: 1_000_000, burst: 1_000_000 }, 20_000, 0.2, 50],
    // One prepays 10.
    [{ perMinute: 600, burst: 120 }, 500, 125, 130],
  ])("at %o asks of %i calls, one every %d ms, for %i leases at most", async (rate, calls, everyMs, most) => {
    const { admit, asks, settle, clock } = setUp(rate);
    for (let call = 0; call < calls; call++) {
      expect((await admit()).status).toBe("admitted");
      await settle();
      clock.nowMs += everyMs;
    }
    expect(asks.length).toBeLessThanOrEqual(most);
  });

  it("forfeits what a lease's life did not use", async () => {
    const { admit, asks, settle, clock } = setUp({ perMinute: 600, burst: 600 });
    await admit();
    await settle();
    clock.nowMs += LIMITS.leaseLifeMs;
    await admit();
    expect(asks.filter(({ need }) => need > 0).length).toBe(2);
  });

  it.each(["unknown", "revoked", "expired"] as const)("refuses a key that is %s, tokens or not", async (status) => {
    const { admit, answerWith, settle, clock } = setUp({ perMinute: 600, burst: 600 });
    await admit();
    answerWith(() => ({ v: 1, status }));
    clock.nowMs += LIMITS.leaseLifeMs / 2 + 1;
    await admit();
    await settle();
    expect(await admit()).toEqual({ status: "refused" });
  });

  it.each([
    [{ perMinute: 600, burst: 1 }, 105],
    [{ perMinute: 120, burst: 1 }, 510],
    [{ perMinute: 60, burst: 1 }, 1_020],
    [{ perMinute: 600, burst: 5 }, 105],
  ])("gives a key of %o that calls every %i ms all that it is due", async (rate, everyMs) => {
    const { admit, settle, clock } = setUp(rate);
    const admissions: Admission[] = [];
    for (let call = 0; call < 200; call++) {
      admissions.push(await admit());
      await settle();
      clock.nowMs += everyMs;
    }
    expect(countBy(admissions)).toEqual({ admitted: 200 });
  });

  it.each([
    [{ perMinute: 600, burst: 600 }, 8],
    [{ perMinute: 600, burst: 60 }, 8],
    [{ perMinute: 120, burst: 120 }, 8],
  ])("gives %o most of what it is due when %i isolates share it", async (rate, isolates) => {
    const clock = { nowMs: 1_000_000 };
    const object = ledgerObject(recordOf({ calls: rate }), clock).lease;
    const pools = Array.from({ length: isolates }, () => new LeasePool(new KeyStanding(), 1));
    let seed = 7;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    let [admitted, calls] = [0, 0];
    const endMs = clock.nowMs + 300_000;
    while (clock.nowMs < endMs) {
      const background: Promise<unknown>[] = [];
      const admission = await pools[Math.floor(random() * isolates)]?.admit(
        async (ask) => object(ask),
        (work) => background.push(work),
        () => clock.nowMs,
      );
      await Promise.all(background);
      calls++;
      if (admission?.status === "admitted") admitted++;
      clock.nowMs += Math.ceil((-Math.log(1 - random()) * 60_000) / (rate.perMinute * 0.9));
    }
    expect(admitted / calls).toBeGreaterThan(0.95);
  });

  it("does not go on asking for callers that were cut off while they waited", async () => {
    const { clock, pool, asks, admit } = setUp({ perMinute: 10, burst: 12 });
    const never = new Promise<LeaseAnswer>(() => undefined);
    const cutOff = (): void =>
      void pool.admit(
        () => never,
        () => undefined,
        () => clock.nowMs,
      );
    for (let call = 0; call < 30; call++) cutOff();
    clock.nowMs += LIMITS.leaseTimeoutMs;
    for (let call = 0; call < 4; call++) {
      await admit();
      clock.nowMs += LIMITS.leaseLifeMs;
    }
    expect(asks.slice(2).map(({ need }) => need)).toEqual([1, 1]);
  });

  it("says that the key can't be checked when its object can't be reached", async () => {
    const { admit, answerWith, asks, clock } = setUp({ perMinute: 600, burst: 600 });
    answerWith(() => {
      throw new Error("unreachable");
    });
    expect(await admit()).toEqual({ status: "unavailable" });
    answerWith(undefined);
    // Asked twice, and then not again for a moment by anybody.
    expect([await admit(), asks.length]).toEqual([{ status: "unavailable" }, 2]);
    clock.nowMs += 2 * LIMITS.denialFloorMs;
    expect((await admit()).status).toBe("admitted");
  });

  it("asks again at once when a lease fails that may not have reached the object, and never one that is overloaded", async () => {
    const { admit, answerWith, asks } = setUp({ perMinute: 10, burst: 10 });
    answerWith(() => {
      answerWith(undefined);
      throw new Error("reset");
    });
    expect((await admit()).status).toBe("admitted");
    const overloaded = setUp({ perMinute: 10, burst: 10 });
    overloaded.answerWith(() => {
      throw Object.assign(new Error("overloaded"), { overloaded: true });
    });
    expect((await overloaded.admit()).status).toBe("unavailable");
    expect([asks.length, overloaded.asks.length]).toEqual([2, 1]);
  });
});
