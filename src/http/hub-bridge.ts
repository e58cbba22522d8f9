// Joins a hub's socket to an event stream that the edge holds. The stream is the edge's, so that the hub can sleep.

import type { Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { jitter } from "../lib/random.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import { ENDED_CODE, type VersionFrame } from "../sessions/hub-contract.ts";
import { openSocket, type Opening } from "../sessions/open-socket.ts";
import { logEvent } from "../telemetry/log.ts";
import type { EventStream } from "./event-stream.ts";

export interface Bridge {
  /** What a frame of the hub's becomes on the stream. */
  onFrame: (frame: string) => void;
  /** The socket is gone; `meant` when the hub closed it for good. */
  onClose: (meant: boolean) => void;
}

export interface Follower {
  onVersion: (version: number) => void;
  /** The hub ended it for good: the last chance to say something on the stream. */
  onEnd: () => void;
}

/** Opens a socket at the client's hub. Throws `ProtocolError` 429 or 503 when it has no room. */
export async function openHubSocket(
  env: Env,
  request: Request,
  opening: Omit<Opening, "hub">,
): Promise<{ socket: WebSocket; hub: string }> {
  const { response, hub } = await openSocket(env, request.cf, opening, false);
  if (response.webSocket) return { socket: response.webSocket, hub };
  if (response.status === 410) throw new ProtocolError(404, "Session not found: it, or its key, was just ended", 404);
  const reasons: Record<number, [number, string]> = { 429: [429, TOO_MANY], 409: [503, KEY_CHANGED] };
  const [status, reason] = reasons[response.status] ?? [503, REGION_FULL];
  const retryAfterSeconds = Number(response.headers.get("retry-after") ?? 5);
  throw new ProtocolError(status, reason, status, { retryAfterSeconds });
}

const TOO_MANY = "Too many open streams and sockets of this key: close one first";
const KEY_CHANGED = "This API key was changed a moment ago";
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
 * Tells a stream of catalogue versions until its client leaves or the hub ends it for good. A hub that was dropped (a
 * deploy, an eviction) is connected to again within the same stream, from the version that was told last, so that nothing
 * is missed. Throws as `openHubSocket` when there is no room to begin with.
 */
export async function followChanges(
  env: Env,
  request: Request,
  opening: Omit<Opening, "hub">,
  openStream: () => EventStream,
  follower: Follower,
): Promise<EventStream> {
  const { socket } = await openHubSocket(env, request, opening);
  const stream = openStream();
  let { heard } = opening;
  const follow = (joined: WebSocket): void =>
    bridge(joined, stream, {
      onFrame: (frame) => {
        const { version, isNews } = JSON.parse(frame) as VersionFrame;
        if (isNews) follower.onVersion(version);
        heard = version;
      },
      onClose: (meant) => {
        if (!meant) return void rejoin();
        follower.onEnd();
        stream.close();
      },
    });
  const rejoin = async (): Promise<void> => {
    for (let attempt = 0; !stream.ended.aborted; attempt++) {
      await pause(Math.min(LIMITS.rejoinMaxMs, LIMITS.rejoinMs * 2 ** attempt));
      if (stream.ended.aborted) return;
      const again = heard === undefined ? opening : { ...opening, heard };
      const joined = await openHubSocket(env, request, again).catch(() => undefined);
      if (joined) return follow(joined.socket);
      logEvent("warn", "hub_rejoin_failed", { attempt });
    }
  };
  follow(socket);
  return stream;
}

/** Between half and all of the time: streams that lost the same hub must not all come back at once. */
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, jitter(ms / 2, ms)));
