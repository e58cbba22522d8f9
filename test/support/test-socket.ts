import { exports } from "cloudflare:workers";
import { testEnv } from "./counting-env.ts";

const ORIGIN = "https://toolgate.example";

/** An answer of the test Worker, as a client gets it. */
export const fetchWorker = (path: string, init?: RequestInit): Promise<Response> =>
  (exports as unknown as { default: Fetcher }).default.fetch(`${ORIGIN}${path}`, init);

/** `/admin/v1<path>` with the admin key; the answer's JSON. */
export async function admin<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetchWorker(`/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${testEnv.ADMIN_KEY}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return response.json<T>();
}

/** A client's end of a WebSocket session, frames in the order they came. */
export interface TestSocket {
  send(message: unknown): void;
  /** The next frame that is not taken yet, once it is there. */
  next(): Promise<unknown>;
  /** The first frame that comes and is what was asked for; those before it stay. */
  take(isWanted: (frame: unknown) => boolean): Promise<unknown>;
  /** Frames that came and were not taken. */
  rest(): unknown[];
  close(): void;
  closed: Promise<{ code: number; reason: string }>;
}

export async function openTestSocket(key: string): Promise<TestSocket> {
  const headers = { upgrade: "websocket", authorization: `Bearer ${key}`, "sec-websocket-protocol": "mcp" };
  const { webSocket, status } = await fetchWorker("/mcp", { headers });
  if (!webSocket) throw new Error(`the upgrade was answered with ${status}`);
  const frames: unknown[] = [];
  const waiting: { isWanted: (frame: unknown) => boolean; resolve: (frame: unknown) => void }[] = [];
  webSocket.addEventListener("message", ({ data }) => {
    const frame: unknown = JSON.parse(String(data));
    const index = waiting.findIndex(({ isWanted }) => isWanted(frame));
    if (index < 0) frames.push(frame);
    else waiting.splice(index, 1)[0]?.resolve(frame);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    webSocket.addEventListener("close", ({ code, reason }) => resolve({ code, reason }));
  });
  const take = (isWanted: (frame: unknown) => boolean): Promise<unknown> => {
    const index = frames.findIndex(isWanted);
    if (index >= 0) return Promise.resolve(frames.splice(index, 1)[0]);
    return new Promise((resolve) => waiting.push({ isWanted, resolve }));
  };
  webSocket.accept();
  return {
    send: (message) => webSocket.send(typeof message === "string" ? message : JSON.stringify(message)),
    next: () => take(() => true),
    take,
    rest: () => frames,
    close: () => webSocket.close(1000),
    closed,
  };
}

/** As `openTestSocket`, with the handshake done. */
export async function openTestSession(key: string, protocolVersion = "2025-11-25"): Promise<TestSocket> {
  const socket = await openTestSocket(key);
  const clientInfo = { name: "test", version: "1" };
  socket.send({
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion, capabilities: {}, clientInfo },
  });
  await socket.next();
  socket.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return socket;
}
