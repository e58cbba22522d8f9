import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { apiKeyStub } from "../../src/env.ts";
import type { ClaimAnswer, ClaimEnd, ClaimRequest } from "../../src/keys/claim-contract.ts";
import { pruneClaims } from "../../src/keys/claim-ages.ts";
import { claimCall, renewClaim, settleCall, type ClaimBounds } from "../../src/keys/claimed-calls.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { testEnv } from "../support/counting-env.ts";
import { narrow } from "../support/narrow.ts";

afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

const LIFE_MS = 5_000;

const request = (keyHash: string, more: Partial<ClaimRequest> = {}): ClaimRequest => ({
  v: 1,
  keyHash,
  callHash: "call",
  claim: `claim of ${keyHash}`,
  lifeMs: LIFE_MS,
  ...more,
});

const done = (result?: string): ClaimEnd => ({ kind: "done", outcome: "ok", ...(result !== undefined && { result }) });
const settlement = (keyHash: string, end: ClaimEnd) => ({ v: 1, keyHash, claim: `claim of ${keyHash}`, end }) as const;
const answered = (result?: string) => ({
  v: 1,
  status: "done",
  outcome: "ok",
  ...(result !== undefined && { result }),
});

const CLAIMED = { v: 1, status: "claimed" };
const UNKNOWN = { v: 1, status: "unknown" };
const running = (retryAfterMs: number) => ({ v: 1, status: "running", retryAfterMs });

interface Table {
  claim: (keyHash: string, nowMs: number, more?: Partial<ClaimRequest>) => ClaimAnswer;
  settle: (keyHash: string, end: ClaimEnd) => void;
  renew: (keyHash: string, nowMs: number, claim?: string) => void;
  /** Whoever else asks after a call. */
  repeat: (keyHash: string, nowMs: number) => ClaimAnswer;
}

/** Works on the table of a fresh object, with bounds that a test can reach. */
function withTable(work: (table: Table) => void, bounds: Partial<ClaimBounds> = {}): Promise<void> {
  const stub = apiKeyStub(testEnv, "k1") as unknown as DurableObjectStub;
  return runInDurableObject(stub, (_, { storage: { sql } }) => {
    const all = { ...LIMITS, ...bounds };
    const claim: Table["claim"] = (keyHash, nowMs, more) => claimCall(sql, request(keyHash, more), nowMs, all);
    const settle: Table["settle"] = (keyHash, end) => settleCall(sql, settlement(keyHash, end), all);
    const renew: Table["renew"] = (keyHash, nowMs, by = `claim of ${keyHash}`) =>
      renewClaim(sql, { v: 1, keyHash, claim: by, lifeMs: LIFE_MS }, nowMs);
    work({ claim, settle, renew, repeat: (keyHash, nowMs) => claim(keyHash, nowMs, { claim: "another" }) });
  });
}

it.each([
  [3, 0],
  [2, 1],
])("%i calls at once are forgotten of three that are past their age: %i are left", async (most, left) => {
  narrow({ claimPruneRows: most });
  const stub = apiKeyStub(testEnv, "k1") as unknown as DurableObjectStub;
  const rows = await runInDurableObject(stub, (_, { storage: { sql } }) => {
    for (const keyHash of ["a", "b", "c"]) claimCall(sql, request(keyHash), 0, LIMITS);
    pruneClaims(sql, LIMITS.claimLifeMs);
    return sql.exec("SELECT seq FROM claims").toArray();
  });
  expect(rows).toHaveLength(left);
});

