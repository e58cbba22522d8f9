// Sockets and streams of a key whose rules, expiry or secret changed: hubs hold copies of those.

import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { apiKeyStub, hubName, hubStub, registryStub } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { readAttachment } from "../../src/sessions/attachment.ts";
import { openSocket } from "../../src/sessions/open-socket.ts";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import { testEnv } from "../support/counting-env.ts";
import { SseReader } from "../support/sse-reader.ts";
import { edgeClient, modern, type EdgeClient } from "../support/stream-client.ts";
import { admin, fetchWorker, openTestSession, openTestSocket, type TestSocket } from "../support/test-socket.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

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

const pass = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms);
};

/** Changes a key, which is told once no lease from before lives. */
async function change(id: string, patch: object): Promise<void> {
  await admin("PATCH", `/keys/${id}`, patch);
  pass(LIMITS.leaseLifeMs);
  await tell(id);
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

const DENY = { tools: { deny: ["tone"] } };
const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
const CHANGED_ONCE = { event: "message", id: "v.1.1", data: JSON.stringify(CHANGED) };
const hub = () => hubStub(testEnv, hubName("weur")) as unknown as DurableObjectStub;

async function openGet(client: EdgeClient, headers: Record<string, string>): Promise<SseReader> {
  return new SseReader(await client.fetch("/mcp", { headers: { accept: "text/event-stream", ...headers } }));
}

/** A subscription that is acknowledged. */
async function subscribe(client: EdgeClient): Promise<SseReader> {
  const { message, headers } = modern("subscriptions/listen", { notifications: { toolsListChanged: true } }, { id: 5 });
  const reader = new SseReader(await client.post(message, { ...headers, accept: "text/event-stream" }));
  await reader.next();
  return reader;
}

const dropHub = (): Promise<void> => evictDurableObject(hub(), { webSockets: "close" });

/** Streams of a key, both ways, whose hub goes while `meanwhile` happens and has been forgotten when they come back. */
async function comeBack(key: string, meanwhile: (client: EdgeClient, headers: HeadersInit) => Promise<void>) {
  const client = await edgeClient(builtinTools, key);
  const headers = await client.initialize();
  const [get, listen] = [await openGet(client, headers), await subscribe(client)];
  await dropHub();
  await meanwhile(client, headers);
  pass(LIMITS.closureKeptMs + 1);
  return { get, listen };
}

/** Makes the next version of the catalogue, and has it told. */
async function changeCatalogue(): Promise<void> {
  await admin("PATCH", "/tools/calculate", { enabled: false });
  await publish();
}

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
  ])("closes the sockets of the key: %s", async (_, patch) => {
    const [{ id, key }, other] = [await mint(), await mint()];
    const [socket, bystander] = [await openTestSession(key), await openTestSession(other.key)];
    await change(id, patch);
    expect(await socket.closed).toEqual(ENDED);
    await expectOpen(bystander);
  });

  it.each([
    ["a name", { name: "other" }],
    ["limits", { limits: { perMinute: 10 } }],
    ["the rules that there are", { tools: { allow: ["*"] } }],
    ["discovery that is off already", { discovery: false }],
  ])("is not %s", async (_, patch) => {
    const { id, key } = await mint({ tools: { allow: ["*"] } });
    const socket = await openTestSession(key);
    await admin("PATCH", `/keys/${id}`, patch);
    expect(await runDurableObjectAlarm(objectOf(id))).toBe(false);
    await expectOpen(socket);
  });

  it("closes nothing while a lease from before may live, by which the client would list what was", async () => {
    const { id, key } = await mint();
    const socket = await openTestSession(key);
    await admin("PATCH", `/keys/${id}`, DENY);
    pass(LIMITS.leaseLifeMs - 1);
    await tell(id);
    await expectOpen(socket);
    pass(1);
    await tell(id);
    expect(await socket.closed).toEqual(ENDED);
  });

  it("lets who comes on an old lease in on the new facts", async () => {
    const { id, key } = await mint();
    const isolate = await edgeClient(builtinTools, key);
    const headers = await isolate.initialize();
    await openTestSocket(key);
    await admin("PATCH", `/keys/${id}`, DENY);
    pass(LIMITS.leaseLifeMs - 1);
    await isolate.initialize();
    pass(1);
    await tell(id);
    const reader = await openGet(isolate, headers);
    expect(await reader.next()).toEqual(CHANGED_ONCE);
    const kept = runInDurableObject(hub(), (_, ctx) =>
      ctx.getWebSockets().map((socket) => readAttachment(socket)?.session),
    );
    expect(await kept).toEqual([expect.objectContaining({ changes: 1, tools: { deny: ["tone"] } })]);
  });

  it("is told through an eviction of the key's object, and again until the registry has it", async () => {
    const { id, key } = await mint();
    const socket = await openTestSession(key);
    await admin("PATCH", `/keys/${id}`, { scopes: ["mcp", "admin"] });
    pass(LIMITS.leaseLifeMs);
    await evictDurableObject(objectOf(id));
    await tell(id);
    expect(await socket.closed).toEqual(ENDED);
    expect(await runInDurableObject(objectOf(id), (_, ctx) => ctx.storage.kv.get("closures"))).toBeUndefined();
  });
});

