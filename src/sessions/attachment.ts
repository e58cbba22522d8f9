// What a hub keeps with a socket across hibernation. Parsed on wake: the code may be newer than what it wrote.

import * as v from "valibot";
import { ToolRulesSchema } from "../keys/key-record.ts";
import { AbilitiesSchema } from "../protocol/abilities.ts";
import { LOG_LEVELS } from "../protocol/log-level.ts";
import type { SocketHandshake, SocketSession } from "./hub-contract.ts";

const HandshakeSchema = v.object({
  revision: v.string(),
  client: v.object({ name: v.string(), version: v.string() }),
  abilities: AbilitiesSchema,
  logLevel: v.optional(v.picklist(LOG_LEVELS)),
}) satisfies v.GenericSchema<unknown, SocketHandshake>;

export const SocketSessionSchema = v.object({
  v: v.literal(1),
  keyId: v.string(),
  digest: v.string(),
  host: v.string(),
  tools: v.exactOptional(ToolRulesSchema),
  expiresAtMs: v.exactOptional(v.number()),
  changes: v.exactOptional(v.number()),
  legacy: v.exactOptional(HandshakeSchema),
}) satisfies v.GenericSchema<unknown, SocketSession>;

/**
 * `websocket` and `sse`: a whole session of JSON-RPC frames, the second by way of the edge. `changes`: an edge stream that
 * only wants to know of versions.
 */
export const SocketKindSchema = v.picklist(["websocket", "sse", "changes"]);
export type SocketKind = v.InferOutput<typeof SocketKindSchema>;

const AttachmentSchema = v.object({
  kind: SocketKindSchema,
  session: SocketSessionSchema,
  openedAtMs: v.number(),
  /** The newest catalogue version that the socket was told of or started from. */
  heard: v.number(),
  /** Requests of stateless clients that asked to hear of changes. */
  subscriptions: v.array(v.union([v.string(), v.number()])),
});

export type Attachment = v.InferOutput<typeof AttachmentSchema>;

/** `undefined` for a socket that this code can't make sense of. */
export function readAttachment(socket: WebSocket): Attachment | undefined {
  const parsed = v.safeParse(AttachmentSchema, socket.deserializeAttachment());
  return parsed.success ? parsed.output : undefined;
}

export const writeAttachment = (socket: WebSocket, attachment: Attachment): void =>
  socket.serializeAttachment(attachment);