describe("a claimed call", () => {
  it("is running for others, and granted again to who claimed it and did not hear so", () =>
    withTable(({ claim, repeat }) => {
      expect(claim("a", 0)).toEqual(CLAIMED);
      expect(repeat("a", 10)).toEqual(running(LIMITS.repeatRetryMs));
      expect(claim("a", 10)).toEqual(CLAIMED);
    }));

  it("tells who repeats it to wait as long as it has run, within bounds and not beyond its end", () =>
    withTable(({ claim, repeat }) => {
      claim("long", 0, { lifeMs: 100_000 });
      const [least, most] = [LIMITS.repeatRetryMs, LIMITS.repeatRetryMaxMs];
      const told = [least, least + 1, most - 1, most, most + 1, 75_000, 99_999];
      expect(told.map((nowMs) => repeat("long", nowMs))).toEqual(
        [least, least + 1, most - 1, most, most, 25_000, least].map(running),
      );
    }));

  it("is lost once its time is up, and may still come back", () =>
    withTable(({ claim, settle, repeat }) => {
      claim("a", 0);
      expect(repeat("a", LIFE_MS - 1)).toEqual(running(LIMITS.repeatRetryMs));
      expect(repeat("a", LIFE_MS)).toEqual(UNKNOWN);
      expect(claim("a", LIFE_MS)).toEqual(UNKNOWN);
      settle("a", done("late"));
      expect(repeat("a", LIFE_MS + 1)).toEqual(answered("late"));
    }));

  it("has as much time again as it asks for while it runs, never less than it had, and not for another's asking", () =>
    withTable(({ claim, renew, repeat }) => {
      claim("a", 0);
      renew("a", 1_000, "another");
      renew("a", 1_000);
      renew("a", 500);
      expect(repeat("a", LIFE_MS + 999)).toMatchObject({ status: "running" });
      expect(repeat("a", LIFE_MS + 1_000)).toEqual(UNKNOWN);
      renew("a", LIFE_MS + 1_000);
      expect(repeat("a", LIFE_MS + 1_001)).toEqual(UNKNOWN);
    }));

  it("can't be renewed where there is none, nor once it is over", () =>
    withTable(({ claim, settle, renew, repeat }) => {
      renew("a", 0);
      expect(claim("a", 0)).toEqual(CLAIMED);
      settle("a", done("x"));
      renew("a", 1);
      expect(repeat("a", 2)).toEqual(answered("x"));
    }));

  it("is unknown at once where its isolate said so", () =>
    withTable(({ claim, settle, repeat }) => {
      claim("a", 0);
      settle("a", { kind: "lost" });
      expect(repeat("a", 1)).toEqual(UNKNOWN);
    }));

  it("leaves no trace where nothing ran", () =>
    withTable(({ claim, settle, repeat }) => {
      claim("a", 0);
      settle("a", { kind: "released" });
      expect(repeat("a", 1)).toEqual(CLAIMED);
    }));

  it("is answered with its result, or without one that was not kept", () =>
    withTable(({ claim, settle, repeat }) => {
      claim("a", 0);
      claim("b", 0);
      settle("a", done("{}"));
      settle("b", done());
      expect([repeat("a", 1), repeat("b", 1)]).toEqual([answered("{}"), answered()]);
    }));

  it("does not change once it is done, nor by what another claim says", () =>
    withTable(({ claim, settle, repeat }) => {
      claim("a", 0);
      settle("a", done("first"));
      for (const end of [done("second"), { kind: "lost" }, { kind: "released" }] as const) settle("a", end);
      expect(repeat("a", 1)).toEqual(answered("first"));
      claim("b", 0, { claim: "not the one that settles" });
      for (const end of [done("other"), { kind: "lost" }, { kind: "released" }] as const) settle("b", end);
      expect(repeat("b", 1)).toEqual(running(LIMITS.repeatRetryMs));
      settle("never claimed", done("x"));
      expect(repeat("never claimed", 1)).toEqual(CLAIMED);
    }));

  it.each(["running", "done", "lost"])("that is %s is refused to another call", (state) =>
    withTable(({ claim, settle }) => {
      claim("a", 0);
      if (state === "done") settle("a", done("{}"));
      if (state === "lost") settle("a", { kind: "lost" });
      expect(claim("a", 1, { callHash: "another call" })).toEqual({ v: 1, status: "mismatch" });
    }),
  );

  it("is known for a day", () =>
    withTable(({ claim, settle, repeat }) => {
      for (const name of ["done", "lost"]) claim(name, 0);
      settle("done", done("{}"));
      const last = LIMITS.claimLifeMs - 1;
      expect([repeat("done", last), repeat("lost", last)]).toEqual([answered("{}"), UNKNOWN]);
      const over = LIMITS.claimLifeMs;
      expect([repeat("done", over), repeat("lost", over)]).toEqual([CLAIMED, CLAIMED]);
    }));
});

