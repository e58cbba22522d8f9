// Holds WebSockets and hibernates. A frame is passed to the Worker's stateless entrypoint and its answer written back;
// the hub's own work is to tell every socket of a new catalogue version.

import { DurableObject } from "cloudflare:workers";
import { mcpEntrypoint, registryStub, type Env } from "../env.ts";
import { factsTag, secretTag } from "../keys/socket-tags.ts";
import { LIMITS } from "../lib/limits.ts";
import { jitterAround, randomText } from "../lib/random.ts";
import { isLongerThan } from "../lib/utf8.ts";
import { encodeError, findId, type Id } from "../protocol/json-rpc.ts";
import { encodeSubscriptionEnd } from "../protocol/notifications.ts";
import { INTERNAL_ERROR, ProtocolError } from "../protocol/protocol-error.ts";
import { scanIds } from "../protocol/scan-ids.ts";
import { logFailure } from "../telemetry/log.ts";
import { isEdgeStream, readAttachment, writeAttachment } from "./attachment.ts";
import { FrameChannelTarget, SocketCalls } from "./frame-channel-object.ts";
import { HubAgenda, type HubTask } from "./hub-agenda.ts";
import {
  AWAY_CODE,
  ENDED_CODE,
  keyTag,
  RESTART_CODE,
  type Closure,
  type FrameAnswer,
  type HubStatus,
  type Publication,
  type SocketSession,
} from "./hub-contract.ts";
import { isNewsOfLate, isNewsSince, placeOf, spreadMsOf, type HubPlace } from "./hub-place.ts";
import { isBehind, isPong, keepNews, noteSignOfLife, ping, send, sendVersion } from "./hub-sockets.ts";
import { admitSubscription, tell, tellSubscriber, toListener } from "./hub-sockets.ts";
import { readOpening, type Opening } from "./open-socket.ts";
import { tooManyRequests } from "./socket-refusals.ts";

