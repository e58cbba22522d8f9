// Ids of stream events, which a client sends back as `Last-Event-ID`: where it was on which stream of its session.
// MCP 2025-11-25, basic/transports, "Resumability and Redelivery".

import { decodeBase64Url, encodeBase64Url } from "../lib/base64.ts";
import { isId, type Id } from "./json-rpc.ts";

/**
 * A place on the stream of changes (the catalogue's version, and how often what the key may see changed), or on the stream
 * of a call.
 */
export type EventPlace =
  | { stream: "changes"; version: number; changes: number }
  | { stream: "call"; requestId: Id; seq: number };

export const encodeEventId = (place: EventPlace): string =>
  place.stream === "changes"
    ? `v.${place.version}${place.changes > 0 ? `.${place.changes}` : ""}`
    : `c.${encodeId(place.requestId)}.${place.seq}`;

/** `undefined` for what is none of this server's ids. */
export function decodeEventId(text: string): EventPlace | undefined {
  const [kind, first = "", second = "", more] = text.split(".");
  if (more !== undefined) return undefined;
  if (kind === "v" && /^\d{1,15}$/.test(first) && /^\d{0,15}$/.test(second)) {
    return { stream: "changes", version: Number(first), changes: Number(second) };
  }
  if (kind !== "c" || !/^\d{1,8}$/.test(second)) return undefined;
  const requestId = decodeId(first);
  return requestId === undefined ? undefined : { stream: "call", requestId, seq: Number(second) };
}

/** The id of a question that a call asks its client. */
export const encodeQuestionId = (requestId: Id, question: number): string => `q.${encodeId(requestId)}.${question}`;

/** Which call's which question a response answers. */
export function decodeQuestionId(id: Id): { requestId: Id; question: number } | undefined {
  const [kind, first = "", second = "", more] = String(id).split(".");
  if (kind !== "q" || more !== undefined || !/^\d{1,8}$/.test(second)) return undefined;
  const requestId = decodeId(first);
  return requestId === undefined ? undefined : { requestId, question: Number(second) };
}

const encodeId = (id: Id): string => encodeBase64Url(new TextEncoder().encode(JSON.stringify(id)));

function decodeId(text: string): Id | undefined {
  const bytes = decodeBase64Url(text);
  if (!bytes || bytes.length === 0) return undefined;
  try {
    const id: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
