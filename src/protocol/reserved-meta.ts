// Names in `_meta` that are not a tool's to give.

import type { JsonObject } from "../lib/json-value.ts";

/** The protocol's own names. */
export const MCP_PREFIX = "io.modelcontextprotocol/";
/** This server's: in reverse DNS notation, the second label not MCP's own (2026-07-28, basic, "_meta"). */
export const OWN_PREFIX = "io.toolgate/";

/** A result's `_meta` without what only the server that answers may say; `undefined` when nothing is left. */
export function withoutReserved(meta: JsonObject): JsonObject | undefined {
  const own = Object.entries(meta).filter(([name]) => !name.startsWith(MCP_PREFIX) && !name.startsWith(OWN_PREFIX));
  return own.length === 0 ? undefined : Object.fromEntries(own);
}
