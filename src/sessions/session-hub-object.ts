// Holds WebSockets and hibernates. A frame is passed to the Worker's stateless entrypoint and its answer written back;
// the hub's own work is to tell every socket of a new catalogue version.

import { DurableObject } from "cloudflare:workers";
import { mcpEntrypoint, registryStub, type Env } from "../env.ts";
import { factsTag, secretTag } from "../keys/socket-tags.ts";
import { isToolAllowed } from "../keys/tool-rules.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomText } from "../lib/random.ts";
import { isLongerThan } from "../lib/utf8.ts";
import { encodeError, findId, type Id } from "../protocol/json-rpc.ts";
import { INTERNAL_ERROR, ProtocolError } from "../protocol/protocol-error.ts";
import { logFailure } from "../telemetry/log.ts";
import { encodeListChanged } from "../protocol/notifications.ts";
import { readAttachment, writeAttachment, type Attachment } from "./attachment.ts";
import { FrameChannelTarget, SocketCalls } from "./frame-channel-object.ts";
import {
  ENDED_CODE,
  keyTag,
  type Closure,
  type FrameAnswer,
  type HubListener,
  type Publication,
  type SocketSession,
} from "./hub-contract.ts";
import { readOpening, type Opening } from "./open-socket.ts";

interface RosterPlace {
  epoch: number;
  /** The newest version that the registry told this hub of. */
  version: number;
}

