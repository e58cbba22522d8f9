// What a hub keeps with a socket across hibernation. Parsed on wake: the code may be newer than what it wrote.

import * as v from "valibot";
import type { SocketSession } from "./hub-contract.ts";

const ClientSchema = v.object({ name: v.string(), version: v.string() });

export const SocketSessionSchema = v.object({
  v: v.literal(1),
  keyId: v.string(),
  digest: v.string(),
  host: v.string(),
  legacy: v.exactOptional(v.object({ revision: v.string(), client: ClientSchema })),
}) satisfies v.GenericSchema<unknown, SocketSession>;

const AttachmentSchema = v.object({ session: SocketSessionSchema, heard: v.number() });

/** A socket's session, and the newest catalogue version that it was told of or started from. */
export type Attachment = v.InferOutput<typeof AttachmentSchema>;

/** `undefined` for a socket that this code can't make sense of. */
export function readAttachment(socket: WebSocket): Attachment | undefined {
  const parsed = v.safeParse(AttachmentSchema, socket.deserializeAttachment());
  return parsed.success ? parsed.output : undefined;
}

export const writeAttachment = (socket: WebSocket, attachment: Attachment): void =>
  socket.serializeAttachment(attachment);
