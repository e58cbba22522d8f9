// Joins a hub's socket to an event stream that the edge holds. The stream is the edge's, so that the hub can sleep.

import { OPENING } from "../keys/key-cache.ts";
import type { KeyFacts } from "../keys/key-record.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Id } from "../protocol/json-rpc.ts";
import { jitter } from "../lib/random.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import type { Answer } from "../server/answer-request.ts";
import { ENDED_CODE, type VersionFrame } from "../sessions/hub-contract.ts";
import { openSocket, type Opening } from "../sessions/open-socket.ts";
import { logEvent } from "../telemetry/log.ts";
import type { EventStream } from "./event-stream.ts";
import { admit, REFUSED, type Exchange } from "./exchange.ts";

export interface Bridge {
  /** What a frame of the hub's becomes on the stream. */
  onFrame: (frame: string) => void;
  /** The socket is gone; `meant` when the hub closed it for good. */
  onClose: (meant: boolean) => void;
}

/** What a client knows: a version of the catalogue, and how often what its key may see had changed. */
export interface Heard {
  version?: number;
  changes?: number;
}

/** A stream that is to be joined to a hub for as long as it lasts. */
export interface Follower {
  /** The request's id, where it has one. */
  id: Id | null;
  /** What to open with, for a key as it stands. Throws `ProtocolError` when there is nothing to listen for any more. */
  describe: (facts: KeyFacts) => Omit<Opening, "hub" | "heard">;
  openStream: () => EventStream;
  heard: Heard;
  onNews: (stream: EventStream, heard: Required<Heard>) => void;
  /** The hub ended it for good, or the key may not listen any more: the last chance to say something on the stream. */
  onEnd: (stream: EventStream) => void;
}

/**
 * Pays for a socket at the client's hub, of which the response is a 101 or a refusal. Where the hub knows that the key was
 * changed since its facts were leased, they are asked for anew. Throws `REFUSED`, or what `describe` throws.
 */
export async function openAtHub(
  exchange: Exchange,
  id: Id | null,
  describe: (facts: KeyFacts) => Omit<Opening, "hub">,
  echo = false,
): Promise<{ refusal: Answer } | { response: Response; hub: string; facts: KeyFacts }> {
  for (let isAgain = false; ; isAgain = true) {
    const admission = await admit(exchange, OPENING, id);
    if ("refusal" in admission) return admission;
    const { facts } = admission;
    const opened = await openSocket(exchange.env, exchange.request.cf, describe(facts), echo);
    if (opened.response.status !== 409 || isAgain) return { ...opened, facts };
    exchange.isolate.keys.doubt(exchange.key);
  }
}

/** As `openAtHub`, for a socket that the edge holds. Throws `ProtocolError` as well: 404, 429 or 503. */
export async function openHubSocket(
  exchange: Exchange,
  id: Id | null,
  describe: (facts: KeyFacts) => Omit<Opening, "hub">,
): Promise<{ refusal: Answer } | { socket: WebSocket; hub: string; facts: KeyFacts }> {
  const opened = await openAtHub(exchange, id, describe);
  if ("refusal" in opened) return opened;
  const { response, hub, facts } = opened;
  if (response.webSocket) return { socket: response.webSocket, hub, facts };
  if (response.status === 410) throw new ProtocolError(404, "Session not found: it, or its key, was just ended", 404);
  const reasons: Record<number, [number, string]> = {
    429: [429, TOO_MANY],
    409: [503, KEY_CHANGED],
    504: [503, TOO_LATE],
  };
  const [status, reason] = reasons[response.status] ?? [503, REGION_FULL];
  const retryAfterSeconds = Number(response.headers.get("retry-after") ?? 5);
  throw new ProtocolError(status, reason, status, { retryAfterSeconds });
}

const TOO_MANY = "Too many open streams and sockets of this key: close one first";
const KEY_CHANGED = "This API key was changed a moment ago";
const TOO_LATE = "This region took too long to open a stream";
const REGION_FULL = "This region holds as many streams as it can";

/** Relays until either side ends. */
export function bridge(socket: WebSocket, stream: EventStream, { onFrame, onClose }: Bridge): void {
  socket.addEventListener("message", ({ data }) => onFrame(String(data)));
  socket.addEventListener("close", ({ code }) => onClose(code === ENDED_CODE));
  socket.accept();
  const leave = (): void => socket.close(1000, "the client left");
  if (stream.ended.aborted) leave();
  else stream.ended.addEventListener("abort", leave, { once: true });
}

/**
 * Tells a stream of changes until its client leaves, the hub ends it for good or its key may not listen any more. A hub that
 * was dropped (a deploy, an eviction) is joined again within the same stream, from what was told last, so that nothing is
 * missed; and as a client would that comes back, with the key's facts as they are then: what ended it may have found no
 * socket to close. Throws as `openHubSocket` when there is no room to begin with.
 */
export async function followChanges(
  exchange: Exchange,
  { id, describe, openStream, heard: known, onNews, onEnd }: Follower,
): Promise<EventStream | { refusal: Answer }> {
  const heard = { ...known };
  const join = () =>
    openHubSocket(exchange, id, (facts) => ({
      ...describe(facts),
      ...(heard.version !== undefined && { heard: heard.version }),
    }));
  const first = await join();
  if ("refusal" in first) return first;
  const stream = openStream();
  const end = (): void => {
    onEnd(stream);
    stream.close();
  };
  const follow = (socket: WebSocket, { changes = 0, changedOfLate }: KeyFacts): void =>
    bridge(socket, stream, {
      onFrame: (frame) => {
        const { version, isNews } = JSON.parse(frame) as VersionFrame;
        const isChanged = heard.changes === undefined ? changedOfLate === true : heard.changes < changes;
        Object.assign(heard, { version, changes });
        if (isNews || isChanged) onNews(stream, { version, changes });
      },
      onClose: (meant) => (meant ? end() : void rejoin()),
    });
  const rejoin = async (): Promise<void> => {
    for (let attempt = 0; !stream.ended.aborted; attempt++) {
      await pause(Math.min(LIMITS.rejoinMaxMs, LIMITS.rejoinMs * 2 ** attempt));
      if (stream.ended.aborted) return;
      const joined = await join().catch((error: unknown) => (isFinal(error) ? "over" : undefined));
      if (joined === "over") return end();
      if (joined && "socket" in joined) return follow(joined.socket, joined.facts);
      logEvent("warn", "hub_rejoin_failed", { attempt });
    }
  };
  follow(first.socket, first.facts);
  return stream;
}

/** Whether trying again is no use: the key, its scope or the session is gone. */
const isFinal = (error: unknown): boolean =>
  error === REFUSED || (error instanceof ProtocolError && [403, 404].includes(error.httpStatus));

/** Between half and all of the time: streams that lost the same hub must not all come back at once. */
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, jitter(ms / 2, ms)));
