// Sockets and streams of a key whose rules, expiry or secret changed: hubs hold copies of those.

import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { apiKeyStub, hubName, hubStub, registryStub } from "../../src/env.ts";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import { testEnv } from "../support/counting-env.ts";
import { SseReader } from "../support/sse-reader.ts";
import { edgeClient } from "../support/stream-client.ts";
import { admin, fetchWorker, openTestSession, openTestSocket, type TestSocket } from "../support/test-socket.ts";

afterEach(() => reset());

const PING = { jsonrpc: "2.0", id: 7, method: "ping" };
const PONG = { jsonrpc: "2.0", id: 7, result: {} };
const ENDED = { code: 1008, reason: "ended by the server" };

const mint = (more: object = {}) => admin<{ id: string; key: string }>("POST", "/keys", { name: "test", ...more });
const objectOf = (id: string) => apiKeyStub(testEnv, id) as unknown as DurableObjectStub;
const publish = (): Promise<boolean> => runDurableObjectAlarm(registryStub(testEnv) as unknown as DurableObjectStub);

/** What the key's object has to tell is told, and told on. */
async function tell(id: string): Promise<void> {
  await runDurableObjectAlarm(objectOf(id));
  await publish();
}

/** What waits to be closed is due now. */
const passOverlap = (id: string): Promise<void> =>
  runInDurableObject(objectOf(id), (_, ctx) => {
    const closures = ctx.storage.kv.get<{ tag: string }[]>("closures") ?? [];
    ctx.storage.kv.put(
      "closures",
      closures.map(({ tag }) => ({ tag, atMs: 0 })),
    );
  });

async function expectOpen(socket: TestSocket): Promise<void> {
  socket.send(PING);
  expect(await socket.next()).toEqual(PONG);
}

describe("a change of what hubs hold a copy of", () => {
  it.each([
    ["rules", { tools: { deny: ["tone"] } }],
    ["expiry", { expiresAt: "2100-01-01T00:00:00Z" }],
    ["scopes", { scopes: ["mcp", "admin:read"] }],
    ["discovery", { discovery: true }],
  ])("closes the sockets of the key: %s", async (_, change) => {
    const [{ id, key }, other] = [await mint(), await mint()];
    const [socket, bystander] = [await openTestSession(key), await openTestSession(other.key)];
    await admin("PATCH", `/keys/${id}`, change);
    await tell(id);
    expect(await socket.closed).toEqual(ENDED);
    await expectOpen(bystander);
  });

  it.each([
    ["a name", { name: "other" }],
    ["limits", { limits: { perMinute: 10 } }],
    ["the rules that there are", { tools: { allow: ["*"] } }],
    ["discovery that is off already", { discovery: false }],
  ])("is not %s", async (_, change) => {
    const { id, key } = await mint({ tools: { allow: ["*"] } });
    const socket = await openTestSession(key);
    await admin("PATCH", `/keys/${id}`, change);
    expect(await runDurableObjectAlarm(objectOf(id))).toBe(false);
    await expectOpen(socket);
  });

  it("lets nobody in on old facts for a while, and everybody on the new ones", async () => {
    const { id, key } = await mint();
    const isolate = await edgeClient(builtinTools, key);
    const headers = { accept: "text/event-stream", ...(await isolate.initialize()) };
    await openTestSocket(key);
    await admin("PATCH", `/keys/${id}`, { tools: { deny: ["tone"] } });
    await tell(id);
    const old = await isolate.fetch("/mcp", { headers });
    expect({ status: old.status, wait: old.headers.get("retry-after"), body: await old.json() }).toEqual({
      status: 503,
      wait: "2",
      body: {
        jsonrpc: "2.0",
        id: null,
        error: { code: 503, message: "This API key was changed a moment ago", data: { retryAfterSeconds: 2 } },
      },
    });
    const fresh = await (await edgeClient(builtinTools, key)).fetch("/mcp", { headers });
    expect(fresh.status).toBe(200);
    await fresh.body?.cancel();
  });

  it("is told through an eviction of the key's object, and again until the registry has it", async () => {
    const { id, key } = await mint();
    const socket = await openTestSession(key);
    await admin("PATCH", `/keys/${id}`, { scopes: ["mcp", "admin"] });
    await evictDurableObject(objectOf(id));
    await tell(id);
    expect(await socket.closed).toEqual(ENDED);
    expect(await runInDurableObject(objectOf(id), (_, ctx) => ctx.storage.kv.get("closures"))).toBeUndefined();
  });
});

describe("a rotation", () => {
  it("drops no socket before the overlap ends, and then those alone that were opened with the old secret", async () => {
    const { id, key } = await mint();
    const before = await openTestSession(key);
    const { key: next } = await admin<{ key: string }>("POST", `/keys/${id}/rotate`, { overlapSeconds: 60 });
    const [meanwhile, renewed] = [await openTestSession(key), await openTestSession(next)];
    await tell(id);
    for (const socket of [before, meanwhile, renewed]) await expectOpen(socket);
    await passOverlap(id);
    await tell(id);
    expect([await before.closed, await meanwhile.closed]).toEqual([ENDED, ENDED]);
    await expectOpen(renewed);
  });

  it("ends streams that were opened with the old secret, too", async () => {
    const { id, key } = await mint();
    const headers = { authorization: `Bearer ${key}`, accept: "text/event-stream" };
    const reader = new SseReader(await fetchWorker("/sse", { headers }));
    expect((await reader.next())?.event).toBe("endpoint");
    await admin("POST", `/keys/${id}/rotate`, { overlapSeconds: 0 });
    await tell(id);
    expect(await reader.next()).toBeUndefined();
  });

  it("shuts out at once who comes with the old secret on an old lease", async () => {
    const { id, key } = await mint();
    const socket = await openTestSession(key);
    await admin("POST", `/keys/${id}/rotate`, { overlapSeconds: 0 });
    await tell(id);
    expect(await socket.closed).toEqual(ENDED);
    await expect(openTestSocket(key)).rejects.toThrow(/answered with (401|409)/);
    const held = runInDurableObject(
      hubStub(testEnv, hubName("weur")) as unknown as DurableObjectStub,
      (_, ctx) => ctx.getWebSockets().length,
    );
    expect(await held).toBe(0);
  });
});
