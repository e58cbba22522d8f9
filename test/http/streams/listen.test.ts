import { evictDurableObject, reset, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { hubName, hubStub, registryStub } from "../../../src/env.ts";
import { LIMITS } from "../../../src/lib/limits.ts";
import { builtinTools } from "../../../src/tools/builtin/catalog.ts";
import { testEnv } from "../../support/counting-env.ts";
import { SseReader } from "../../support/sse-reader.ts";
import { edgeClient, modern, type EdgeClient } from "../../support/stream-client.ts";
import { admin } from "../../support/test-socket.ts";

const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

const publish = (): Promise<boolean> => runDurableObjectAlarm(registryStub(testEnv) as unknown as DurableObjectStub);
const evictHub = (webSockets: "hibernate" | "close" = "hibernate"): Promise<void> =>
  evictDurableObject(hubStub(testEnv, hubName("weur")) as unknown as DurableObjectStub, { webSockets });

/** Makes a change and publishes it; the new version. */
async function change(): Promise<number> {
  enabled = !enabled;
  const { version } = await admin<{ version: number }>("PATCH", "/tools/tone", { enabled });
  await publish();
  return version;
}
let enabled = true;

const mintKey = async (input: object): Promise<string> =>
  (await admin<{ key: string }>("POST", "/keys", { name: "test", ...input })).key;

async function openGet(client: EdgeClient, headers: Record<string, string>): Promise<SseReader> {
  return new SseReader(await client.fetch("/mcp", { headers: { accept: "text/event-stream", ...headers } }));
}

async function listen(client: EdgeClient, notifications: object, id: string | number = 5): Promise<SseReader> {
  const { message, headers } = modern("subscriptions/listen", { notifications }, { id });
  return new SseReader(await client.post(message, { ...headers, accept: "text/event-stream" }));
}

afterEach(async () => {
  enabled = true;
  await reset();
});

describe("GET with a legacy session", () => {
  it("hears of a change, with the version in the event's id, through an eviction of the hub", async () => {
    const client = await edgeClient(builtinTools);
    const reader = await openGet(client, await client.initialize());
    const version = await change();
    expect(await reader.next()).toEqual({ event: "message", id: `v.${version}`, data: JSON.stringify(CHANGED) });
    await evictHub();
    const next = await change();
    expect((await reader.next())?.id).toBe(`v.${next}`);
  });

  it("hears at once of what it missed since its session began, and since its last event", async () => {
    const client = await edgeClient(builtinTools);
    const headers = await client.initialize();
    const first = await openGet(client, headers);
    const version = await change();
    await first.next();
    await first.cancel();
    const late = await openGet(client, headers);
    expect((await late.next())?.id).toBe(`v.${version}`);
    const behind = await openGet(client, { ...headers, "last-event-id": `v.${version - 1}` });
    expect((await behind.next())?.id).toBe(`v.${version}`);
    const upToDate = await openGet(client, { ...headers, "last-event-id": `v.${version}` });
    const next = await change();
    expect((await upToDate.next())?.id).toBe(`v.${next}`);
  });

  it("hears of a change that its isolate knew at the handshake, when nobody had been told: lists elsewhere were older", async () => {
    const client = await edgeClient(builtinTools);
    const { version } = await admin<{ version: number }>("PATCH", "/tools/tone", { enabled: false });
    await client.post({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const headers = await client.initialize();
    await vi.waitFor(async () => {
      await publish();
      expect((await registryStub(testEnv).readState()).published).toBe(version);
    });
    const reader = await openGet(client, headers);
    expect((await reader.next())?.id).toBe(`v.${version}`);
  });

  it("goes on when its hub is dropped with all its sockets, and misses nothing meanwhile", async () => {
    const client = await edgeClient(builtinTools);
    const get = await openGet(client, await client.initialize());
    const subscription = await listen(client, { toolsListChanged: true });
    await subscription.nextMessage();
    await evictHub("close");
    const missed = await change();
    expect((await get.next())?.id).toBe(`v.${missed}`);
    expect(await subscription.nextMessage()).toMatchObject(CHANGED);
    const next = await change();
    expect((await get.next())?.id).toBe(`v.${next}`);
    expect(await subscription.nextMessage()).toMatchObject(CHANGED);
  });

  it.each([
    ["no session", {}, 405],
    ["a session and a modern version", { "mcp-session-id": "x", "mcp-protocol-version": "2026-07-28" }, 405],
    ["an unknown session", { "mcp-session-id": "x" }, 404],
    ["an unknown version", { "mcp-session-id": "x", "mcp-protocol-version": "1999-01-01" }, 400],
    ["no stream accepted", { "mcp-session-id": "x", accept: "application/json" }, 406],
  ])("is not to be had with %s", async (_, headers: Record<string, string>, status) => {
    const client = await edgeClient(builtinTools);
    const response = await client.fetch("/mcp", { headers: { accept: "text/event-stream", ...headers } });
    await response.text();
    expect([response.status, response.headers.get("allow")]).toEqual([
      status,
      status === 405 ? "POST, GET, DELETE" : null,
    ]);
  });

  it("is one a session: the newest takes over, and counts once", async () => {
    const client = await edgeClient(builtinTools);
    const headers = await client.initialize();
    const readers: SseReader[] = [];
    for (let stream = 0; stream < LIMITS.keySockets + 4; stream++) readers.push(await openGet(client, headers));
    for (const replaced of readers.slice(0, -1)) expect(await replaced.next()).toBeUndefined();
    const version = await change();
    expect((await readers.at(-1)?.next())?.id).toBe(`v.${version}`);
  });

  it("is not to be had a moment after its key was revoked, though an old lease still stands", async () => {
    const client = await edgeClient(builtinTools);
    const headers = await client.initialize();
    await openGet(client, headers);
    const { keys } = await admin<{ keys: { id: string }[] }>("GET", "/keys");
    await admin("DELETE", `/keys/${keys[0]?.id}`);
    await publish();
    const response = await client.fetch("/mcp", { headers: { accept: "text/event-stream", ...headers } });
    await response.text();
    expect([401, 404]).toContain(response.status);
  });

  it("is another key's to open for nobody", async () => {
    const [client, thief] = [await edgeClient(builtinTools), await edgeClient(builtinTools)];
    const headers = await client.initialize();
    const response = await thief.fetch("/mcp", { headers: { ...headers, accept: "text/event-stream" } });
    expect(response.status).toBe(404);
    await response.text();
  });
});

describe("DELETE", () => {
  it("ends a session everywhere, and its stream", async () => {
    const client = await edgeClient(builtinTools);
    const elsewhere = await edgeClient(builtinTools, client.key);
    const headers = await client.initialize();
    const reader = await openGet(client, headers);
    expect((await client.fetch("/mcp", { method: "DELETE", headers })).status).toBe(204);
    await publish();
    expect(await reader.next()).toBeUndefined();
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const after = [
      await client.post(ping, headers),
      await elsewhere.post(ping, headers),
      await elsewhere.fetch("/mcp", { headers: { ...headers, accept: "text/event-stream" } }),
      await client.fetch("/mcp", { method: "DELETE", headers }),
    ];
    for (const response of after) await response.text();
    expect(after.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  it("leaves other sessions of the key alone", async () => {
    const client = await edgeClient(builtinTools);
    const [ended, kept] = [await client.initialize(), await client.initialize()];
    await client.fetch("/mcp", { method: "DELETE", headers: ended });
    expect((await client.post({ jsonrpc: "2.0", id: 1, method: "ping" }, kept)).status).toBe(200);
  });

  it("is not another key's to do", async () => {
    const [client, thief] = [await edgeClient(builtinTools), await edgeClient(builtinTools)];
    const headers = await client.initialize();
    expect((await thief.fetch("/mcp", { method: "DELETE", headers })).status).toBe(404);
    expect((await client.post({ jsonrpc: "2.0", id: 1, method: "ping" }, headers)).status).toBe(200);
  });
});

describe("subscriptions/listen", () => {
  it("acknowledges what it honours, then tells of changes, all with the subscription's id", async () => {
    const client = await edgeClient(builtinTools);
    const reader = await listen(client, {
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ["a"],
    });
    expect(await reader.nextMessage()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { _meta: { [SUBSCRIPTION]: 5 }, notifications: { toolsListChanged: true } },
    });
    await change();
    expect(await reader.nextMessage()).toEqual({ ...CHANGED, params: { _meta: { [SUBSCRIPTION]: 5 } } });
  });

  it("sends nothing that was not asked for", async () => {
    const client = await edgeClient(builtinTools);
    const reader = await listen(client, { promptsListChanged: true }, "s");
    expect(await reader.nextMessage()).toMatchObject({ params: { _meta: { [SUBSCRIPTION]: "s" }, notifications: {} } });
    await change();
    const { id } = (await admin<{ keys: { id: string }[] }>("GET", "/keys")).keys[0] ?? { id: "" };
    await admin("DELETE", `/keys/${id}`);
    await publish();
    expect(await reader.restMessages()).toEqual([expect.objectContaining({ id: "s" })]);
  });

  it("ends with its response when the key is revoked", async () => {
    const client = await edgeClient(builtinTools);
    const reader = await listen(client, { toolsListChanged: true });
    await reader.nextMessage();
    const { keys } = await admin<{ keys: { id: string }[] }>("GET", "/keys");
    await admin("DELETE", `/keys/${keys[0]?.id}`);
    await publish();
    expect(await reader.restMessages()).toEqual([
      { jsonrpc: "2.0", id: 5, result: expect.objectContaining({ resultType: "complete" }) },
    ]);
  });

  it("is told at once of what its client may have missed, and only of what it may see", async () => {
    const client = await edgeClient(builtinTools);
    await change();
    const [late, blind] = [
      await listen(client, { toolsListChanged: true }),
      await listen(await edgeClient(builtinTools, await mintKey({ tools: { deny: ["tone"] } })), {
        toolsListChanged: true,
      }),
    ];
    await Promise.all([late.nextMessage(), blind.nextMessage()]);
    expect(await late.nextMessage()).toMatchObject(CHANGED);
    await admin("PATCH", "/tools/calculate", { enabled: false });
    await publish();
    expect(await late.nextMessage()).toMatchObject(CHANGED);
    const { keys } = await admin<{ keys: { id: string }[] }>("GET", "/keys");
    for (const { id } of keys) await admin("DELETE", `/keys/${id}`);
    await publish();
    expect((await blind.restMessages()).map((message) => (message as { method?: string }).method)).toEqual([
      CHANGED.method,
      undefined,
    ]);
  });

  it("is shown to operators with its client, beside the other ways to listen", async () => {
    const client = await edgeClient(builtinTools);
    await openGet(client, await client.initialize());
    await listen(client, { toolsListChanged: true });
    await openSse(client);
    const { sessions } = await admin<{ sessions: { kind: string; revision?: string; client?: unknown }[] }>(
      "GET",
      "/sessions",
    );
    const shown = sessions.map(({ kind, revision, client: who }) => [kind, revision, who !== undefined]);
    expect(shown.toSorted()).toEqual([
      ["get", "2025-11-25", true],
      ["listen", "2026-07-28", true],
      ["sse", undefined, false],
    ]);
  });

  it("needs a filter, and a client that takes streams", async () => {
    const client = await edgeClient(builtinTools);
    const { message, headers } = modern("subscriptions/listen", {});
    expect((await client.post(message, headers)).status).toBe(400);
    const wanting = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
    const response = await client.post(wanting.message, { ...wanting.headers, accept: "application/json" });
    expect([response.status, await response.json()]).toMatchObject([406, { id: 1, error: { code: -32600 } }]);
  });
});

async function openSse(
  client: EdgeClient,
): Promise<{ reader: SseReader; send: (message: object) => Promise<Response> }> {
  const reader = new SseReader(await client.fetch("/sse", { headers: { accept: "text/event-stream" } }));
  const endpoint = await reader.next();
  expect(endpoint).toEqual({ event: "endpoint", data: expect.stringMatching(/^\/messages\?session=\S+$/) });
  const send = (message: object): Promise<Response> =>
    client.fetch(endpoint?.data ?? "", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(message),
    });
  return { reader, send };
}

describe("HTTP+SSE of 2024-11-05", () => {
  const initialize = {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "old", version: "1" } },
  };

  it("is a whole session: handshake, list, call, news of changes", async () => {
    const client = await edgeClient(builtinTools);
    const { reader, send } = await openSse(client);
    expect((await send(initialize)).status).toBe(202);
    expect(await reader.nextMessage()).toMatchObject({ id: 0, result: { protocolVersion: "2024-11-05" } });
    await send({ jsonrpc: "2.0", method: "notifications/initialized" });
    await send({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "calculate", arguments: { expression: "1+1" } },
    });
    expect(await reader.nextMessage()).toMatchObject({ id: 1, result: { content: [{ type: "text" }] } });
    await change();
    expect(await reader.nextMessage()).toEqual(CHANGED);
    await send({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    const list = await reader.nextMessage<{ result: { tools: { name: string }[] } }>();
    expect(list.result.tools.map(({ name }) => name)).not.toContain("tone");
  });

  it("goes on after an eviction of the hub", async () => {
    const client = await edgeClient(builtinTools);
    const { reader, send } = await openSse(client);
    await send(initialize);
    await reader.nextMessage();
    await evictHub();
    await send({ jsonrpc: "2.0", id: 3, method: "ping" });
    expect(await reader.nextMessage()).toEqual({ jsonrpc: "2.0", id: 3, result: {} });
  });

  const post = (by: EdgeClient, at: string): Promise<Response> =>
    by.fetch(at, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(initialize) });

  it("takes messages from its own key alone, and only while the stream is there", async () => {
    const [client, thief] = [await edgeClient(builtinTools), await edgeClient(builtinTools)];
    const reader = new SseReader(await client.fetch("/sse"));
    const path = (await reader.next())?.data ?? "";
    expect((await post(thief, path)).status).toBe(404);
    expect((await post(client, `${path}x`)).status).toBe(404);
    expect((await post(client, "/messages")).status).toBe(404);
  });
});
