// The four ways to the server. Each sends a message and hands on whatever comes back, by whichever way it comes.

import { SseReader } from "../support/sse-reader.ts";
import { toSocketUrl } from "../journeys/support/server.ts";
import { WebSocket, type RawData } from "ws";
import type { Transport } from "./cells.ts";

export type Headers = Record<string, string>;

export interface Wire {
  /** The HTTP status, where the way has one. */
  send: (message: unknown, headers?: Headers) => Promise<number | undefined>;
  /** Opens a stream of changes beside the requests, where the way has such; its status. */
  listen: (headers?: Headers) => Promise<number | undefined>;
  /** Goes away in the middle of things. */
  drop: () => void;
  /** Settles with the socket's closing code, or `end` when a listened stream ended. */
  ended: Promise<number | "end">;
}

export interface WireOptions {
  server: URL;
  key: string;
  /** A message, or the array that answers a batch. */
  deliver: (value: unknown) => void;
}

export function openWire(transport: Transport, options: WireOptions): Promise<Wire> {
  switch (transport) {
    case "json":
      return Promise.resolve(httpWire("application/json", options));
    case "sse":
      return Promise.resolve(httpWire("text/event-stream", options));
    case "websocket":
      return socketWire(options);
    case "http+sse":
      return sseWire(options);
  }
}

function httpWire(accept: string, { server, key, deliver }: WireOptions): Wire {
  const gone = new AbortController();
  const session: Headers = {};
  const url = new URL("/mcp", server);
  const listened = Promise.withResolvers<"end">();
  const open = (init: RequestInit, headers: Headers): Promise<Response> =>
    fetch(url, {
      ...init,
      signal: gone.signal,
      headers: { authorization: `Bearer ${key}`, accept, ...session, ...headers },
    });
  return {
    ended: listened.promise,
    drop: () => gone.abort(),
    send: async (message, headers = {}) => {
      const body = JSON.stringify(message);
      const response = await open({ method: "POST", body }, { "content-type": "application/json", ...headers });
      const id = response.headers.get("mcp-session-id");
      if (id !== null) session["mcp-session-id"] = id;
      void readBody(response, deliver).catch(() => undefined);
      return response.status;
    },
    listen: async (headers = {}) => {
      const response = await open({}, headers);
      void readBody(response, deliver)
        .then(() => listened.resolve("end"))
        .catch(() => undefined);
      return response.status;
    },
  };
}

/** Any body of the server's: one message as JSON, or a stream of them. */
async function readBody(response: Response, deliver: (value: unknown) => void): Promise<void> {
  const type = response.headers.get("content-type");
  if (type === "application/json") return deliver(JSON.parse(await response.text()));
  if (type !== "text/event-stream") return void (await response.text());
  const reader = new SseReader(response);
  for (let event = await reader.next(); event; event = await reader.next()) {
    if (event.data !== "") deliver(JSON.parse(event.data));
  }
}

async function socketWire({ server, key, deliver }: WireOptions): Promise<Wire> {
  const url = toSocketUrl(new URL("/mcp", server));
  const socket = new WebSocket(url, ["mcp"], { headers: { authorization: `Bearer ${key}` } });
  socket.on("message", (data: RawData) => deliver(JSON.parse(String(data))));
  const ended = new Promise<number>((resolve) => {
    socket.once("close", resolve);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return {
    ended,
    drop: () => socket.terminate(),
    send: (message) => {
      socket.send(JSON.stringify(message));
      return Promise.resolve(undefined);
    },
    listen: () => Promise.resolve(undefined),
  };
}

async function sseWire({ server, key, deliver }: WireOptions): Promise<Wire> {
  const gone = new AbortController();
  const authorization = `Bearer ${key}`;
  const headers = { authorization, accept: "text/event-stream" };
  const reader = new SseReader(await fetch(new URL("/sse", server), { headers, signal: gone.signal }));
  const endpoint = await reader.next();
  if (endpoint?.event !== "endpoint") throw new Error(`/sse: expected an endpoint, received ${endpoint?.event}`);
  const follow = async (): Promise<"end"> => {
    for (let event = await reader.next(); event; event = await reader.next()) deliver(JSON.parse(event.data));
    return "end";
  };
  return {
    ended: follow().catch(() => "end" as const),
    drop: () => gone.abort(),
    listen: () => Promise.resolve(undefined),
    send: async (message, { session = endpoint.data.replace(/^.*session=/, "") } = {}) => {
      const response = await fetch(new URL(`/messages?session=${session}`, server), {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify(message),
      });
      if (response.status === 202) await response.text();
      else await readBody(response, deliver);
      return response.status === 202 ? undefined : response.status;
    },
  };
}
