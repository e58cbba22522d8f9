// A client of the edge app in this isolate, over any number of "isolates": each has its caches to itself.

import { createExecutionContext } from "cloudflare:test";
import { allParts, composeWorker } from "../../src/compose.ts";
import type { Tool } from "../../src/tools/define-tool.ts";
import { testEnv } from "./counting-env.ts";

const ORIGIN = "https://toolgate.example";

export interface EdgeClient {
  key: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** POSTs a message to the endpoint; `headers` on top of what every client sends. */
  post(message: unknown, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>;
  /** Shakes hands; the headers of the session's later requests. */
  initialize(protocolVersion?: string, capabilities?: object): Promise<Record<string, string>>;
}

/** An isolate of its own, for a key that is minted now or given. */
export async function edgeClient(tools: readonly Tool[], key?: string): Promise<EdgeClient> {
  const { app } = composeWorker(tools, allParts());
  const fetchEdge = async (path: string, init: RequestInit = {}): Promise<Response> =>
    app.fetch(new Request(`${ORIGIN}${path}`, init), testEnv, createExecutionContext());
  const client: EdgeClient = {
    key: key ?? (await mint(fetchEdge)),
    fetch: (path, init = {}) =>
      fetchEdge(path, { ...init, headers: { authorization: `Bearer ${client.key}`, ...init.headers } }),
    post: (message, headers = {}, signal) =>
      client.fetch("/mcp", {
        method: "POST",
        ...(signal && { signal }),
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
        body: JSON.stringify(message),
      }),
    initialize: async (protocolVersion = "2025-11-25", capabilities = {}) => {
      const params = { protocolVersion, capabilities, clientInfo: { name: "test", version: "1" } };
      const response = await client.post({ jsonrpc: "2.0", id: "init", method: "initialize", params });
      await response.text();
      const sessionId = response.headers.get("mcp-session-id") ?? "";
      return { "mcp-session-id": sessionId, "mcp-protocol-version": protocolVersion };
    },
  };
  return client;
}

async function mint(fetchEdge: (path: string, init: RequestInit) => Promise<Response>): Promise<string> {
  const response = await fetchEdge("/admin/v1/keys", {
    method: "POST",
    headers: { authorization: `Bearer ${testEnv.ADMIN_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "test" }),
  });
  return (await response.json<{ key: string }>()).key;
}

/** `tools/call` as a legacy client sends it. */
export const call = (name: string, more: object = {}, id: string | number = 1): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {}, ...more },
});

/** A request of the stateless era and the headers that mirror it. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  { capabilities = {}, meta = {}, id = 1 }: { capabilities?: object; meta?: object; id?: string | number } = {},
): { message: object; headers: Record<string, string> } {
  const declared = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...meta,
  };
  return {
    message: { jsonrpc: "2.0", id, method, params: { ...params, _meta: declared } },
    headers: {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof params["name"] === "string" && { "mcp-name": params["name"] }),
    },
  };
}
