import { findExcess } from "../lib/json-value.ts";
import { INVALID_REQUEST, PARSE_ERROR, ProtocolError } from "./protocol-error.ts";

/** A body or frame → parsed JSON. Throws −32600 for one beyond the limits of nesting and members, −32700 for no JSON. */
export function parseText(text: string): unknown {
  const excess = findExcess(text);
  if (excess !== undefined) throw new ProtocolError(INVALID_REQUEST, `Invalid request: ${excess}`, 400);
  try {
    return JSON.parse(text);
  } catch {
    throw new ProtocolError(PARSE_ERROR, "Parse error: expected one JSON-RPC message", 400);
  }
}
