// JSON-RPC batches, which 2025-03-26 has and no other revision (2025-03-26, basic, "Batching").

import { isJsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { encodeError, findId, isSilent } from "./json-rpc.ts";
import { INTERNAL_ERROR, INVALID_REQUEST, ProtocolError } from "./protocol-error.ts";
import type { Revision } from "./revisions.ts";

/** Why an array can't be served as a batch. */
export function refuseBatch(items: readonly unknown[], revision: Revision | undefined): ProtocolError | undefined {
  if (!revision?.batches) return refuse("batches are part of revision 2025-03-26 only");
  if (items.length === 0) return refuse("a batch must not be empty");
  if (items.length > LIMITS.batchItems) return refuse(`a batch holds at most ${LIMITS.batchItems} messages`);
  const handshake = items.some((item) => isJsonObject(item) && item["method"] === "initialize");
  return handshake ? refuse("initialize must not be part of a batch") : undefined;
}

/**
 * The answers of a batch as one array, in order; `undefined` when there is none. A notification or response has no answer,
 * not even an error. What goes beyond the limit of bytes is answered with an error in its place.
 */
export function encodeBatch(items: readonly unknown[], answers: readonly (string | undefined)[]): string | undefined {
  let room = LIMITS.batchChars;
  const kept = answers.flatMap((answer, index) => {
    if (answer === undefined || isSilent(items[index])) return [];
    room -= answer.length;
    return room >= 0 ? answer : encodeError(findId(items[index]), tooLong);
  });
  return kept.length === 0 ? undefined : `[${kept.join(",")}]`;
}

const tooLong = new ProtocolError(
  INTERNAL_ERROR,
  `The answers of this batch are longer than ${LIMITS.batchChars} characters in all: send this request by itself`,
);

const refuse = (reason: string): ProtocolError => new ProtocolError(INVALID_REQUEST, `Invalid request: ${reason}`, 400);
