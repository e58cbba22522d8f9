// The headers that mirror the body in the modern era. MCP 2026-07-28, basic/transports/streamable-http, "Request Metadata".

import { decodeBase64 } from "../lib/base64.ts";
import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import type { Request } from "./json-rpc.ts";
import { declaredVersion } from "./meta.ts";
import { HEADER_MISMATCH, ProtocolError } from "./protocol-error.ts";

const SENTINEL_START = "=?base64?";
const SENTINEL_END = "?=";
const DECIMAL = /^-?\d{1,32}(\.\d{1,32})?$/;
// Field values of RFC 9110, section 5.5, as far as MCP lets them through: visible ASCII, space and tab.
const SAFE_VALUE = /^[\x20-\x7e\t]*$/;

/**
 * Throws −32020 unless `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name` say what the body says. A version that is no
 * text can't be mirrored and is left to the check of `_meta`.
 */
export function checkMirroredHeaders(headers: Headers, { method, params }: Request): void {
  const version = declaredVersion(params);
  if (typeof version === "string") checkValue("MCP-Protocol-Version", headers.get("mcp-protocol-version"), version);
  checkValue("Mcp-Method", headers.get("mcp-method"), method);
  if (method === "tools/call") checkValue("Mcp-Name", decodeValue("Mcp-Name", headers.get("mcp-name")), params["name"]);
}

/**
 * Throws −32020 unless each argument that the schema marks with `x-mcp-header` is mirrored in `Mcp-Param-<name>`, and
 * none that is absent. Only properties reached through `properties` alone are looked at ("Schema Extension"). With
 * `mayLack` only headers that are there must be right: of a tool that the client was not listed it can't know them.
 */
export function checkParamHeaders(headers: Headers, schema: unknown, args: unknown, mayLack = false): void {
  if (!isJsonObject(schema) || !isJsonObject(schema["properties"]) || !mirrorsParams(schema)) return;
  for (const [property, subschema] of Object.entries(schema["properties"])) {
    const value = isJsonObject(args) && Object.hasOwn(args, property) ? args[property] : undefined;
    const name = isJsonObject(subschema) ? subschema["x-mcp-header"] : undefined;
    const header = `Mcp-Param-${String(name)}`;
    if (typeof name === "string" && !(mayLack && !headers.has(header))) checkParam(header, headers, value);
    checkParamHeaders(headers, subschema, value, mayLack);
  }
}

const mirroring = new WeakMap<JsonObject, boolean>();

/** Whether anything below is mirrored at all: few tools have that, and what is known of a schema stays true. */
function mirrorsParams(schema: JsonObject): boolean {
  const known = mirroring.get(schema);
  if (known !== undefined) return known;
  const properties = isJsonObject(schema["properties"]) ? Object.values(schema["properties"]) : [];
  const mirrors = properties
    .filter(isJsonObject)
    .some((property) => "x-mcp-header" in property || mirrorsParams(property));
  mirroring.set(schema, mirrors);
  return mirrors;
}

function checkParam(name: string, headers: Headers, value: unknown): void {
  const header = decodeValue(name, headers.get(name));
  if (value === undefined || value === null) {
    if (header !== null) throw mismatch(`${name} is present, but the argument is not`);
  } else if (typeof value === "number" && header !== null) {
    // Compared as numbers, 42.0 being 42, but only decimal ones ("Server Validation").
    if (!DECIMAL.test(header) || Number(header) !== value) throw mismatch(`${name} does not match the body`);
  } else {
    checkValue(name, header, typeof value === "string" ? value : String(value));
  }
}

function checkValue(name: string, header: string | null, body: unknown): void {
  if (header === null) throw mismatch(`${name} is missing`);
  if (!SAFE_VALUE.test(header) && !name.startsWith("Mcp-Param") && name !== "Mcp-Name") {
    throw mismatch(`${name} has characters that a header can't carry`);
  }
  if (header !== body) throw mismatch(`${name} does not match the body`);
}

/** A header's value, out of the Base64 sentinel if it is in one; strict about both spellings. */
function decodeValue(name: string, value: string | null): string | null {
  if (value === null) return null;
  if (!SAFE_VALUE.test(value)) throw mismatch(`${name} has characters that a header can't carry: use =?base64?…?=`);
  if (!value.startsWith(SENTINEL_START) || !value.endsWith(SENTINEL_END)) return value;
  const bytes = decodeBase64(value.slice(SENTINEL_START.length, -SENTINEL_END.length));
  const text = bytes && decodeUtf8(bytes);
  if (text === undefined) throw mismatch(`${name} is not valid Base64 of UTF-8 inside =?base64?…?=`);
  return text;
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const mismatch = (reason: string): ProtocolError =>
  new ProtocolError(HEADER_MISMATCH, `Header mismatch: ${reason}`, 400);
