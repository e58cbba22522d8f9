// What users of such servers ran into, over a real Worker: what is right, and no other test says.

import { once } from "node:events";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { EventStream } from "../../src/http/event-stream.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { SseReader } from "../support/sse-reader.ts";
import { LEGACY, MODERN, REVISIONS, TRANSPORTS, type Place } from "./cells.ts";
import { Client, type ClientOptions } from "./client.ts";
import { startMatrixServer } from "./server.ts";
import { ODD_SCHEMA } from "./worker/odd-schema.ts";

const server = await startMatrixServer();

const PAGE = "http://localhost:3000";
const KEEP_ALIVE_MS = 25_000;
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};
const BOTH = { "content-type": "application/json", accept: "application/json, text/event-stream" };

async function openClient(place: Place, key: string, more: Partial<ClientOptions> = {}): Promise<Client> {
  const client = await new Client({ ...place, ...more, server: server.url, key }).connect();
  onTestFinished(() => client.wire.drop());
  await client.greet();
  return client;
}

const at = (path: string): URL => new URL(path, server.url);

const post = (path: string, message: unknown, headers: Record<string, string>): Promise<Response> =>
  fetch(at(path), {
    method: "POST",
    redirect: "manual",
    headers: { ...BOTH, ...headers },
    body: JSON.stringify(message),
  });

/** Ends the request when the test ends. */
async function openStream(path: string, init: RequestInit): Promise<Response> {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  return fetch(at(path), { ...init, signal: gone.signal });
}

async function openSession(key: string): Promise<Record<string, string>> {
  const response = await post("/mcp", INITIALIZE, { authorization: `Bearer ${key}` });
  await response.text();
  return { authorization: `Bearer ${key}`, "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

const modernRequest = (
  method: string,
  params: Record<string, unknown>,
): RequestInit & { headers: Record<string, string> } => ({
  method: "POST",
  headers: { ...BOTH, "mcp-protocol-version": MODERN, "mcp-method": method },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: "listener",
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  }),
});

describe("two callers without a session", () => {
  it("get each their own answers, though all have one id", async () => {
    const keys = await Promise.all([server.mintKey(), server.mintKey()]);
    const calls = Array.from({ length: 25 }, (_, index) => keys.map(({ key }, owner) => ({ key, a: index, b: owner })));
    const answers = await Promise.all(
      calls.flat().map(async ({ key, a, b }) => {
        const params = { name: "add", arguments: { a, b: 1_000 * b } };
        const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
        return (await post("/mcp", message, { authorization: `Bearer ${key}` })).json();
      }),
    );
    expect(answers).toEqual(
      calls.flat().map(({ a, b }) => ({
        jsonrpc: "2.0",
        id: 1,
        result: { content: [{ type: "text", text: String(a + 1_000 * b) }] },
      })),
    );
  });
});

describe("a burst of changes", () => {
  it("is one or two notifications, to the newest version", async () => {
    const { key } = await server.mintKey();
    const session = await openSession(key);
    const reader = new SseReader(await openStream("/mcp", { headers: { ...session, accept: "text/event-stream" } }));
    const beganAtMs = Date.now();
    const changes = Array.from({ length: 50 }, (_, index) => server.switchTool("sometimes", index % 2 === 1));
    const newest = Math.max(...(await Promise.all(changes)));
    // On a slow machine it takes longer than it is to be one burst: then a notification each quarter of a second is right.
    const turns = Math.ceil((Date.now() - beganAtMs) / LIMITS.publishSpacingMs);
    const ids: (string | undefined)[] = [];
    while (ids.at(-1) !== `v.${newest}`) ids.push((await reader.next())?.id);
    expect(ids.length).toBeLessThanOrEqual(1 + Math.max(1, turns));
  });
});

describe("a schema", () => {
  it.each(REVISIONS)("is listed as it was declared, to the byte and in its order, in %s", async (revision) => {
    const { key } = await server.mintKey({ tools: { allow: ["odd_schema"] } });
    const client = await openClient({ revision, transport: "json" }, key);
    const { answer } = await client.ask("tools/list");
    const { tools = [] } = answer.result as { tools?: { inputSchema: unknown }[] };
    expect(tools.map(({ inputSchema }) => JSON.stringify(inputSchema))).toEqual([JSON.stringify(ODD_SCHEMA)]);
  });
});

describe("a key in the path", () => {
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const unknown = { jsonrpc: "2.0", id: 1, method: "no/such" };

  it.each<[string, string, RequestInit]>([
    ["an answer", "/mcp", { method: "POST", headers: BOTH, body: JSON.stringify(list) }],
    ["an answer after a slash", "/mcp/", { method: "POST", headers: BOTH, body: JSON.stringify(ping) }],
    ["an error", "/mcp", { method: "POST", headers: BOTH, body: JSON.stringify(unknown) }],
    ["a body that is no JSON", "/mcp", { method: "POST", headers: BOTH, body: "{" }],
    ["a refused method", "/mcp", { method: "GET" }],
    ["a bad session", "/mcp", { method: "DELETE", headers: { "mcp-session-id": "x" } }],
    ["a page that is not there", "/nothing", { method: "GET" }],
  ])("is in %s nowhere, and neither cached nor passed on", async (_, path, init) => {
    const { key } = await server.mintKey({ urlKey: true });
    const response = await fetch(at(`/k/${key}${path}`), { redirect: "manual", ...init });
    const told = JSON.stringify([...response.headers]) + (await response.text());
    expect({
      redirected: response.status >= 300 && response.status < 400,
      told: told.includes(key),
      referrerPolicy: response.headers.get("referrer-policy"),
      cacheControl: response.headers.get("cache-control"),
    }).toEqual({ redirected: false, told: false, referrerPolicy: "no-referrer", cacheControl: "no-store" });
  });

  it("is in a stream's headers nowhere, and neither cached nor passed on", async () => {
    const { key } = await server.mintKey({ urlKey: true });
    const { headers } = await openStream(`/k/${key}/sse`, { headers: { accept: "text/event-stream" } });
    expect({
      told: JSON.stringify([...headers]).includes(key),
      referrerPolicy: headers.get("referrer-policy"),
      cacheControl: headers.get("cache-control"),
    }).toEqual({
      told: false,
      referrerPolicy: "no-referrer",
      cacheControl: expect.stringMatching(/no-store|no-cache/),
    });
  });
});

