// Names in `_meta` that are not a tool's to give.

import type { JsonObject } from "../lib/json-value.ts";
import { removeHidden } from "../sanitize/clean-output.ts";

/** The protocol's own names. */
export const MCP_PREFIX = "io.modelcontextprotocol/";
/** This server's: in reverse DNS notation, the second label not MCP's own (2026-07-28, basic, "_meta"). */
export const OWN_PREFIX = "io.toolgate/";

/**
 * A result's `_meta` without what only the server that answers may say; `undefined` when nothing is left. A name is what
 * it will be without hidden characters, which are taken out later.
 */
export function withoutReserved(meta: JsonObject): JsonObject | undefined {
  const own = Object.entries(meta).filter(([name]) => !isReserved(name) && !isReserved(removeHidden(name)));
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

const isReserved = (name: string): boolean => name.startsWith(MCP_PREFIX) || name.startsWith(OWN_PREFIX);