export class SessionHub extends DurableObject<Env> {
  #place: RosterPlace | undefined;
  /** Tags that were closed lately, and until when nothing is opened under them. */
  readonly #closedUntilMs = new Map<string, number>();
  /** Upgrades on their way: a hub that waits for its first socket does not leave the roster. */
  #opening = 0;
  readonly #calls = new WeakMap<WebSocket, SocketCalls>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#place = ctx.storage.kv.get<RosterPlace>("place");
  }

  override async fetch(request: Request): Promise<Response> {
    if (this.ctx.getWebSockets().length >= LIMITS.hubSockets) {
      return new Response("hub is full", { status: 503, headers: { "retry-after": "5" } });
    }
    const opening = readOpening(request);
    if (this.#countOthers(opening) >= LIMITS.keySockets) {
      return new Response(null, { status: 429, headers: { "retry-after": "5" } });
    }
    this.#opening++;
    try {
      const { version } = this.#place ?? (await this.#join(opening.hub));
      if (this.#isClosed([keyTag(opening.session.keyId), ...opening.tags])) return new Response(null, { status: 410 });
      if (this.#isClosed(copyTags(opening.session))) {
        return new Response(null, { status: 409, headers: { "retry-after": "2" } });
      }
      const { 0: client, 1: server } = new WebSocketPair();
      this.#accept(server, opening, version);
      const protocol = request.headers.get("sec-websocket-protocol");
      const headers = protocol === null ? {} : { "sec-websocket-protocol": protocol };
      return new Response(null, { status: 101, webSocket: client, headers });
    } finally {
      this.#opening--;
    }
  }

  publish({ version, epoch, closures, changed }: Publication): { v: 1; sockets: number } {
    this.#noteClosures(closures);
    for (const { tag } of closures) this.#closeTagged(tag, "ended by the server");
    const sockets = this.ctx.getWebSockets();
    if (sockets.length + this.#opening === 0) {
      this.#place = undefined;
      this.ctx.storage.kv.delete("place");
      return { v: 1, sockets: 0 };
    }
    this.#keepPlace({ epoch, version });
    for (const socket of sockets) tell(socket, version, changed);
    return { v: 1, sockets: sockets.length + this.#opening };
  }

  list(): HubListener[] {
    return this.ctx.getWebSockets().flatMap((socket) => {
      const attachment = readAttachment(socket);
      return attachment ? toListener(attachment) : [];
    });
  }

  /** Closes the sockets of keys that have ended. */
  override alarm(): void {
    const nowMs = Date.now();
    this.ctx.storage.kv.delete("expiry");
    for (const socket of this.ctx.getWebSockets()) {
      const expiresAtMs = readAttachment(socket)?.session.expiresAtMs;
      if (expiresAtMs === undefined) continue;
      if (expiresAtMs <= nowMs) this.#close(socket, ENDED_CODE, "API key expired");
      else this.#watchExpiry(expiresAtMs);
    }
  }

  /** A frame that came by another way than the socket that its answer goes to. */
  receive(tag: string, frame: string): boolean {
    const [socket] = this.ctx.getWebSockets(tag);
    if (!socket) return false;
    this.ctx.waitUntil(this.webSocketMessage(socket, frame));
    return true;
  }

  override async webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
    if (typeof frame !== "string") return this.#close(socket, 1003, "text frames only");
    if (isLongerThan(frame, LIMITS.bodyBytes)) {
      return this.#close(socket, 1009, `at most ${LIMITS.bodyBytes} bytes a frame`);
    }
    const calls = this.#callsOf(socket);
    if (calls.frames >= LIMITS.socketRequests) return this.#refuse(socket, frame, calls);
    calls.begin();
    try {
      await this.#answer(socket, frame, calls);
    } finally {
      calls.end();
    }
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    this.#calls.get(socket)?.cancelAll();
    closeInReturn(socket, code, reason);
  }

  override webSocketError(socket: WebSocket): void {
    this.#calls.get(socket)?.cancelAll();
  }

  /** Refusals cost a key nothing, so they must cost the hub next to nothing too: a client that goes on is cut off. */
  #refuse(socket: WebSocket, frame: string, calls: SocketCalls): void {
    if (++calls.refusals > LIMITS.socketRefusals) return this.#close(socket, ENDED_CODE, "too many requests at once");
    const message = `Too many requests at once: at most ${LIMITS.socketRequests} on a socket`;
    for (const id of idsOf(frame)) send(socket, encodeError(id, new ProtocolError(429, message)));
  }

  async #answer(socket: WebSocket, frame: string, calls: SocketCalls): Promise<void> {
    const attachment = readAttachment(socket);
    if (!attachment) return this.#close(socket, 1012, "the server was updated, connect again");
    const channel = new FrameChannelTarget(calls, (text) => send(socket, text));
    const answer = await this.#ask(frame, attachment.session, channel);
    channel.end();
    keepNews(socket, answer);
    if (answer.response) calls.answer(answer.response);
    if (answer.cancel !== undefined) calls.cancel(answer.cancel);
    if (answer.text !== undefined) send(socket, answer.text);
    if (answer.subscribe !== undefined && this.#place) tell(socket, this.#place.version);
    if (answer.close) this.#close(socket, answer.close.code, answer.close.reason);
  }

  async #ask(frame: string, session: SocketSession, channel: FrameChannelTarget): Promise<FrameAnswer> {
    try {
      return await mcpEntrypoint(this.ctx).answerFrame(frame, session, channel);
    } catch (error) {
      const ref = randomText(12);
      logFailure("frame_failed", ref, error);
      const internal = new ProtocolError(INTERNAL_ERROR, `Internal error (ref ${ref})`);
      const answers = idsOf(frame).map((id) => encodeError(id, internal));
      return { v: 1, ...(answers.length > 0 && { text: answers.length > 1 ? `[${answers.join(",")}]` : answers[0] }) };
    }
  }

  /** What a key holds open besides the stream that this opening replaces. */
  #countOthers({ kind, session, tags }: Opening): number {
    const replaced = kind === "changes" ? tags.flatMap((tag) => this.ctx.getWebSockets(tag)).length : 0;
    return this.ctx.getWebSockets(keyTag(session.keyId)).length - replaced;
  }

  /** An isolate may still let in, on the strength of an old lease, who was shut out a moment ago. */
  #isClosed(tags: readonly string[]): boolean {
    const nowMs = Date.now();
    return tags.some((tag) => (this.#closedUntilMs.get(tag) ?? 0) > nowMs);
  }

  #noteClosures(closures: readonly Closure[]): void {
    const nowMs = Date.now();
    for (const [tag, untilMs] of this.#closedUntilMs) if (untilMs <= nowMs) this.#closedUntilMs.delete(tag);
    for (const { tag } of closures) this.#closedUntilMs.set(tag, nowMs + LIMITS.closureKeptMs);
  }

  #closeTagged(tag: string, reason: string): void {
    for (const socket of this.ctx.getWebSockets(tag)) this.#close(socket, ENDED_CODE, reason);
  }

  #accept(socket: WebSocket, { kind, session, tags }: Opening, version: number): void {
    // A session has one stream of changes: who opens another has lost the first (2025-11-25, "Multiple Connections").
    if (kind === "changes") for (const tag of tags) this.#closeTagged(tag, "replaced");
    this.ctx.acceptWebSocket(socket, [keyTag(session.keyId), ...copyTags(session), ...tags]);
    writeAttachment(socket, { kind, session, heard: version, openedAtMs: Date.now(), subscriptions: [] });
    if (session.expiresAtMs !== undefined) this.#watchExpiry(session.expiresAtMs);
    // An edge stream says itself what its client has heard of, and compares.
    if (kind === "changes") send(socket, JSON.stringify({ version }));
  }

  /** The alarm is for the key that ends next. */
  #watchExpiry(expiresAtMs: number): void {
    const alarmMs = this.ctx.storage.kv.get<number>("expiry") ?? Infinity;
    if (expiresAtMs >= alarmMs) return;
    this.ctx.storage.kv.put("expiry", expiresAtMs);
    void this.ctx.storage.setAlarm(expiresAtMs);
  }

  #close(socket: WebSocket, code: number, reason: string): void {
    this.#calls.get(socket)?.cancelAll();
    socket.close(code, reason);
  }

  #callsOf(socket: WebSocket): SocketCalls {
    const calls = this.#calls.get(socket) ?? new SocketCalls();
    this.#calls.set(socket, calls);
    return calls;
  }

  async #join(hub: string): Promise<RosterPlace> {
    const { version, epoch, closures } = await registryStub(this.env).joinRoster(hub);
    this.#noteClosures(closures);
    return this.#keepPlace({ version, epoch });
  }

  /** Two sockets may open at once and join twice: the later stay is the one that counts. */
  #keepPlace(place: RosterPlace): RosterPlace {
    const held = this.#place;
    if (held && (held.epoch > place.epoch || held.version > place.version)) return held;
    this.ctx.storage.kv.put("place", place);
    return (this.#place = place);
  }
}

