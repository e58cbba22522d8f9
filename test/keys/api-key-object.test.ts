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
      rate: { perMinute: 10, burst: 10 },
      tokens: 4,
      retryAfterMs: 0,
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
