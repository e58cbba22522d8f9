// What every answer says of itself, whatever route or error it comes from: not to be kept, sniffed, framed or told on.

import { reset } from "cloudflare:test";
import * as v from "valibot";
import { afterEach, describe, expect, it } from "vitest";
import type { Env } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { ADMIN_KEY, CLIENT, GUARDS, META, modernHeaders, notification, openGate, request } from "../support/app.ts";

afterEach(() => reset());

const say = defineTool({
  name: "say",
  description: "Says so while it runs.",
  input: v.object({}),
  run: (_, { log }) => {
    log("info", "so");
    return "said";
  },
});

const STREAM_GUARDS = { ...GUARDS, "cache-control": "no-store, no-transform" };

const JSON_TYPE = { "content-type": "application/json" };
const STREAM = { accept: "text/event-stream" };
const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { ...JSON_TYPE, ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
});
const initialize = request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: CLIENT });
const sayIt = request("tools/call", { name: "say" });
const LISTEN = { notifications: { toolsListChanged: true }, _meta: META };
const modern = modernHeaders("subscriptions/listen") as Record<string, string>;

/** `path` with a header key; `/k/KEY…` with a URL key; `admin` paths with the admin key; `bindings` for another world. */
type Row = [what: string, status: number, path: string, init?: RequestInit, bindings?: Partial<Env>];

const ANSWERS: Row[] = [
  ["the page as programs have it", 200, "/", { headers: { accept: "application/json" } }],
  ["the state of health", 200, "/healthz"],
  ["a bad state of health", 503, "/healthz", {}, { SIGNING_SECRET: "" }],
  ["what is not there", 404, "/nothing"],
  ["OAuth's documents", 404, "/.well-known/oauth-protected-resource"],
  ["a registration", 400, "/register", { method: "POST" }],
  ["a handshake", 200, "/mcp", post(initialize)],
  ["a result", 200, "/mcp", post(sayIt)],
  ["a result as an event", 200, "/mcp", post(request("ping"), STREAM)],
  ["a batch", 200, "/mcp", post([request("ping")])],
  ["a notification", 202, "/mcp", post(notification("notifications/initialized"))],
  ["an error", 200, "/mcp", post(request("no/such"))],
  ["what is no JSON", 400, "/mcp", post("{")],
  ["too long a body", 413, "/mcp", post(" ".repeat(LIMITS.bodyBytes + 1))],
  ["a body of another type", 415, "/mcp", post("x", { "content-type": "text/plain" })],
  ["an answer that nobody takes", 406, "/mcp", post(request("ping"), { accept: "text/html" })],
  ["an unknown session", 404, "/mcp", post(request("ping"), { "mcp-session-id": "x" })],
  ["an unknown session's end", 404, "/mcp", { method: "DELETE", headers: { "mcp-session-id": "x" } }],
  ["a wrong method", 405, "/mcp", { method: "PUT" }],
  ["no method but the type's", 405, "/mcp", { method: "OPTIONS" }],
  ["a head", 405, "/mcp", { method: "HEAD" }],
  ["a page's question beforehand", 204, "/mcp", { method: "OPTIONS", headers: { origin: "https://gate.example" } }],
  ["a page's request", 200, "/mcp", post(request("ping"), { origin: "https://gate.example" })],
  ["another page's request", 403, "/mcp", post(request("ping"), { origin: "https://evil.example" })],
  ["a loop", 508, "/mcp", post(request("ping"), { "toolgate-hops": "9" })],
  ["a refused key", 401, "/mcp", post(request("ping"), { authorization: "Bearer none" })],
  ["a socket without a key", 401, "/mcp", { headers: { upgrade: "websocket", authorization: "Bearer none" } }],
  ["a fault of ours", 500, "/mcp", post(request("ping")), { SIGNING_SECRET: "" }],
  ["a post to no stream", 404, "/messages?session=x", post(request("ping"))],
  ["a result under a key in the path", 200, "/k/KEY/mcp", post(sayIt)],
  ["a refused key in the path", 401, "/k/none/mcp", post(request("ping"))],
  ["a wrong method under a key in the path", 405, "/k/KEY/mcp"],
  ["what is not there under a key in the path", 404, "/k/KEY/nothing"],
  ["keys in the path where they are off", 404, "/k/KEY/mcp", post(sayIt), { URL_KEYS: "off" }],
  ["a new key", 201, "/admin/v1/keys", post({ name: "n" })],
  ["a list of the admin API", 200, "/admin/v1/tools"],
  ["the audit trail", 200, "/admin/v1/audit"],
  ["its export", 200, "/admin/v1/audit?format=ndjson"],
  ["statistics", 200, "/admin/v1/stats"],
  ["a problem", 400, "/admin/v1/keys", post("{")],
  ["an unknown route of the admin API", 404, "/admin/v1/nothing"],
  ["a refused admin key", 401, "/admin/v1/keys", { headers: { authorization: "Bearer none" } }],
];

const STREAMS: Row[] = [
  ["a call's stream", 200, "/mcp", post(sayIt, { accept: `application/json, text/event-stream` })],
  ["a subscription", 200, "/mcp", post(request("subscriptions/listen", LISTEN), { ...modern, ...STREAM })],
  ["HTTP+SSE", 200, "/sse", { headers: STREAM }],
  ["HTTP+SSE under a key in the path", 200, "/k/KEY/sse", { headers: STREAM }],
];

async function look([, , path, init = {}, bindings]: Row) {
  const gate = openGate([say], bindings);
  const key = path.startsWith("/admin") ? ADMIN_KEY : await openGate().mint({ urlKey: path.startsWith("/k/") });
  const credentials = path.startsWith("/k/") ? {} : { authorization: `Bearer ${key}` };
  const gone = new AbortController();
  const headers = { ...credentials, ...(init.headers as Record<string, string> | undefined) };
  const response = await gate.fetch(path.replace("KEY", key), { ...init, headers, signal: gone.signal });
  const told = Object.fromEntries(Object.keys(GUARDS).map((name) => [name, response.headers.get(name)]));
  gone.abort();
  await response.body?.cancel().catch(() => undefined);
  return { status: response.status, ...told };
}

describe("an answer is guarded:", () => {
  it.each(ANSWERS)("%s", async (...row) => {
    expect(await look(row)).toEqual({ status: row[1], ...GUARDS });
  });
});

describe("a stream is guarded:", () => {
  it.each(STREAMS)("%s", async (...row) => {
    expect(await look(row)).toEqual({ status: row[1], ...STREAM_GUARDS });
  });
});
