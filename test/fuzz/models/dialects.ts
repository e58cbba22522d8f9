// The ways to say the same: each revision with its headers, with a session and without.

import { LEGACY, MODERN } from "../../matrix/cells.ts";
import type { Json, JsonObject } from "./json.ts";
import { headerText, type ToolCall } from "./tool-calls.ts";

export interface Dialect {
  revision: string;
  /** How the server knows: what the message declares, a header, a session, or nothing. */
  by: "meta" | "header" | "session" | "nothing";
}

export const MODERN_DIALECT: Dialect = { revision: MODERN, by: "meta" };

export const DIALECTS: readonly Dialect[] = [
  MODERN_DIALECT,
  ...LEGACY.map((revision): Dialect => ({ revision, by: "header" })),
  ...LEGACY.map((revision): Dialect => ({ revision, by: "session" })),
  { revision: "2025-03-26", by: "nothing" },
];

export interface Told {
  message: JsonObject;
  headers: [string, string][];
}

const PREFIX = "io.modelcontextprotocol/";

export const MODERN_META: JsonObject = {
  [`${PREFIX}protocolVersion`]: MODERN,
  [`${PREFIX}clientInfo`]: { name: "fuzz", version: "1.0.0" },
  [`${PREFIX}clientCapabilities`]: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
};

/** A request, or a notification without an id, as a client of the dialect sends it. */
export function tell({ revision, by }: Dialect, method: string, params: JsonObject, id?: Json): Told {
  const isModern = by === "meta";
  const meta = typeof params["_meta"] === "object" && !Array.isArray(params["_meta"]) ? params["_meta"] : {};
  const said = isModern ? { ...params, _meta: { ...meta, ...MODERN_META } } : params;
  const message: JsonObject = { jsonrpc: "2.0", ...(id !== undefined && { id }), method, params: said };
  return { message, headers: headersOf({ revision, by }, method, params) };
}

/** `tools/call` in a dialect. */
export function tellCall(dialect: Dialect, { name, args, paramHeaders = [], more = {} }: ToolCall, id?: Json): Told {
  const { message, headers } = tell(dialect, "tools/call", { name, arguments: args, ...more }, id);
  return { message, headers: dialect.by === "meta" ? [...headers, ...paramHeaders] : headers };
}

function headersOf({ revision, by }: Dialect, method: string, { name }: JsonObject): [string, string][] {
  switch (by) {
    case "meta": {
      const named: [string, string][] =
        method === "tools/call" && typeof name === "string" ? [["mcp-name", headerText(name)]] : [];
      return [["mcp-protocol-version", revision], ["mcp-method", latin1(method)], ...named];
    }
    case "header":
      return [["mcp-protocol-version", revision]];
    case "session":
      return [
        ["mcp-session-id", `«session.${revision}»`],
        ["mcp-protocol-version", revision],
      ];
    case "nothing":
      return [];
  }
}

/** What can't be in a header can't be mirrored; then the server says so. */
const latin1 = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?");
