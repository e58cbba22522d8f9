// Holds WebSockets and hibernates. A frame is passed to the Worker's stateless entrypoint and its answer written back;
// the hub's own work is to tell every socket of a new catalogue version.

import { DurableObject } from "cloudflare:workers";
import { mcpEntrypoint, registryStub, type Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomText } from "../lib/random.ts";
import { encodeError, findId } from "../protocol/json-rpc.ts";
import { INTERNAL_ERROR, ProtocolError } from "../protocol/protocol-error.ts";
import { logFailure } from "../telemetry/log.ts";
import { readAttachment, writeAttachment } from "./attachment.ts";
import type { FrameAnswer, SocketSession } from "./hub-contract.ts";
import { readOpening } from "./open-socket.ts";

const LIST_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

interface RosterPlace {
  epoch: number;
  /** The newest version that the registry told this hub of. */
  version: number;
}

export class SessionHub extends DurableObject<Env> {
  #place: RosterPlace | undefined;
  /** Upgrades on their way: a hub that waits for its first socket does not leave the roster. */
  #opening = 0;
  readonly #requests = new WeakMap<WebSocket, number>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#place = ctx.storage.kv.get<RosterPlace>("place");
  }

  override async fetch(request: Request): Promise<Response> {
    if (this.ctx.getWebSockets().length >= LIMITS.hubSockets) {
      return new Response("hub is full", { status: 503, headers: { "retry-after": "5" } });
    }
    const { hub, session } = readOpening(request);
    this.#opening++;
    try {
      const { version } = this.#place ?? (await this.#join(hub));
      const { 0: client, 1: server } = new WebSocketPair();
      this.ctx.acceptWebSocket(server, [`key:${session.keyId}`]);
      writeAttachment(server, { session, heard: version });
      const protocol = request.headers.get("sec-websocket-protocol");
      const headers = protocol === null ? {} : { "sec-websocket-protocol": protocol };
      return new Response(null, { status: 101, webSocket: client, headers });
    } finally {
      this.#opening--;
    }
  }

  publish(version: number, epoch: number): { v: 1; sockets: number } {
    const sockets = this.ctx.getWebSockets();
    if (sockets.length + this.#opening === 0) {
      this.#place = undefined;
      this.ctx.storage.kv.delete("place");
      return { v: 1, sockets: 0 };
    }
    this.#keepPlace({ epoch, version });
    for (const socket of sockets) this.#tell(socket, version);
    return { v: 1, sockets: sockets.length + this.#opening };
  }

  override async webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
    if (typeof frame !== "string") return socket.close(1003, "text frames only");
    if (isTooLong(frame)) return socket.close(1009, `at most ${LIMITS.bodyBytes} bytes a frame`);
    const running = this.#requests.get(socket) ?? 0;
    if (running >= LIMITS.socketRequests) {
      const message = `Too many requests at once: at most ${LIMITS.socketRequests} on a socket`;
      send(socket, encodeError(idOf(frame), new ProtocolError(429, message)));
      return;
    }
    this.#requests.set(socket, running + 1);
    try {
      await this.#answer(socket, frame);
    } finally {
      this.#requests.set(socket, (this.#requests.get(socket) ?? 1) - 1);
    }
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    // 1005, 1006 and 1015 say what happened on the wire and must not be sent (RFC 6455, section 7.4.1).
    if (code === 1005 || code === 1006 || code === 1015) socket.close(1000);
    else socket.close(code, reason);
  }

  override webSocketError(): void {
    // The runtime drops the socket by itself.
  }

  async #answer(socket: WebSocket, frame: string): Promise<void> {
    const attachment = readAttachment(socket);
    if (!attachment) return socket.close(1012, "the server was updated, connect again");
    const answer = await this.#ask(frame, attachment.session);
    if (answer.legacy) {
      const current = readAttachment(socket) ?? attachment;
      writeAttachment(socket, { ...current, session: { ...current.session, legacy: answer.legacy } });
    }
    if (answer.text !== undefined) send(socket, answer.text);
    if (answer.close) socket.close(answer.close.code, answer.close.reason);
  }

  async #ask(frame: string, session: SocketSession): Promise<FrameAnswer> {
    try {
      return await mcpEntrypoint(this.ctx).answerFrame(frame, session);
    } catch (error) {
      const ref = randomText(12);
      logFailure("frame_failed", ref, error);
      return { v: 1, text: encodeError(idOf(frame), new ProtocolError(INTERNAL_ERROR, `Internal error (ref ${ref})`)) };
    }
  }

  /** Before `initialize` is answered a client has no list that could be old. */
  #tell(socket: WebSocket, version: number): void {
    const attachment = readAttachment(socket);
    if (!attachment?.session.legacy || attachment.heard >= version) return;
    if (send(socket, LIST_CHANGED)) writeAttachment(socket, { ...attachment, heard: version });
  }

  async #join(hub: string): Promise<RosterPlace> {
    const { version, epoch } = await registryStub(this.env).joinRoster(hub);
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

const isTooLong = (frame: string): boolean =>
  frame.length > LIMITS.bodyBytes ||
  (frame.length > LIMITS.bodyBytes / 3 && new TextEncoder().encode(frame).byteLength > LIMITS.bodyBytes);

/** Whether it could be sent; a socket that is closing takes nothing more. */
function send(socket: WebSocket, text: string): boolean {
  try {
    socket.send(text);
    return true;
  } catch {
    return false;
  }
}

function idOf(frame: string): ReturnType<typeof findId> {
  try {
    return findId(JSON.parse(frame));
  } catch {
    return null;
  }
}
