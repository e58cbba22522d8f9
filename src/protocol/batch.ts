// JSON-RPC batches, which 2025-03-26 has and no other revision (2025-03-26, basic, "Batching").

import { isJsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { INVALID_REQUEST, ProtocolError } from "./protocol-error.ts";
import type { Revision } from "./revisions.ts";

/** Why an array can't be served as a batch. */
export function refuseBatch(items: readonly unknown[], revision: Revision | undefined): ProtocolError | undefined {
  if (!revision?.batches) return refuse("batches are part of revision 2025-03-26 only");
  if (items.length === 0) return refuse("a batch must not be empty");
  if (items.length > LIMITS.batchItems) return refuse(`a batch holds at most ${LIMITS.batchItems} messages`);
  const handshake = items.some((item) => isJsonObject(item) && item["method"] === "initialize");
  return handshake ? refuse("initialize must not be part of a batch") : undefined;
}

const refuse = (reason: string): ProtocolError => new ProtocolError(INVALID_REQUEST, `Invalid request: ${reason}`, 400);