export class SessionHub extends DurableObject<Env> {
  readonly #awakeSinceMs = Date.now();
  readonly #agenda: HubAgenda;
  #place: HubPlace | undefined;
  /** Tags that were closed lately, and until when nothing is opened under them: through evictions too. */
  readonly #closedUntilMs: Map<string, number>;
  /** Upgrades on their way: a hub that waits for its first socket does not leave the roster. */
  #opening = 0;
  /** As many sockets as are open, or more: counting them takes time in proportion to their number. */
  #socketsAtMost: number | undefined;
  readonly #calls = new WeakMap<WebSocket, SocketCalls>();
  /** Who is still to be told of the version, in turn. */
  #untold: WebSocket[] | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#place = ctx.storage.kv.get<HubPlace>("place");
    this.#agenda = new HubAgenda(ctx.storage);
    this.#closedUntilMs = new Map(ctx.storage.kv.get<[string, number][]>("closed"));
  }

  override async fetch(request: Request): Promise<Response> {
    if (this.#isFull()) {
      return new Response("hub is full", { status: 503, headers: { "retry-after": "5" } });
    }
    const opening = readOpening(request);
    if (this.#countOthers(opening) >= (opening.session.streams ?? LIMITS.keySockets)) {
      return new Response(null, { status: 429, headers: { "retry-after": "5" } });
    }
    this.#opening++;
    try {
      const place = this.#place ?? (await this.#join(opening.hub));
      if (this.#isClosed([keyTag(opening.session.keyId), ...opening.tags])) return new Response(null, { status: 410 });
      if (this.#isClosed(copyTags(opening.session))) {
        return new Response(null, { status: 409, headers: { "retry-after": "2" } });
      }
      const { 0: client, 1: server } = new WebSocketPair();
      this.#accept(server, opening, place);
      const protocol = request.headers.get("sec-websocket-protocol");
      const headers = protocol === null ? {} : { "sec-websocket-protocol": protocol };
      return new Response(null, { status: 101, webSocket: client, headers });
    } finally {
      this.#opening--;
    }
  }

  publish({ closures, audience, ...news }: Publication): { v: 1; sockets: number } {
    this.#noteClosures(closures);
    for (const { tag } of closures) this.#closeTagged(tag, "ended by the server");
    const sockets = this.ctx.getWebSockets();
    if (sockets.length + this.#opening === 0) {
      this.#place = undefined;
      this.ctx.storage.kv.delete("place");
      return { v: 1, sockets: 0 };
    }
    const place = this.#keepPlace(placeOf(news, Date.now()));
    this.#tellAll(sockets, place, spreadMsOf(Math.max(audience, sockets.length)));
    return { v: 1, sockets: sockets.length + this.#opening };
  }

  readStatus(limit: number, keyId?: string): HubStatus {
    const sockets = this.ctx.getWebSockets(keyId === undefined ? undefined : keyTag(keyId));
    const listeners = sockets.slice(0, limit).flatMap((socket) => toListener(readAttachment(socket)));
    return { v: 1, awakeSinceMs: this.#awakeSinceMs, total: sockets.length, listeners };
  }

  override alarm(): void {
    const nowMs = Date.now();
    for (const task of this.#agenda.take(nowMs)) this.#run(task, nowMs);
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
    const nowMs = Date.now();
    const attachment = readAttachment(socket);
    if (!attachment) return this.#close(socket, RESTART_CODE, "the server was updated, connect again");
    noteSignOfLife(socket, attachment, nowMs);
    if (attachment.pinged && isPong(frame)) return;
    const calls = this.#callsOf(socket);
    if (!calls.admit(nowMs)) return this.#refuse(socket, frame, calls, nowMs);
    calls.begin();
    try {
      await this.#answer(socket, frame, attachment.session, calls);
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
  #refuse(socket: WebSocket, frame: string, calls: SocketCalls, nowMs: number): void {
    if (!calls.admitRefusal(nowMs)) return this.#close(socket, ENDED_CODE, "too many requests");
    for (const id of idsOf(frame)) send(socket, encodeError(id, tooManyRequests()));
  }

  async #answer(socket: WebSocket, frame: string, session: SocketSession, calls: SocketCalls): Promise<void> {
    const place = this.#place;
    const channel = new FrameChannelTarget(calls, (text) => send(socket, text));
    const answer = admitSubscription(socket, await this.#ask(frame, session, channel));
    channel.end();
    for (const { response, cancel } of [answer, ...(answer.parts ?? [])]) {
      if (response) calls.answer(response);
      if (cancel !== undefined) calls.cancel(cancel);
    }
    if (answer.text !== undefined) send(socket, answer.text);
    const greeted = keepNews(socket, answer, place);
    if (answer.legacy) this.#agenda.plan("ping", Date.now() + LIMITS.socketPingMs);
    if (answer.subscribe !== undefined && this.#place) tellSubscriber(socket, answer, this.#place);
    if (answer.close) this.#close(socket, answer.close.code, answer.close.reason);
    else if (!greeted) this.#close(socket, ENDED_CODE, "the first message must open a session");
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

  #isFull(): boolean {
    if (this.#socketsAtMost === undefined || this.#socketsAtMost >= LIMITS.hubSockets) {
      this.#socketsAtMost = this.ctx.getWebSockets().length;
    }
    return this.#socketsAtMost >= LIMITS.hubSockets;
  }

  /** What a key holds open besides the stream that this opening replaces. */
  #countOthers({ kind, session, tags }: Opening): number {
    const replaced = kind === "get" ? tags.flatMap((tag) => this.ctx.getWebSockets(tag)).length : 0;
    return this.ctx.getWebSockets(keyTag(session.keyId)).length - replaced;
  }

  /** An isolate may still let in, on the strength of an old lease, who was shut out a moment ago. */
  #isClosed(tags: readonly string[]): boolean {
    const nowMs = Date.now();
    return tags.some((tag) => (this.#closedUntilMs.get(tag) ?? 0) > nowMs);
  }

  #noteClosures(closures: readonly Closure[]): void {
    if (closures.length === 0) return;
    const nowMs = Date.now();
    for (const [tag, untilMs] of this.#closedUntilMs) if (untilMs <= nowMs) this.#closedUntilMs.delete(tag);
    for (const { tag } of closures) {
      this.#closedUntilMs.delete(tag);
      this.#closedUntilMs.set(tag, nowMs + LIMITS.closureKeptMs);
    }
    this.ctx.storage.kv.put("closed", [...this.#closedUntilMs].slice(-LIMITS.closures));
  }

  #closeTagged(tag: string, reason: string): void {
    for (const socket of this.ctx.getWebSockets(tag)) this.#close(socket, ENDED_CODE, reason);
  }

  #accept(socket: WebSocket, { kind, session, tags, heard }: Opening, place: HubPlace): void {
    // A session has one stream of changes: who opens another has lost the first (2025-11-25, "Multiple Connections").
    if (kind === "get") for (const tag of tags) this.#closeTagged(tag, "replaced");
    const openedAtMs = Date.now();
    const idleAtMs = openedAtMs + jitterAround(LIMITS.socketIdleMs, LIMITS.socketIdleJitterShare);
    this.ctx.acceptWebSocket(socket, [keyTag(session.keyId), ...copyTags(session), ...tags]);
    if (this.#socketsAtMost !== undefined) this.#socketsAtMost++;
    const { version } = place;
    const fresh = { openedAtMs, idleAtMs, heard: version, subscriptions: [], greeted: false, pinged: false };
    writeAttachment(socket, { kind, session, ...fresh });
    this.#agenda.plan("ends", Math.min(idleAtMs, session.expiresAtMs ?? Infinity));
    if (!isEdgeStream(kind)) return;
    const { tools } = session;
    const isNews = heard === undefined ? isNewsOfLate(tools, place, openedAtMs) : isNewsSince(heard, tools, place);
    sendVersion(socket, { version, isNews });
  }

  #run(task: HubTask, nowMs: number): void {
    switch (task) {
      case "ends":
        return this.#endDue(nowMs);
      case "ping":
        return this.#ping(nowMs);
      case "reap":
        return this.#reap();
      case "tell":
        return this.#tellNext(nowMs);
    }
  }

  /** Closes the sockets of keys that have ended, and those that nobody has used for long. */
  #endDue(nowMs: number): void {
    for (const socket of this.ctx.getWebSockets()) {
      const attachment = readAttachment(socket);
      if (!attachment) continue;
      const { kind, idleAtMs, session, subscriptions } = attachment;
      const { expiresAtMs = Infinity } = session;
      if (expiresAtMs <= nowMs) this.#close(socket, ENDED_CODE, "API key expired");
      else if (idleAtMs > nowMs) this.#agenda.plan("ends", Math.min(idleAtMs, expiresAtMs));
      else {
        for (const id of subscriptions) send(socket, encodeSubscriptionEnd(id));
        this.#close(socket, kind === "websocket" ? AWAY_CODE : ENDED_CODE, "idle for long, connect again");
      }
    }
  }

  /** MCP's own ping (2025-11-25, basic/utilities/ping): the platform sends none, and a peer that vanished says nothing. */
  #ping(nowMs: number): void {
    const pinged = this.ctx.getWebSockets().filter(ping);
    if (pinged.length === 0) return;
    this.#agenda.plan("reap", nowMs + LIMITS.socketPongMs);
    this.#agenda.plan("ping", nowMs + LIMITS.socketPingMs);
  }

  #reap(): void {
    for (const socket of this.ctx.getWebSockets()) {
      if (readAttachment(socket)?.pinged) this.#close(socket, AWAY_CODE, "no answer to ping");
    }
  }

  /** At once, or where the audience is large in turn, by alarms: all who hear of a change list anew. */
  #tellAll(sockets: WebSocket[], place: HubPlace, spreadMs: number): void {
    this.#untold = undefined;
    if (spreadMs === 0) return sockets.forEach((socket) => tell(socket, place));
    const nowMs = Date.now();
    this.ctx.storage.kv.put("tellUntilMs", nowMs + spreadMs);
    this.#tellNext(nowMs);
  }

  #tellNext(nowMs: number): void {
    const place = this.#place;
    if (!place) return;
    const untilMs = this.ctx.storage.kv.get<number>("tellUntilMs") ?? nowMs;
    this.#untold ??= this.ctx.getWebSockets().filter((socket) => isBehind(socket, place));
    const turns = Math.max(1, Math.ceil((untilMs - nowMs) / LIMITS.spreadTickMs));
    for (const socket of this.#untold.splice(0, Math.ceil(this.#untold.length / turns))) tell(socket, place);
    if (this.#untold.length > 0) this.#agenda.plan("tell", nowMs + LIMITS.spreadTickMs);
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

  async #join(hub: string): Promise<HubPlace> {
    const entry = await registryStub(this.env).joinRoster(hub);
    this.#noteClosures(entry.closures);
    return this.#keepPlace(placeOf(entry, Date.now()));
  }

  /** Two sockets may open at once and join twice: the later stay is the one that counts. */
  #keepPlace(place: HubPlace): HubPlace {
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

/** By which a socket is found when what it was opened with, or is kept with it, holds no longer. */
const copyTags = ({ keyId, digest, changes = 0 }: SocketSession): string[] => [
  secretTag(digest),
  factsTag(keyId, changes),
];

/** The ids of a frame's requests, for when nobody could answer them: of no more than a batch may hold. */
function idsOf(frame: string): Id[] {
  if (frame.length > LIMITS.refusedFrameChars) return scanIds(frame);
  try {
    const value: unknown = JSON.parse(frame);
    return (Array.isArray(value) ? value.slice(0, LIMITS.batchItems) : [value]).flatMap((item) => findId(item) ?? []);
  } catch {
    return [];
  }
}
