// Joins a hub's socket to an event stream that the edge holds. The stream is the edge's, so that the hub can sleep.

import type { Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import { ENDED_CODE } from "../sessions/hub-contract.ts";
import { openSocket, type Opening } from "../sessions/open-socket.ts";
import type { EventStream } from "./event-stream.ts";

export interface Bridge {
  /** What a frame of the hub's becomes on the stream. */
  onFrame: (frame: string) => void;
  /** The socket is gone; `meant` when the hub closed it for good. */
  onClose: (meant: boolean) => void;
}

/** Opens a socket at the client's hub. Throws `ProtocolError` 429 or 503 when it has no room. */
export async function openHubSocket(env: Env, request: Request, opening: Omit<Opening, "hub">): Promise<WebSocket> {
  const response = await openSocket(env, request.cf, opening, false);
  if (response.webSocket) return response.webSocket;
  const [status, reason] =
    response.status === 429 ? [429, TOO_MANY] : [503, "This region holds as many streams as it can"];
  const retryAfterSeconds = Number(response.headers.get("retry-after") ?? 5);
  throw new ProtocolError(status, reason, status, { retryAfterSeconds });
}

const TOO_MANY = `Too many open streams and sockets: at most ${LIMITS.keySockets} for one key`;

/** Relays until either side ends, and then ends the other. */
export function bridge(socket: WebSocket, stream: EventStream, { onFrame, onClose }: Bridge): void {
  socket.addEventListener("message", ({ data }) => onFrame(String(data)));
  socket.addEventListener("close", ({ code }) => {
    onClose(code === ENDED_CODE);
    stream.close();
  });
  socket.accept();
  const leave = (): void => socket.close(1000, "the client left");
  if (stream.ended.aborted) leave();
  else stream.ended.addEventListener("abort", leave, { once: true });
}