async function spendAndCall(key: string): Promise<Response> {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add", arguments: { a: 1, b: 2 } } };
  const headers = { origin: PAGE, authorization: `Bearer ${key}` };
  await (await post("/mcp", call, headers)).text();
  return post("/mcp", call, headers);
}

describe("a page of another origin reads the protocol's headers", () => {
  const EXPOSED = [
    "mcp-protocol-version",
    "mcp-session-id",
    "ratelimit",
    "ratelimit-policy",
    "retry-after",
    "www-authenticate",
  ];

  it.each<[string, number, (key: string) => Promise<Response>]>([
    ["of the handshake", 200, (key) => post("/mcp", INITIALIZE, { origin: PAGE, authorization: `Bearer ${key}` })],
    ["of a refused key", 401, () => post("/mcp", INITIALIZE, { origin: PAGE, authorization: "Bearer nobody" })],
    [
      "of an accepted notification",
      202,
      (key) =>
        post(
          "/mcp",
          { jsonrpc: "2.0", method: "notifications/initialized" },
          { origin: PAGE, authorization: `Bearer ${key}` },
        ),
    ],
    ["of a limit", 429, spendAndCall],
    ["of a refused method", 405, (key) => fetch(at("/mcp"), { headers: { origin: PAGE, "x-api-key": key } })],
    [
      "of a stream",
      200,
      (key) =>
        openStream("/sse", { headers: { origin: PAGE, authorization: `Bearer ${key}`, accept: "text/event-stream" } }),
    ],
  ])("%s", async (_, status, send) => {
    const { key } = await server.mintKey({ limits: { perMinute: 1, burst: 1 } });
    const response = await send(key);
    const exposed = response.headers.get("access-control-expose-headers") ?? "";
    expect([
      response.status,
      exposed
        .toLowerCase()
        .split(/\s*,\s*/)
        .toSorted(),
    ]).toEqual([status, EXPOSED]);
  });
});

describe("a spent limit", () => {
  const places: Place[] = [
    ...TRANSPORTS.map((transport) => ({ revision: LEGACY[3], transport })),
    { revision: MODERN, transport: "websocket" },
  ];

  it.each(places)(
    "is told over $transport in $revision under the call's id, with when to come again; lists and pings go on",
    async (place) => {
      const { key } = await server.mintKey({ limits: { perMinute: 1, burst: 1 }, tools: { deny: ["page_*"] } });
      const client = await openClient(place, key);
      await client.call("add", { a: 1, b: 2 });
      const { answer } = await client.call("add", { a: 1, b: 2 }, { id: "too-many" });
      const listed = await client.ask("tools/list");
      const retryAfterSeconds = expect.toSatisfy((value) => Number.isInteger(value) && Number(value) >= 1);
      expect([answer, listed.answer.error, client.faults]).toEqual([
        {
          jsonrpc: "2.0",
          id: "too-many",
          error: {
            code: 429,
            message: expect.stringContaining("Rate limit exceeded"),
            data: { retryAfterSeconds, limit: { perMinute: 1, burst: 1 }, scope: "key" },
          },
        },
        undefined,
        [],
      ]);
    },
  );
});

describe("a stream", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const listen = modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } });

  it.each<[string, (authorization: string) => Promise<Response>]>([
    ["GET /sse", (authorization) => openStream("/sse", { headers: { authorization, accept: "text/event-stream" } })],
    [
      "GET /mcp",
      async (authorization) => {
        const session = await openSession(authorization.slice("Bearer ".length));
        return openStream("/mcp", { headers: { ...session, accept: "text/event-stream" } });
      },
    ],
    [
      "subscriptions/listen",
      (authorization) => openStream("/mcp", { ...listen, headers: { ...listen.headers, authorization } }),
    ],
  ])("of %s is there at once, with a comment, and no proxy may hold it back", async (_, open) => {
    const { key } = await server.mintKey();
    const response = await open(`Bearer ${key}`);
    const first = await response.body?.getReader().read();
    const text = new TextDecoder().decode(first?.value as Uint8Array);
    const headers = ["content-type", "x-accel-buffering", "cache-control"].map((name) => response.headers.get(name));
    expect([text.slice(0, 8), headers]).toEqual([
      ": open\n\n",
      ["text/event-stream", "no", expect.stringContaining("no-transform")],
    ]);
  });

  it("is kept open by a comment every 25 s, which is no event, until its client goes", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const gone = new AbortController();
    const stream = new EventStream(gone.signal);
    const reader = new SseReader(stream.response);
    stream.send({ event: "message", data: "1" });
    await reader.next();
    vi.advanceTimersByTime(2 * KEEP_ALIVE_MS);
    stream.send({ event: "message", data: "2" });
    await reader.next();
    expect(reader.raw).toBe(
      ": open\n\nevent: message\ndata: 1\n\n: keep-alive\n\n: keep-alive\n\nevent: message\ndata: 2\n\n",
    );
    const ended = once(stream.ended, "abort");
    gone.abort();
    await ended;
    expect(vi.getTimerCount()).toBe(0);
  });
});
