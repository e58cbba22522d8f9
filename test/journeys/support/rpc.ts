// JSON-RPC by hand, for what no SDK would send.

import { randomUUID } from "node:crypto";

export interface Message {
  jsonrpc?: "2.0";
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

export interface HttpAnswer {
  status: number;
  headers: Headers;
  body: Message;
}

export const LIST_CHANGED: Message = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };

export const request = (method: string, params: Record<string, unknown> = {}, id: string | number = randomUUID()) => ({
  jsonrpc: "2.0" as const,
  id,
  method,
  params,
});

/** A call of the tool whose answer shows which call it belongs to. */
export const calculate = (expression: string, id?: string | number) =>
  request("tools/call", { name: "calculate", arguments: { expression } }, id);

/** What `calculate` answers in the legacy revisions that have structured results. */
export const calculated = (id: string | number, expression: string, result: number): Message => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text: `${expression} = ${result}` }], structuredContent: { expression, result } },
});

export const initialize = (protocolVersion = "2025-11-25") =>
  request("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "journey", version: "1.0.0" } });

/** The `_meta` of a request that needs no session. */
export const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "journey", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A request that needs no session, and the headers that mirror it. */
export const modernRequest = (method: string, params: Record<string, unknown> = {}) => ({
  message: request(method, { ...params, _meta: MODERN_META }),
  headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": method },
});

export async function post(
  url: URL,
  key: string,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<HttpAnswer> {
  const sent = new Headers(headers);
  sent.set("authorization", `Bearer ${key}`);
  sent.set("content-type", "application/json");
  sent.set("accept", "application/json, text/event-stream");
  const response = await fetch(url, { method: "POST", headers: sent, body: JSON.stringify(message) });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Message };
}

/** The headers of a session with 2025-11-25, which has structured results. */
export async function openHttpSession(url: URL, key: string): Promise<Record<string, string>> {
  const { status, headers } = await post(url, key, initialize());
  const id = headers.get("mcp-session-id");
  if (status !== 200 || id === null) throw new Error(`initialize: status ${status}, session id ${id}`);
  return { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
}

/** The names in an answer to `tools/list`. */
export function toolNames({ result }: Message): string[] {
  if (!result) throw new Error("tools/list was answered with an error");
  return (result["tools"] as { name: string }[]).map(({ name }) => name);
}
