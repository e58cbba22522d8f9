// What a hub does with one of its sockets: tell it of a version, ask it for a sign of life, keep what was settled on it.

import { LIMITS } from "../lib/limits.ts";
import { jitterAround } from "../lib/random.ts";
import { encodeError } from "../protocol/json-rpc.ts";
import { encodeListChanged } from "../protocol/notifications.ts";
import { isEdgeStream, readAttachment, writeAttachment, type Attachment } from "./attachment.ts";
import type { FrameAnswer, HubListener, VersionFrame } from "./hub-contract.ts";
import { isNewsOfLate, isNewsSince, type HubPlace } from "./hub-place.ts";
import { tooManySubscriptions } from "./socket-refusals.ts";

/** Whether it could be sent; a socket that is closing takes nothing more. */
export function send(socket: WebSocket, text: string): boolean {
  try {
    socket.send(text);
    return true;
  } catch {
    return false;
  }
}

export const sendVersion = (socket: WebSocket, frame: VersionFrame): boolean => send(socket, JSON.stringify(frame));

export const isBehind = (socket: WebSocket, { version }: HubPlace): boolean =>
  (readAttachment(socket)?.heard ?? version) < version;

/**
 * Tells a socket of the version, if that is news there and concerns its key. Before `initialize` is answered or a
 * subscription acknowledged a client has no list that could be old.
 */
export function tell(socket: WebSocket, place: HubPlace): void {
  const attachment = readAttachment(socket);
  if (!attachment || attachment.heard >= place.version) return;
  const { version } = place;
  if (isNewsSince(attachment.heard, attachment.session.tools, place) && !sendNews(socket, attachment, version)) return;
  writeAttachment(socket, { ...attachment, heard: version });
}

/** Whether there was something to say, and it went out. */
function sendNews(socket: WebSocket, { kind, session, subscriptions }: Attachment, version: number): boolean {
  if (isEdgeStream(kind)) return sendVersion(socket, { version, isNews: true });
  const news = subscriptions.map((id) => encodeListChanged(id));
  if (session.legacy) news.push(encodeListChanged());
  return news.length > 0 && news.every((text) => send(socket, text));
}

/** A client with no session may have listed before it subscribed: it is told of what changed just before. */
export function tellSubscriber(socket: WebSocket, { subscribe, changedOfLate }: FrameAnswer, place: HubPlace): void {
  if (subscribe === undefined) return;
  const attachment = readAttachment(socket);
  if (!attachment || attachment.session.legacy || attachment.subscriptions.length > 1) return;
  const isNews = changedOfLate ?? isNewsOfLate(attachment.session.tools, place, Date.now());
  if (isNews) send(socket, encodeListChanged(subscribe));
  writeAttachment(socket, { ...attachment, heard: place.version });
}

/** An answer as it is, or a refusal in its place where it acknowledges a subscription beyond what its socket may hold. */
export function admitSubscription(socket: WebSocket, answer: FrameAnswer): FrameAnswer {
  const { subscribe } = answer;
  if (subscribe === undefined) return answer;
  const held = readAttachment(socket)?.subscriptions.filter((id) => id !== subscribe) ?? [];
  if (held.length < LIMITS.socketSubscriptions) return answer;
  return { v: 1, text: encodeError(subscribe, tooManySubscriptions()) };
}

/** What a frame settled for those that follow on its socket; whether the client has made sense by now. */
export function keepNews(socket: WebSocket, answer: FrameAnswer, place: HubPlace | undefined): boolean {
  const attachment = readAttachment(socket);
  if (!attachment) return true;
  const { legacy, subscribe, cancel, speaker } = answer;
  const greeted = attachment.greeted || !answer.noGreeting;
  if (greeted === attachment.greeted && !legacy && subscribe === undefined && cancel === undefined) return greeted;
  const kept = attachment.subscriptions.filter((id) => id !== cancel && id !== subscribe);
  writeAttachment(socket, {
    ...attachment,
    greeted,
    session: { ...attachment.session, ...(legacy && { legacy }), ...(speaker && { speaker }) },
    subscriptions: subscribe === undefined ? kept : [...kept, subscribe],
    // A session starts from the version that was there when it was asked for.
    ...(legacy && place && { heard: Math.max(attachment.heard, place.version) }),
  });
  return greeted;
}

/** Asks a legacy session for a sign of life; whether there was one to ask. The other sockets have no such request. */
export function ping(socket: WebSocket): boolean {
  const attachment = readAttachment(socket);
  if (attachment?.kind !== "websocket" || !attachment.session.legacy) return false;
  writeAttachment(socket, { ...attachment, pinged: true });
  return send(socket, PING);
}

const PING_ID = "toolgate.ping";
const PING = JSON.stringify({ jsonrpc: "2.0", id: PING_ID, method: "ping" });
const PONG_MAX_CHARS = 256;

/** Whether a frame is the answer to a ping, whatever it says. */
export function isPong(frame: string): boolean {
  if (frame.length > PONG_MAX_CHARS || !frame.includes(PING_ID)) return false;
  try {
    const message = JSON.parse(frame) as { id?: unknown; method?: unknown } | null;
    return message?.id === PING_ID && message.method === undefined;
  } catch {
    return false;
  }
}

/** Anything that a client sends shows that it is there. Written only when it would end too soon after: a frame must cost little. */
export function noteSignOfLife(socket: WebSocket, attachment: Attachment, nowMs: number): void {
  const isFresh = attachment.idleAtMs - nowMs > LIMITS.socketIdleMs * (1 - LIMITS.socketIdleJitterShare);
  if (isFresh && !attachment.pinged) return;
  const idleAtMs = nowMs + jitterAround(LIMITS.socketIdleMs, LIMITS.socketIdleJitterShare);
  writeAttachment(socket, { ...attachment, idleAtMs: isFresh ? attachment.idleAtMs : idleAtMs, pinged: false });
}

export function toListener(attachment: Attachment | undefined): HubListener[] {
  if (!attachment) return [];
  const { kind, session, openedAtMs } = attachment;
  const { revision, client } = session.legacy ?? session.speaker ?? {};
  return [
    { kind, keyId: session.keyId, openedAtMs, ...(revision !== undefined && { revision }), ...(client && { client }) },
  ];
}
