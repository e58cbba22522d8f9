// The legacy handshake. MCP 2025-11-25, basic/lifecycle.

import type { JsonObject } from "../lib/json-value.ts";
import { parseAbilities } from "./abilities.ts";
import { parseClientInfo } from "./meta.ts";
import { INVALID_PARAMS, ProtocolError } from "./protocol-error.ts";
import { negotiateRevision } from "./revisions.ts";
import type { LegacySession } from "./session-id.ts";

/** What `initialize` settles. Throws −32602 when it asks for no version. */
export function parseInitialize({ protocolVersion, clientInfo, capabilities }: JsonObject): LegacySession {
  if (typeof protocolVersion !== "string") {
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "protocolVersion" must be a string');
  }
  return {
    revision: negotiateRevision(protocolVersion),
    client: parseClientInfo(clientInfo),
    abilities: parseAbilities(capabilities),
  };
}