describe("bounds", () => {
  it("let so many calls run at once", () =>
    withTable(
      ({ claim, settle, repeat }) => {
        expect([claim("a", 0), claim("b", 0), claim("c", 0)]).toEqual([CLAIMED, CLAIMED, CLAIMED]);
        expect(claim("d", 0)).toEqual({ v: 1, status: "full" });
        // What is there already is answered all the same.
        expect(repeat("a", 1)).toEqual(running(LIMITS.repeatRetryMs));
        settle("b", done("{}"));
        expect([claim("d", 1), claim("e", 1)]).toEqual([CLAIMED, { v: 1, status: "full" }]);
        // Those that are lost do not run.
        expect([claim("e", LIFE_MS), repeat("a", LIFE_MS)]).toEqual([CLAIMED, UNKNOWN]);
      },
      { openClaims: 3 },
    ));

  it("forget the oldest that is over, and none that runs", () =>
    withTable(
      ({ claim, settle, repeat }) => {
        for (const name of ["runs", "lost", "done", "newer"]) claim(name, 0);
        settle("lost", { kind: "lost" });
        settle("done", done("{}"));
        settle("newer", done("{}"));
        expect(["runs", "lost", "done", "newer"].map((name) => repeat(name, 1).status)).toEqual([
          "running",
          "unknown",
          "done",
          "done",
        ]);
        // As many as may be, the running one included; then one more, and another.
        claim("fifth", 1);
        claim("sixth", 1);
        expect(["runs", "done", "newer"].map((name) => repeat(name, 2).status)).toEqual(["running", "done", "done"]);
        expect(repeat("lost", 2)).toEqual(CLAIMED);
      },
      { claimedCalls: 4 },
    ));

  it("keep the newest answers up to so many bytes, and know of the others that they were given", () =>
    withTable(
      ({ claim, settle, repeat }) => {
        // By bytes, not characters: four each.
        for (const name of ["a", "b", "c"]) {
          claim(name, 0);
          settle(name, done("€1"));
        }
        const kept = () => ["a", "b", "c", "d"].map((name) => repeat(name, 1));
        claim("d", 0);
        expect(kept()).toEqual([answered("€1"), answered("€1"), answered("€1"), running(LIMITS.repeatRetryMs)]);
        settle("d", done("1"));
        expect(kept()).toEqual([answered(), answered("€1"), answered("€1"), answered("1")]);
        claim("e", 0);
        settle("e", done("123"));
        expect(kept()).toEqual([answered(), answered("€1"), answered("€1"), answered("1")]);
        claim("f", 0);
        settle("f", done("123456789012"));
        expect(kept()).toEqual([answered(), answered(), answered(), answered()]);
        expect(repeat("f", 1)).toEqual(answered("123456789012"));
      },
      { keptResultsBytes: 12 },
    ));
});

const objectOf = (keyId: string) => {
  const stub = apiKeyStub(testEnv, keyId);
  return { stub, object: stub as unknown as DurableObjectStub };
};
const repeatOf = (keyHash: string) => request(keyHash, { claim: "another" });
const ticks = (startMs: number) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(startMs);
};

describe("the object of an API key", () => {
  it("keeps claims and answers through evictions", async () => {
    const { stub, object } = objectOf("k1");
    await stub.claimCall(request("a"));
    await evictDurableObject(object);
    expect(await stub.claimCall(repeatOf("a"))).toEqual(running(LIMITS.repeatRetryMs));
    await stub.settleCall(settlement("a", done("{}")));
    await evictDurableObject(object);
    expect(await stub.claimCall(repeatOf("a"))).toEqual(answered("{}"));
    expect(await objectOf("k2").stub.claimCall(repeatOf("a"))).toEqual(CLAIMED);
  });

  it("does not run again what was claimed and not settled when it was evicted", async () => {
    const { stub, object } = objectOf("k1");
    ticks(1_000_000);
    await stub.claimCall(request("a"));
    await evictDurableObject(object);
    vi.setSystemTime(1_000_000 + LIFE_MS);
    expect(await stub.claimCall(repeatOf("a"))).toEqual(UNKNOWN);
    await evictDurableObject(object);
    expect(await stub.claimCall(repeatOf("a"))).toEqual(UNKNOWN);
  });

  it("takes rows away by alarm once they are past their age, and then sleeps", async () => {
    const { stub, object } = objectOf("k1");
    // An alarm is never earlier than the machine's own clock.
    const startMs = Math.ceil(Date.now() / LIMITS.claimPruneMs) * LIMITS.claimPruneMs;
    const count = () =>
      runInDurableObject(object, (_, { storage: { sql } }) => sql.exec("SELECT seq FROM claims").toArray().length);
    const alarmAt = () => runInDurableObject(object, (_, { storage }) => storage.getAlarm());
    ticks(startMs + 1);
    await stub.claimCall(request("a"));
    await stub.settleCall(settlement("a", done("{}")));
    vi.setSystemTime(startMs + LIMITS.claimPruneMs);
    await stub.claimCall(request("b"));
    const firstMs = startMs + LIMITS.claimLifeMs + LIMITS.claimPruneMs;
    expect([await count(), await alarmAt()]).toEqual([2, firstMs]);
    // Early: nothing is past its age.
    await runDurableObjectAlarm(object);
    expect([await count(), await alarmAt()]).toEqual([2, firstMs]);
    vi.setSystemTime(firstMs - 1);
    await runDurableObjectAlarm(object);
    expect([await count(), await alarmAt()]).toEqual([1, firstMs]);
    vi.setSystemTime(firstMs);
    await runDurableObjectAlarm(object);
    expect([await count(), await alarmAt()]).toEqual([0, null]);
  });

  it("has no table before the first claim", async () => {
    const { stub, object } = objectOf("k1");
    await stub.settleCall(settlement("a", done("{}")));
    await runInDurableObject(object, async (instance) => (instance as unknown as { alarm(): Promise<void> }).alarm());
    const names = await runInDurableObject(object, (_, { storage: { sql } }) =>
      sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name LIKE 'claims%'").toArray(),
    );
    expect(names).toEqual([]);
  });
});
