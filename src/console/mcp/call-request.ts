// A `tools/call` as it goes out: what is shown to the operator is what is sent. MCP 2026-07-28.

import { LOG_LEVEL, requestMeta, REVISION } from "./request-meta.ts";

export interface CallRequest {
  url: string;
  /** All but the key. */
  headers: Record<string, string>;
  body: { jsonrpc: "2.0"; id: string; method: "tools/call"; params: Record<string, unknown> };
}

export interface CallInput {
  name: string;
  arguments: unknown;
  inputSchema: unknown;
  /** The least severe log messages that are wanted; none for "". */
  logLevel: string;
  /** What goes on with a call that asked for something. */
  answers?: { inputResponses: Record<string, unknown>; requestState?: string };
}

export function toCallRequest(
  { name, arguments: args, inputSchema, logLevel, answers }: CallInput,
  id: string,
): CallRequest {
  return {
    url: `${location.origin}/mcp`,
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": REVISION,
      "mcp-method": "tools/call",
      "mcp-name": encodeValue(name),
      ...paramHeaders(inputSchema, args),
    },
    body: {
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: {
        name,
        arguments: args,
        ...answers,
        _meta: requestMeta({ progressToken: id, ...(logLevel !== "" && { [LOG_LEVEL]: logLevel }) }),
      },
    },
  };
}

/** The arguments that the schema marks with `x-mcp-header` ("Schema Extension"). */
function paramHeaders(schema: unknown, args: unknown): Record<string, string> {
  if (!isRecord(schema) || !isRecord(schema["properties"]) || !isRecord(args)) return {};
  const headers: Record<string, string> = {};
  for (const [property, subschema] of Object.entries(schema["properties"])) {
    const value = args[property];
    if (!isRecord(subschema) || value === undefined || value === null) continue;
    const name = subschema["x-mcp-header"];
    if (typeof name === "string") headers[`mcp-param-${name.toLowerCase()}`] = encodeValue(String(value));
    Object.assign(headers, paramHeaders(subschema, value));
  }
  return headers;
}

/** What a header can't carry as it is goes as Base64 of its UTF-8. */
function encodeValue(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith("=?base64?");
  if (isPlain) return value;
  const bytes = Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte)).join("");
  return `=?base64?${btoa(bytes)}?=`;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
