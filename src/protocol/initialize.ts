// The legacy handshake. MCP 2025-11-25, basic/lifecycle.

import type { JsonObject } from "../lib/json-value.ts";
import { parseClientInfo, type ClientInfo } from "./meta.ts";
import { INVALID_PARAMS, ProtocolError } from "./protocol-error.ts";
import { negotiateRevision, type Revision } from "./revisions.ts";

/** What `initialize` settles. Throws −32602 when it asks for no version. */
export function parseInitialize({ protocolVersion, clientInfo }: JsonObject): {
  revision: Revision;
  client: ClientInfo;
} {
  if (typeof protocolVersion !== "string") {
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "protocolVersion" must be a string');
  }
  return { revision: negotiateRevision(protocolVersion), client: parseClientInfo(clientInfo) };
}
