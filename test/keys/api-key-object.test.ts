import { evictDurableObject, reset } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { apiKeyStub } from "../../src/env.ts";
import { mintKey } from "../../src/keys/key-format.ts";
import type { KeyRecord } from "../../src/keys/key-record.ts";
import { testEnv } from "../support/counting-env.ts";

const SECRETS = { current: "signing" };

async function createKey(more: Partial<KeyRecord> = {}) {
  const { keyId, digest } = await mintKey(SECRETS, "header");
  const record: KeyRecord = {
    id: keyId,
    name: "test",
    place: "header",
    digest,
    scopes: ["mcp"],
    tools: {},
    calls: { perMinute: 10, burst: 10 },
    createdAtMs: Date.now(),
    ...more,
  };
  const stub = apiKeyStub(testEnv, keyId);
  await stub.create(record);
  const lease = (need: number, bucket: "calls" | "control" = "calls") =>
    stub.lease({ v: 1, digest, bucket, need, want: 0 });
  return { record, stub, lease, evict: () => evictDurableObject(stub as unknown as DurableObjectStub) };
}

describe("ApiKey", () => {
  afterEach(() => reset());

  it("answers status, rules and prepaid calls in one call", async () => {
    const { record, lease } = await createKey({ tools: { deny: ["x"] } });
    expect(await lease(4)).toEqual({
      v: 1,
      status: "active",
      facts: { keyId: record.id, name: "test", scopes: ["mcp"], tools: { deny: ["x"] } },
      tokens: 4,
      retryAfterMs: 0,
      accounts: [{ name: "calls", limit: { perMinute: 10, burst: 10 }, left: 6 }],
      notes: [],
    });
  });

  it("keeps calls and everything else in buckets of their own", async () => {
    const { lease } = await createKey();
    await lease(10);
    expect(await lease(1)).toMatchObject({ tokens: 0 });
    expect(await lease(1, "control")).toMatchObject({ tokens: 1 });
  });

  it("gives nothing back to a key whose object was evicted", async () => {
    const { lease, evict } = await createKey();
    await lease(9);
    await evict();
    expect(await lease(5)).toMatchObject({ status: "active", tokens: 1 });
    await evict();
    expect(await lease(1)).toMatchObject({ status: "active", tokens: 0 });
  });

  it("counts a day exactly across evictions, and gives it back only what it remembers", async () => {
    const { stub, record, lease, evict } = await createKey({ perDay: 7, calls: { perMinute: 600, burst: 600 } });
    const { digest } = record;
    const first = await lease(3);
    expect(first).toMatchObject({
      tokens: 3,
      accounts: [{ name: "calls" }, { name: "day", limit: { perDay: 7 }, left: 4 }],
    });
    const grant = "grant" in first ? (first.grant ?? "") : "";
    const ask = { v: 1, digest, bucket: "calls", need: 0, want: 0 } as const;
    await stub.lease({ ...ask, unused: [{ grant, calls: 2 }] });
    expect((await stub.read())?.usedToday).toBe(1);
    // The second time it is not believed, nor is another name.
    await stub.lease({
      ...ask,
      unused: [
        { grant, calls: 2 },
        { grant: "other", calls: 5 },
      ],
    });
    expect((await stub.read())?.usedToday).toBe(1);
    const second = await lease(4);
    await evict();
    await stub.lease({ ...ask, unused: [{ grant: "grant" in second ? (second.grant ?? "") : "", calls: 4 }] });
    expect((await stub.read())?.usedToday).toBe(5);
    expect(await lease(9)).toMatchObject({ tokens: 2, dry: "day" });
    await evict();
    expect(await lease(1)).toMatchObject({ tokens: 0, dry: "day" });
  });

  it("pays nothing that is priced by other facts than its own, and takes what is given back all the same", async () => {
    const { stub, record, lease } = await createKey({ perDay: 7, calls: { perMinute: 600, burst: 600 } });
    const first = await lease(3);
    const grant = "grant" in first ? (first.grant ?? "") : "";
    await stub.change({ tools: { deny: ["x"] } });
    const ask = { v: 1, digest: record.digest, bucket: "calls", need: 2, want: 2, hungry: true } as const;
    const outdated = {
      v: 1,
      status: "active",
      facts: { edition: 1, tools: { deny: ["x"] } },
      tokens: 0,
      accounts: [{ left: 597 }, { left: 6 }],
      outdated: true,
    };
    expect(await stub.lease({ ...ask, pricedFor: 0, unused: [{ grant, calls: 2 }] })).toMatchObject(outdated);
    expect(await stub.lease({ ...ask, pricedFor: -1 })).toMatchObject(outdated);
    expect((await stub.read())?.usedToday).toBe(1);
    const paid = await stub.lease({ ...ask, pricedFor: 1 });
    expect([paid, "outdated" in paid, (await stub.read())?.usedToday]).toMatchObject([{ tokens: 2 }, false, 3]);
  });

  it("keeps slots through an eviction", async () => {
    const { stub, evict } = await createKey({ concurrent: 2 });
    const hold = (holder: string, running: number) => stub.hold({ v: 1, holder, seq: 1, running, idle: 0 });
    expect(await hold("a", 2)).toEqual({ v: 1, slots: 2, limit: 2 });
    await evict();
    expect(await hold("b", 1)).toEqual({ v: 1, slots: 0, limit: 2 });
  });

  it("bounds no running calls where the key does not", async () => {
    const { stub } = await createKey();
    expect(await stub.hold({ v: 1, holder: "a", seq: 1, running: 5, idle: 0 })).toEqual({ v: 1, slots: Infinity });
  });

  it("stays revoked across evictions, and keeps the time", async () => {
    const { stub, lease, evict } = await createKey();
    expect(await stub.revoke()).toBe(true);
    const revoked = await stub.read();
    await evict();
    await stub.revoke();
    expect(await lease(1)).toEqual({ v: 1, status: "revoked" });
    expect(await stub.read()).toEqual(revoked);
  });

  it("knows when it expired", async () => {
    const { lease } = await createKey({ expiresAtMs: Date.now() - 1 });
    expect(await lease(1)).toEqual({ v: 1, status: "expired" });
  });

  it("knows nobody under another digest, and answers the same where there is no key", async () => {
    const { stub } = await createKey();
    const nobody = apiKeyStub(testEnv, "kaaaaaaaaaaaaaaa");
    const ask = { v: 1, digest: "other", bucket: "calls", need: 1, want: 0 } as const;
    expect(await stub.lease(ask)).toEqual({ v: 1, status: "unknown" });
    expect(await nobody.lease(ask)).toEqual({ v: 1, status: "unknown" });
    expect([await nobody.read(), await nobody.revoke()]).toEqual([undefined, false]);
  });

  it("does not let a second creation replace a key", async () => {
    const { record, stub } = await createKey();
    await stub.create({ ...record, name: "other" });
    expect((await stub.read())?.record.name).toBe("test");
  });
});
