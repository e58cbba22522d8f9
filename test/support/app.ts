// A composed app in an isolate of its own (fresh caches) before the test Worker's objects, and callers that hold a key.

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { expect, onTestFinished } from "vitest";
import { allParts, composeWorker } from "../../src/compose.ts";
import type { Env } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import type { Tool } from "../../src/tools/define-tool.ts";
import { testEnv } from "./counting-env.ts";

export const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
export const MODERN = "2026-07-28";
export const REVISIONS = [...LEGACY, MODERN] as const;
export type RevisionName = (typeof REVISIONS)[number];

export const HOST = "https://gate.example";
export const ADMIN_KEY = "admin-key-of-these-tests";

/** `undefined` takes away a header that would be sent otherwise. */
export type HeaderFields = Record<string, string | undefined>;

/** A response as far as most tests look: `body` is parsed JSON, `null` when there is none. */
export interface Answer {
  status: number;
  body: unknown;
}

export interface Gate {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** A request to the admin API with the admin key. */
  admin(method: string, path: string, body?: unknown, headers?: HeaderFields): Promise<Response>;
  /** Mints a key and answers with it. */
  mint(input?: Record<string, unknown>): Promise<string>;
  caller(key: string): Caller;
}

export interface Caller {
  key: string;
  /** Posts a body: text and streams as they are, anything else as JSON. */
  send(body: unknown, headers?: HeaderFields): Promise<Response>;
  post(body: unknown, headers?: HeaderFields): Promise<Answer>;
  /** A request with id 1 as a client of the revision without a session sends it. */
  ask(revision: RevisionName, method: string, params?: object, headers?: HeaderFields): Promise<Answer>;
  /** Shakes hands and answers with the session id. */
  openSession(revision: RevisionName): Promise<string>;
}

export function openGate(tools: readonly Tool[] = builtinTools, bindings: Partial<Env> = {}): Gate {
  const { app } = composeWorker(tools, allParts());
  const env: Env = { ...testEnv, ADMIN_KEY, ...bindings };
  const fetch = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const ctx = createExecutionContext();
    const url = URL.canParse(path) ? path : HOST + path;
    const response = await app.fetch(new Request(url, { redirect: "manual", ...init }), env, ctx);
    await waitOnExecutionContext(ctx);
    return response;
  };
  const admin: Gate["admin"] = (method, path, body, headers = {}) =>
    fetch(`/admin/v1${path}`, {
      method,
      headers: fieldsOf({ authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json", ...headers }),
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const mint = async (input: Record<string, unknown> = {}): Promise<string> => {
    const response = await admin("POST", "/keys", { name: "test", ...input });
    if (response.status !== 201) throw new Error(`no key: ${await response.text()}`);
    return (await response.json<{ key: string }>()).key;
  };
  return { fetch, admin, mint, caller: (key) => createCaller(fetch, key) };
}

/** A gate and a caller with a fresh key. */
export async function openCaller(tools?: readonly Tool[], bindings: Partial<Env> = {}): Promise<Gate & Caller> {
  const gate = openGate(tools, bindings);
  return { ...gate, ...gate.caller(await gate.mint()) };
}

function createCaller(fetch: Gate["fetch"], key: string): Caller {
  const send: Caller["send"] = (body, headers = {}) =>
    fetch("/mcp", {
      method: "POST",
      headers: fieldsOf({ authorization: `Bearer ${key}`, "content-type": "application/json", ...headers }),
      body: isRaw(body) ? body : JSON.stringify(body),
    });
  const post: Caller["post"] = async (body, headers) => readAnswer(await send(body, headers));
  const ask: Caller["ask"] = (revision, method, params = {}, headers = {}) =>
    revision === MODERN
      ? post(request(method, { ...params, _meta: META }), { ...modernHeaders(method, params), ...headers })
      : post(request(method, params), { "mcp-protocol-version": revision, ...headers });
  const openSession: Caller["openSession"] = async (revision) => {
    const response = await send(
      request("initialize", { protocolVersion: revision, capabilities: {}, clientInfo: CLIENT }),
    );
    const id = response.headers.get("mcp-session-id");
    if (id === null) throw new Error(`no session: ${await response.text()}`);
    return id;
  };
  return { key, send, post, ask, openSession };
}

const isRaw = (body: unknown): body is string | Uint8Array<ArrayBuffer> | ReadableStream =>
  typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;

const fieldsOf = (fields: HeaderFields): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));

export const CLIENT = { name: "client", version: "1.0.0" };

/** The `_meta` that every request of the modern era carries. */
export const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": CLIENT,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** What every result of the modern era carries. */
export const COMPLETE = {
  resultType: "complete",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "toolgate", title: "toolgate", version: "0.1.0" } },
};

/** A `ttlMs`, which differs from answer to answer. */
const ttlAround = (middleMs: number): unknown =>
  expect.toSatisfy((ms) => typeof ms === "number" && Math.abs(ms - middleMs) <= LIMITS.ttlJitterShare * middleMs);
export const LIST_TTL = ttlAround(LIMITS.listTtlMs);
export const DISCOVER_TTL = ttlAround(LIMITS.discoverTtlMs);

/** The headers of every answer that is no stream and no page. */
export const GUARDS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** The headers that mirror a request of the modern era. */
export const modernHeaders = (method: string, params: object = {}): HeaderFields => ({
  "mcp-protocol-version": MODERN,
  "mcp-method": method,
  ...("name" in params && { "mcp-name": String(params.name) }),
});

export const request = (method: string, params: object = {}, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

export const notification = (method: string, params: object = {}) => ({ jsonrpc: "2.0", method, params });

export const resultOf = (result: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, result });

/** An error response; by default with any message. */
export const errorOf = (code: number, id: unknown = 1, message: unknown = expect.any(String), data?: unknown) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message, ...(data !== undefined && { data }) },
});

export async function readAnswer(response: Response): Promise<Answer> {
  const body = await response.text();
  return { status: response.status, body: body === "" ? null : JSON.parse(body) };
}

/** A stream that fails the test when anybody reads it, even where the error of reading is swallowed. */
export function unreadStream(): ReadableStream {
  let reads = 0;
  onTestFinished(() => expect(reads, "reads of a body that must not be read").toBe(0));
  const pull = (): never => {
    reads++;
    throw new Error("this body must not be read");
  };
  return new ReadableStream({ type: "bytes", pull });
}

/** A body that breaks off after its beginning, as that of a client that leaves. */
export function brokenStream(beginning: string): ReadableStream {
  let isBegun = false;
  return new ReadableStream({
    type: "bytes",
    pull: (controller) => {
      if (isBegun) return controller.error(new Error("the client left"));
      isBegun = true;
      controller.enqueue(new TextEncoder().encode(beginning));
    },
  });
}
