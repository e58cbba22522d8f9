// A client of one key over HTTP, and an operator: every answer is checked, as one that failed would be quick.

import type { BenchServer } from "./bench-server.ts";

const GIVE_UP_MS = 60_000;

export interface Page {
  bytes: number;
  tools: number;
  nextCursor?: string;
}

export interface McpClient {
  /** The text of the result. */
  call: (name: string, args: object) => Promise<string>;
  list: (cursor?: string) => Promise<Page>;
  /** Sends a request and reads the answer without a look at it. */
  send: (method: string, params: object) => Promise<string>;
}

export function createClient(base: URL, key: string): McpClient {
  const send = async (method: string, params: object): Promise<string> => {
    const response = await fetch(new URL("/mcp", base), {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(GIVE_UP_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method}: status ${response.status}: ${text.slice(0, 500)}`);
    return text;
  };
  const ask = async (method: string, params: object): Promise<{ text: string; result: Record<string, unknown> }> => {
    const text = await send(method, params);
    const { result } = JSON.parse(text) as { result?: Record<string, unknown> };
    if (!result || result["isError"]) throw new Error(`${method}: ${text.slice(0, 500)}`);
    return { text, result };
  };
  return {
    send,
    call: async (name, args) => (await ask("tools/call", { name, arguments: args })).text,
    list: async (cursor) => {
      const { text, result } = await ask("tools/list", cursor === undefined ? {} : { cursor });
      const { tools, nextCursor } = result as { tools: unknown[]; nextCursor?: string };
      return { bytes: text.length, tools: tools.length, ...(nextCursor !== undefined && { nextCursor }) };
    },
  };
}

/** A request to the admin API; its answer's JSON. */
export async function askAdmin(
  { url, adminKey }: Pick<BenchServer, "url" | "adminKey">,
  method: string,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(new URL(`/admin/v1${path}`, url), {
    method,
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(GIVE_UP_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: status ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as Record<string, unknown>;
}

export async function mintKey(server: BenchServer, more: object = {}): Promise<string> {
  const limits = { perMinute: 1_000_000, burst: 1_000_000 };
  return String((await askAdmin(server, "POST", "/keys", { name: "bench", limits, ...more }))["key"]);
}

/** A text of so many bytes from the bare Worker, parsed as little as it is. */
export async function readPlain(base: URL, bytes: number): Promise<void> {
  const response = await fetch(new URL(`/?bytes=${bytes}`, base), { signal: AbortSignal.timeout(GIVE_UP_MS) });
  const text = await response.text();
  if (text.length !== bytes) throw new Error(`expected ${bytes} bytes, received ${text.length}`);
}
