// An MCP server behind a `fetch`, which answers as a test has it and remembers what it was sent.

import { createRedactor } from "../../src/sanitize/secrets.ts";
import type { EgressInit } from "../../src/tools/context.ts";
import { createEgress } from "../../src/tools/egress.ts";
import type { UpstreamTarget } from "../../src/tools/upstream/exchange.ts";

export interface SentMessage {
  method: string;
  params: Record<string, unknown>;
  headers: Headers;
  message: Record<string, unknown>;
}

/** What a method is answered with: a result, an error, or a whole response. */
export type Method = (sent: SentMessage, signal: AbortSignal) => object | Response | Promise<object | Response>;

export interface ScriptedUpstream {
  fetcher: typeof fetch;
  sent: SentMessage[];
  /** What it was sent, by the method's name. */
  methods: () => string[];
}

export const UPSTREAM_URL = "https://up.example/mcp";
export const TARGET: UpstreamTarget = { name: "up", url: UPSTREAM_URL, headers: {}, redactor: createRedactor([]) };

/** A method that is not in the script is not found; notifications are accepted. There is nothing to GET. */
export function scriptUpstream(script: Record<string, Method>): ScriptedUpstream {
  const sent: SentMessage[] = [];
  const fetcher: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.method === "GET") return new Response(null, { status: 404 });
    const message = await request.clone().json<Record<string, unknown>>();
    const method = String(message["method"] ?? "response");
    const params = (message["params"] ?? {}) as Record<string, unknown>;
    const entry = { method, params, headers: request.headers, message };
    sent.push(entry);
    const answer = script[method];
    if (!answer) {
      if (message["id"] === undefined || method === "response") return new Response(null, { status: 202 });
      return Response.json({ jsonrpc: "2.0", id: message["id"], error: { code: -32601, message: "Method not found" } });
    }
    const given = await answer(entry, request.signal);
    return given instanceof Response ? given : Response.json({ jsonrpc: "2.0", id: message["id"], ...given });
  };
  return { fetcher, sent, methods: () => sent.map(({ method }) => method) };
}

export const result = (value: object) => ({ result: value });
export const error = (code: number, message: string) => ({ error: { code, message } });

/** The handshake of a legacy server, with a session id that tells how many there were. */
export function handshake(version = "2025-11-25"): Method {
  let sessions = 0;
  return ({ message }) =>
    Response.json(
      { jsonrpc: "2.0", id: message["id"], result: { protocolVersion: version, capabilities: { tools: {} } } },
      { headers: { "mcp-session-id": `s${++sessions}` } },
    );
}

export const discovery: Method = () => result({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });

/** Events one after another, as a stream that then ends; what is no text is sent as JSON. */
export const events = (...messages: (object | string)[]): Response => {
  const lines = messages.map((message) =>
    typeof message === "string" ? message : `data: ${JSON.stringify(message)}\n\n`,
  );
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
};

/** The guarded way to a script; `settle` waits for what goes on when a call is over. */
export function linkTo({ fetcher }: ScriptedUpstream, signal = new AbortController().signal) {
  const egress = createEgress({ allow: "", ownHosts: [], fetcher });
  const later: Promise<unknown>[] = [];
  return {
    fetch: (url: string, init?: EgressInit) => egress(url, init, signal),
    fetchLater: (url: string, init?: EgressInit) =>
      void later.push(egress(url, init, new AbortController().signal).catch(() => undefined)),
    settle: () => Promise.all(later),
  };
}