/**
 * Answers a client's close with its own code, where that may be sent at all (RFC 6455, section 7.4: 1005, 1006 and 1015
 * never are, and others mean nothing yet); what a hostile client sent in its place is not repeated.
 */
function closeInReturn(socket: WebSocket, code: number, reason: string): void {
  try {
    const known =
      (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);
    if (known) socket.close(code, reason);
    else socket.close(1000);
  } catch {
    socket.close(1000);
  }
}

/** What a frame settled for those that follow on its socket. */
function keepNews(socket: WebSocket, { legacy, subscribe, cancel }: FrameAnswer): void {
  const attachment = readAttachment(socket);
  if (!attachment || (legacy === undefined && subscribe === undefined && cancel === undefined)) return;
  const session = legacy ? { ...attachment.session, legacy } : attachment.session;
  const kept = attachment.subscriptions.filter((id) => id !== cancel && id !== subscribe);
  const subscriptions = subscribe === undefined ? kept : [...kept, subscribe].slice(-LIMITS.socketSubscriptions);
  writeAttachment(socket, { ...attachment, session, subscriptions });
}

/**
 * Tells a socket of a version, if it is news there and concerns its key. Before `initialize` is answered or a
 * subscription acknowledged a client has no list that could be old.
 */
function tell(socket: WebSocket, version: number, changed?: readonly string[]): void {
  const attachment = readAttachment(socket);
  if (!attachment || attachment.heard >= version) return;
  const { kind, session, subscriptions } = attachment;
  const news = kind === "changes" ? [JSON.stringify({ version })] : subscriptions.map((id) => encodeListChanged(id));
  if (kind !== "changes" && session.legacy) news.push(encodeListChanged());
  const told = !concerns(session, changed) || (news.length > 0 && news.every((text) => send(socket, text)));
  if (told) writeAttachment(socket, { ...attachment, heard: version });
}

/** By which a socket is found when what it was opened with, or is kept with it, holds no longer. */
const copyTags = ({ keyId, digest, changes = 0 }: SocketSession): string[] => [
  secretTag(digest),
  factsTag(keyId, changes),
];

const concerns = ({ tools }: SocketSession, changed: readonly string[] | undefined): boolean =>
  tools === undefined || changed === undefined || changed.some((name) => isToolAllowed(tools, name));

const toListener = ({ kind, session, openedAtMs }: Attachment): HubListener => ({
  v: 1,
  kind,
  keyId: session.keyId,
  openedAtMs,
  ...(session.legacy && { revision: session.legacy.revision, client: session.legacy.client }),
});

/** Whether it could be sent; a socket that is closing takes nothing more. */
function send(socket: WebSocket, text: string): boolean {
  try {
    socket.send(text);
    return true;
  } catch {
    return false;
  }
}

/** The ids of a frame's requests, for when nobody could answer them: of no more than a batch may hold. */
function idsOf(frame: string): Id[] {
  if (frame.length > LIMITS.refusedFrameChars) return [];
  try {
    const value: unknown = JSON.parse(frame);
    return (Array.isArray(value) ? value.slice(0, LIMITS.batchItems) : [value]).flatMap((item) => findId(item) ?? []);
  } catch {
    return [];
  }
}
