// What an isolate remembers of keys and addresses is bounded: who was there longest ago is asked about anew.

import { expect, it } from "vitest";
import type { Env } from "../../src/env.ts";
import { KeyCache } from "../../src/keys/key-cache.ts";
import { mintKey } from "../../src/keys/key-format.ts";
import type { LeaseAnswer, LeaseRequest } from "../../src/keys/key-record.ts";
import { Strangers } from "../../src/keys/strangers.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { narrow } from "../support/narrow.ts";

const SIGNING_SECRET = "the signing secret of these tests";

/** Keys' objects that grant more than they are asked for, and note who was asked. */
function setUp() {
  const asked: string[] = [];
  const leaseOf =
    (keyId: string) =>
    async ({ need }: LeaseRequest): Promise<LeaseAnswer> => {
      asked.push(keyId);
      return {
        v: 1,
        status: "active",
        facts: { keyId, name: "test", scopes: ["mcp"], tools: {} },
        tokens: need + 10,
        retryAfterMs: 0,
        accounts: [{ name: "control", limit: { perMinute: 600, burst: 120 }, left: 100 }],
      };
    };
  const namespace = { idFromName: (name: string) => name, get: (name: string) => ({ lease: leaseOf(name) }) };
  return { env: { API_KEY: namespace, SIGNING_SECRET } as unknown as Env, asked };
}

it("keys that were verified, and the leases that they have", async () => {
  narrow({ leasedKeys: 2 });
  const { env, asked } = setUp();
  const cache = new KeyCache();
  const minted = await Promise.all([1, 2, 3].map(() => mintKey({ current: SIGNING_SECRET }, "header")));
  const isKnown = (): boolean[] => minted.map(({ key }) => cache.recall(key) !== undefined);
  for (const { key } of minted.slice(0, 2)) await cache.verify(env, key);
  expect(isKnown()).toEqual([true, true, false]);
  for (const { key } of minted.slice(2)) await cache.verify(env, key);
  expect(isKnown()).toEqual([false, true, true]);
  for (const index of [0, 1, 0, 2, 0, 1]) {
    const { keyId = "", digest = "" } = minted[index] ?? {};
    await cache.admit(env, { keyId, digest }, { bucket: "control" }, () => undefined);
  }
  expect(asked).toEqual([0, 1, 2, 1].map((index) => `key:${minted[index]?.keyId}`));
});

it("a key is looked at up to the longest that one can be, and no longer", async () => {
  const { env } = setUp();
  const cache = new KeyCache();
  const { key } = await mintKey({ current: SIGNING_SECRET }, "header");
  expect(key.length).toBeLessThanOrEqual(LIMITS.keyChars);
  for (const chars of [LIMITS.keyChars, LIMITS.keyChars + 1, 65_536]) {
    expect(await cache.verify(env, key.padEnd(chars, "a"))).toBeUndefined();
  }
});

it("addresses that sent too many bad keys", async () => {
  narrow({ strangers: 2 });
  const strangers = new Strangers();
  const env = { STRANGERS: { limit: async () => ({ success: false }) } } as unknown as Env;
  for (const address of ["a", "b"]) await strangers.countFailure(env, address, 0);
  expect(["a", "b", "c"].map((address) => strangers.readWait(address, 0))).toEqual([
    LIMITS.strangerRestMs,
    LIMITS.strangerRestMs,
    0,
  ]);
  await strangers.countFailure(env, "c", 0);
  expect(["a", "b", "c"].map((address) => strangers.readWait(address, 0))).toEqual([
    0,
    LIMITS.strangerRestMs,
    LIMITS.strangerRestMs,
  ]);
});
