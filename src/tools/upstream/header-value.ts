// Values of the body that the modern era mirrors into headers. MCP 2026-07-28, basic/transports/streamable-http,
// "Request Metadata", and server/tools, "x-mcp-header".

import { encodeBase64 } from "../../lib/base64.ts";
import { isJsonObject, type JsonObject } from "../../lib/json-value.ts";
import { PARAM_HEADER } from "../param-headers.ts";

const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const SENTINEL = /^=\?base64\?.*\?=$/;

/** The text itself where a header can carry it, else in the Base64 sentinel. */
export const encodeHeaderValue = (text: string): string =>
  PLAIN.test(text) && !SENTINEL.test(text) ? text : `=?base64?${encodeBase64(new TextEncoder().encode(text))}?=`;

/** The `Mcp-Param-…` headers of a call: for arguments whose properties the schema marks, as far as they are there. */
export function paramHeaders(schema: unknown, args: unknown): Record<string, string> {
  if (!isJsonObject(schema) || !isJsonObject(schema["properties"]) || !isJsonObject(args)) return {};
  const headers = Object.entries(schema["properties"]).flatMap(([property, subschema]) => {
    if (!isJsonObject(subschema) || !Object.hasOwn(args, property)) return [];
    const own = paramHeader(subschema, args[property]);
    return [...own, ...Object.entries(paramHeaders(subschema, args[property]))];
  });
  return Object.fromEntries(headers);
}

function paramHeader({ [PARAM_HEADER]: name }: JsonObject, value: unknown): [string, string][] {
  if (typeof name !== "string") return [];
  if (typeof value === "string") return [[`mcp-param-${name.toLowerCase()}`, encodeHeaderValue(value)]];
  if (typeof value === "number" || typeof value === "boolean")
    return [[`mcp-param-${name.toLowerCase()}`, String(value)]];
  return [];
}
