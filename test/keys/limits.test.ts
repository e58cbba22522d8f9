// Bounds of keys and of what isolates hold of them, at and beyond each.

import * as v from "valibot";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Env } from "../../src/env.ts";
import { KeyCache } from "../../src/keys/key-cache.ts";
import { RotationSchema } from "../../src/keys/key-input.ts";
import { KeyLedger } from "../../src/keys/key-ledger.ts";
import { accountsOf, type LeaseAnswer, type LeaseRequest } from "../../src/keys/key-record.ts";
import { grantLease } from "../../src/keys/lease.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { recordOf } from "../support/ledger-object.ts";
import { narrow } from "../support/narrow.ts";

const NOW_MS = 1_000_000;

const LEASED = {
  v: 1 as const,
  status: "active" as const,
  facts: { keyId: "k1", name: "test", scopes: ["mcp" as const], tools: {} },
  retryAfterMs: 0,
  accounts: [],
  notes: [],
};

const ledger = (): KeyLedger => {
  const stored = new Map<string, unknown>();
  return new KeyLedger({
    get: (name) => stored.get(name) as never,
    put: (name, value) => void stored.set(name, value),
  });
};

const ask = (more: Partial<LeaseRequest> = {}): LeaseRequest => ({
  v: 1,
  digest: "d",
  bucket: "calls",
  need: 1,
  want: 0,
  ...more,
});

it.each([
  [2, 2],
  [1, 3],
])("a key's object that remembers %i grants of two leaves %i calls used when the first comes back", (most, used) => {
  narrow({ openGrants: most });
  const record = recordOf({ calls: { perMinute: 600, burst: 600 }, perDay: 100 });
  const object = ledger();
  const { grant = "" } = object.pay(record, ask(), NOW_MS);
  object.pay(record, ask(), NOW_MS);
  // What is given back comes with the next call, which is used.
  object.pay(record, ask({ unused: [{ grant, calls: 1 }] }), NOW_MS);
  expect(object.readUsed(NOW_MS)).toBe(used);
});

it.each([
  [3, 3],
  [2, 4],
])(
  "an isolate that holds %i pools of a key asks its object %i times for three and the first again",
  async (most, asked) => {
    narrow({ keyPools: most });
    let asks = 0;
    const lease = async ({ need }: LeaseRequest): Promise<LeaseAnswer> => {
      asks++;
      return { ...LEASED, tokens: need + 100 };
    };
    const env = { API_KEY: { idFromName: (name: string) => name, get: () => ({ lease }) } } as unknown as Env;
    const cache = new KeyCache();
    const pay = (cost: number) =>
      cache.admit(env, { keyId: "k1", digest: "d" }, { bucket: "calls", tool: "t", cost }, () => undefined);
    vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
    onTestFinished(() => void vi.useRealTimers());
    for (const cost of [1, 2, 3, 1]) await pay(cost);
    expect(asks).toBe(asked);
  },
);

it.each([4, 3, 2])(
  "an isolate that remembers of %i tools what pays for them asks its object for three no more often",
  async (most) => {
    narrow({ keyRoutes: most });
    let asks = 0;
    const lease = async (): Promise<LeaseAnswer> => {
      asks++;
      return { ...LEASED, tokens: 100 };
    };
    const env = { API_KEY: { idFromName: (name: string) => name, get: () => ({ lease }) } } as unknown as Env;
    const cache = new KeyCache();
    vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
    onTestFinished(() => void vi.useRealTimers());
    const statuses: string[] = [];
    for (const tool of ["a", "b", "c", "a"]) {
      const price = { bucket: "calls", tool } as const;
      statuses.push((await cache.admit(env, { keyId: "k1", digest: "d" }, price, () => undefined)).status);
    }
    // Once for the first call, when nothing is known of the key, and once for all others.
    expect([statuses, asks]).toEqual([Array.from({ length: 4 }, () => "admitted"), 2]);
  },
);

it.each([
  [LIMITS.controlPerMinute - 1, LIMITS.controlPerMinute],
  [LIMITS.controlPerMinute + 1, LIMITS.controlPerMinute + 1],
])("a key of %i calls a minute has %i other requests", (perMinute, control) => {
  const record = recordOf({ calls: { perMinute, burst: 1 } });
  const [account] = accountsOf(record, ask({ bucket: "control" }));
  expect(account?.rate.perMinute).toBe(control);
});

it.each([
  [2 * LIMITS.quotaAheadShare, 2],
  [2 * LIMITS.quotaAheadShare - 1, 1],
])("of %i calls that are left of a day beyond this one, %i are prepaid", (left, ahead) => {
  const rate = { perMinute: 100_000, burst: 100_000 };
  const account = { name: "calls", rate, bucket: { tokens: rate.burst, atMs: NOW_MS }, prepaid: 0 };
  const { calls } = grantLease(
    { accounts: [account], quota: { perDay: left + 1, used: 0 }, cost: 1 },
    ask({ want: 100 }),
    NOW_MS,
  );
  expect(calls - 1).toBe(ahead);
});

const seconds = (overlapSeconds?: number) =>
  v.safeParse(RotationSchema, overlapSeconds === undefined ? {} : { overlapSeconds });

it("a secret that is rotated works on for as long as is said, and for a while where nothing is", () => {
  const most = LIMITS.keyOverlapSeconds;
  expect([seconds().output, seconds(most).success, seconds(most + 1).success]).toEqual([
    { overlapSeconds: LIMITS.keyOverlapDefaultSeconds },
    true,
    false,
  ]);
});
