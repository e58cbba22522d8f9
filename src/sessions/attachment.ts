// What a hub keeps with a socket across hibernation. Parsed on wake: the code may be newer than what it wrote.

import * as v from "valibot";
import { ToolRulesSchema } from "../keys/key-record.ts";
import { REGIONS } from "../lib/region.ts";
import { AbilitiesSchema } from "../protocol/abilities.ts";
import { LOG_LEVELS } from "../protocol/log-level.ts";
import type { SocketHandshake, SocketSession } from "./hub-contract.ts";

const SpeakerSchema = v.object({
  revision: v.string(),
  client: v.object({ name: v.string(), version: v.string() }),
});

const HandshakeSchema = v.object({
  ...SpeakerSchema.entries,
  abilities: AbilitiesSchema,
  logLevel: v.optional(v.picklist(LOG_LEVELS)),
}) satisfies v.GenericSchema<unknown, SocketHandshake>;

export const SocketSessionSchema = v.object({
  v: v.literal(1),
  keyId: v.string(),
  digest: v.string(),
  host: v.string(),
  transport: v.exactOptional(v.literal("sse")),
  tools: v.exactOptional(ToolRulesSchema),
  expiresAtMs: v.exactOptional(v.number()),
  region: v.exactOptional(v.picklist(REGIONS)),
  changes: v.exactOptional(v.number()),
  streams: v.exactOptional(v.number()),
  legacy: v.exactOptional(HandshakeSchema),
  speaker: v.exactOptional(SpeakerSchema),
}) satisfies v.GenericSchema<unknown, SocketSession>;

/**
 * `websocket` and `sse`: a whole session of JSON-RPC frames, the second by way of the edge. `get` and `listen`: streams that
 * the edge holds, of a legacy session and of a modern subscription, which only want to know of versions.
 */
export const SocketKindSchema = v.picklist(["websocket", "sse", "get", "listen"]);
export type SocketKind = v.InferOutput<typeof SocketKindSchema>;

/** Whether a kind is told of versions alone, for the edge to put into its client's words. */
export const isEdgeStream = (kind: SocketKind): boolean => kind === "get" || kind === "listen";

const AttachmentSchema = v.object({
  kind: SocketKindSchema,
  session: SocketSessionSchema,
  openedAtMs: v.number(),
  /** When it ends unless its client says something before. */
  idleAtMs: v.number(),
  /** The newest catalogue version that the socket was told of or started from. */
  heard: v.number(),
  /** Requests of stateless clients that asked to hear of changes. */
  subscriptions: v.array(v.union([v.string(), v.number()])),
  /** Whether the client's first message made sense. */
  greeted: v.boolean(),
  /** Whether a sign of life was asked for that has not come yet. */
  pinged: v.boolean(),
});

export type Attachment = v.InferOutput<typeof AttachmentSchema>;

/** `undefined` for a socket that this code can't make sense of. */
export function readAttachment(socket: WebSocket): Attachment | undefined {
  const parsed = v.safeParse(AttachmentSchema, socket.deserializeAttachment());
  return parsed.success ? parsed.output : undefined;
}

export const writeAttachment = (socket: WebSocket, attachment: Attachment): void =>
  socket.serializeAttachment(attachment);