describe("a client whose stream was closed by a change of its key", () => {
  it("hears of it when it opens another, until it says that it has", async () => {
    const { id, key } = await mint(DENY);
    const client = await edgeClient(builtinTools, key);
    const headers = await client.initialize();
    const before = await openGet(client, headers);
    await change(id, { tools: { deny: null } });
    expect(await before.next()).toBeUndefined();
    const late = await openGet(client, headers);
    expect(await late.next()).toEqual(CHANGED_ONCE);
    const upToDate = await openGet(client, { ...headers, "last-event-id": CHANGED_ONCE.id });
    const begun = await openGet(client, await client.initialize());
    await changeCatalogue();
    expect([(await upToDate.next())?.id, (await begun.next())?.id]).toEqual(["v.2.1", "v.2.1"]);
  });

  it("hears of it when it subscribes again, while it may hold a list from before", async () => {
    const { id, key } = await mint({ discovery: true });
    const client = await edgeClient(builtinTools, key);
    const before = await subscribe(client);
    await change(id, { discovery: null });
    expect(await before.nextMessage()).toMatchObject({ id: 5, result: {} });
    const [late, socket] = [await subscribe(client), await openTestSocket(key)];
    expect(await late.nextMessage()).toMatchObject(CHANGED);
    const { message } = modern("subscriptions/listen", { notifications: { toolsListChanged: true } }, { id: 6 });
    socket.send(message);
    expect([await socket.next(), await socket.next()]).toMatchObject([
      { method: "notifications/subscriptions/acknowledged" },
      CHANGED,
    ]);
    pass(LIMITS.listTtlMs * (1 + LIMITS.ttlJitterShare));
    const later = await subscribe(client);
    await admin("DELETE", `/keys/${id}`);
    await publish();
    expect(await later.restMessages()).toMatchObject([{ id: 5, result: {} }]);
  });

  it("hears of it in time where its stream was opened while leases from before still lived", async () => {
    const { id, key } = await mint();
    const client = await edgeClient(builtinTools, key);
    const headers = await client.initialize();
    await admin("PATCH", `/keys/${id}`, DENY);
    const early = await openGet(await edgeClient(builtinTools, key), headers);
    pass(LIMITS.leaseLifeMs);
    await tell(id);
    expect(await early.next()).toBeUndefined();
    expect(await (await openGet(client, headers)).next()).toEqual(CHANGED_ONCE);
  });
});

describe("a stream whose hub was dropped", () => {
  it("does not outlive its key", async () => {
    const { id, key } = await mint();
    const { get, listen } = await comeBack(key, async () => {
      await admin("DELETE", `/keys/${id}`);
      await publish();
    });
    expect(await get.next()).toBeUndefined();
    expect(await listen.restMessages()).toMatchObject([{ id: 5, result: {} }]);
  });

  it("does not outlive its key's scope", async () => {
    const { id, key } = await mint();
    const { get } = await comeBack(key, () => change(id, { scopes: ["admin:read"] }));
    expect(await get.next()).toBeUndefined();
  });

  it("does not outlive its session", async () => {
    const { key } = await mint();
    const { get } = await comeBack(key, async (client, headers) => {
      await client.fetch("/mcp", { method: "DELETE", headers });
      await publish();
    });
    expect(await get.next()).toBeUndefined();
  });

  it("is refused at once where the hub remembers the closure", async () => {
    const { id, key } = await mint();
    const client = await edgeClient(builtinTools, key);
    const get = await openGet(client, await client.initialize());
    await dropHub();
    await admin("DELETE", `/keys/${id}`);
    await publish();
    expect(await get.next()).toBeUndefined();
  });

  it("goes on under the rules that there are now, and says so once", async () => {
    const { id, key } = await mint();
    const { get, listen } = await comeBack(key, () => change(id, { tools: { deny: ["calculate"] } }));
    expect(await get.next()).toEqual(CHANGED_ONCE);
    expect(await listen.nextMessage()).toMatchObject(CHANGED);
    await changeCatalogue();
    await admin("PATCH", "/tools/tone", { enabled: false });
    await publish();
    expect((await get.next())?.id).toBe("v.3.1");
    expect(await listen.nextMessage()).toMatchObject(CHANGED);
  });
});

it("lets nobody in on the strength of an old lease, in a hub that was evicted after a closure", async () => {
  const { id, key } = await mint();
  await openTestSocket((await mint()).key);
  await openTestSocket(key);
  await admin("DELETE", `/keys/${id}`);
  await publish();
  await evictDurableObject(hub());
  const session = { v: 1 as const, keyId: id, digest: "d", host: "toolgate.example" };
  const { response } = await openSocket(testEnv, undefined, { kind: "websocket", session, tags: [] }, false);
  expect(response.status).toBe(410);
});

it("drops a socket that took longer to open than its hub remembers closures", async () => {
  const limits = LIMITS as { openingMs: number };
  const { openingMs } = limits;
  limits.openingMs = -1;
  try {
    const { key } = await mint();
    const client = await edgeClient(builtinTools, key);
    const get = await client.fetch("/mcp", {
      headers: { accept: "text/event-stream", ...(await client.initialize()) },
    });
    expect([get.status, get.headers.get("retry-after")]).toEqual([503, "1"]);
    await expect(openTestSocket(key)).rejects.toThrow("answered with 504");
  } finally {
    limits.openingMs = openingMs;
  }
});

it("closes the sockets of a revoked key even when the request that revoked it went no further", async () => {
  const { id, key } = await mint();
  const socket = await openTestSession(key);
  await apiKeyStub(testEnv, id).revoke();
  await tell(id);
  expect(await socket.closed).toEqual(ENDED);
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
