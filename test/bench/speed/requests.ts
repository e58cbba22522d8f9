// What is asked of a server, and whether it answers rightly.

import type { Era } from "./servers.ts";

export type Question = "call" | "bad call" | "list";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

export interface Asked {
  headers: Record<string, string>;
  body: string;
}

const QUESTIONS: Record<Question, { method: string; params: Record<string, unknown> }> = {
  call: { method: "tools/call", params: { name: "echo", arguments: { text: "hello world" } } },
  "bad call": { method: "tools/call", params: { name: "add", arguments: { a: "no number", b: 2 } } },
  list: { method: "tools/list", params: {} },
};

/** A request in the words of an era; `more` are headers of the server's own, its key's and session's. */
export function ask(question: Question, era: Era, id: number, more: Record<string, string> = {}): Asked {
  const { method, params } = QUESTIONS[question];
  const isModern = era === "modern";
  const name = params["name"];
  const headers = {
    ...accepting,
    "mcp-protocol-version": isModern ? "2026-07-28" : "2025-06-18",
    ...(isModern && { "mcp-method": method, ...(typeof name === "string" && { "mcp-name": name }) }),
    ...more,
  };
  return { headers, body: message(method, isModern ? { ...params, _meta: META } : params, id) };
}

const accepting = { "content-type": "application/json", accept: "application/json, text/event-stream" };

const message = (method: string, params: object, id?: number): string =>
  JSON.stringify({ jsonrpc: "2.0", ...(id !== undefined && { id }), method, params });

const INITIALIZE = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } };

export const initialize = (more: Record<string, string>): Asked => ({
  headers: { ...accepting, ...more },
  body: message("initialize", INITIALIZE, 1),
});

export const initialized = (more: Record<string, string>): Asked => ({
  headers: { ...accepting, "mcp-protocol-version": "2025-06-18", ...more },
  body: message("notifications/initialized", {}),
});

/** The message in a body, be it JSON or an event. */
export function readMessage(text: string): Record<string, unknown> {
  const json = /^\s*[{[]/.test(text) ? text : (/(?:^|\n)data: ?(.*)/.exec(text)?.[1] ?? "");
  return JSON.parse(json) as Record<string, unknown>;
}

interface Result {
  content?: { text?: string }[];
  tools?: unknown[];
  isError?: boolean;
}

/** Throws when an answer is not what was asked for. */
export function check(question: Question, id: number, tools: number, text: string): void {
  const told = readMessage(text);
  const result = told["result"] as Result | undefined;
  const isRight = {
    call: () => result?.content?.[0]?.text === "hello world",
    "bad call": () => told["error"] !== undefined || result?.isError === true,
    list: () => result?.tools?.length === tools,
  }[question]();
  if (!isRight || told["id"] !== id) throw new Error(`${question}: a wrong answer: ${text.slice(0, 300)}`);
}
