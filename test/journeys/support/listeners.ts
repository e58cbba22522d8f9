// Clients that hear of changes, one for each way there is to listen, told apart by nothing but its name.

import { onTestFinished } from "vitest";
import type { Admin } from "./admin.ts";
import { openStream, type Arrival } from "./event-stream.ts";
import type { Mailbox } from "./mailbox.ts";
import {
  initialize,
  LIST_CHANGED,
  modernRequest,
  openHttpSession,
  post,
  request,
  toolNames,
  type Message,
} from "./rpc.ts";
import type { Endpoints, Server } from "./server.ts";
import { openSession } from "./socket.ts";
import type { Change } from "./switchboard.ts";

export interface Listener {
  way: string;
  key: string;
  /** An entry for each time it was told that the list has changed: the event's id, which only a GET stream's have. */
  heard: () => (string | undefined)[];
  /** Waits until it was told so often. */
  hear: (times: number, withinMs?: number) => Promise<void>;
  /** The names of the tools, asked for in its own way. */
  list: () => Promise<string[]>;
  /** Settles once it can hear nothing any more. */
  ended: Promise<unknown>;
}

const WAYS = ["WebSocket", "GET stream", "subscriptions/listen", "/sse"] as const;
type Way = (typeof WAYS)[number];

/** A listener with a key of its own. */
export async function openListener(way: Way, server: Admin & Endpoints): Promise<Listener> {
  const { key } = await server.mintKey({ limits: { perMinute: 6_000 } });
  return { way, key, ...(await OPENERS[way](server, key)) };
}

/** One listener for each way. */
export async function openListeners(server: Server): Promise<Listener[]> {
  const listeners: Listener[] = [];
  // One after another: sockets that are upgraded all at once can keep a local object from hibernating.
  for (const way of WAYS) listeners.push(await openListener(way, server));
  return listeners;
}

/** Makes a change, and answers how often each listener was told by then: on arrival it may be told of the last one too. */
export async function countHeard(
  listeners: Listener[],
  server: Server,
  makeChange: () => Promise<Change>,
): Promise<number[]> {
  await server.published((await makeChange()).version);
  await Promise.all(listeners.flatMap((listener) => [listener.hear(1), listener.list()]));
  return listeners.map(({ heard }) => heard().length);
}

type Ear = Omit<Listener, "way" | "key">;

async function openSocketListener(server: Endpoints, key: string): Promise<Ear> {
  const socket = await openSession(server.socketEndpoint(), { headers: bearer(key) });
  onTestFinished(() => socket.close());
  return {
    ...earOf(socket, (message) => ({ eventId: undefined, message })),
    list: async () => toolNames(await socket.ask("tools/list")),
    ended: socket.closed,
  };
}

async function openGetListener(server: Endpoints, key: string): Promise<Ear> {
  const session = await openHttpSession(server.endpoint(), key);
  const stream = await openStream(server.endpoint(), {
    headers: { ...bearer(key), ...session, accept: "text/event-stream" },
  });
  onTestFinished(stream.close);
  const mailbox = stream.collect();
  return {
    ...earOf(mailbox, (arrival) => arrival),
    list: async () => toolNames((await post(server.endpoint(), key, request("tools/list"), session)).body),
    ended: mailbox.ended,
  };
}

async function openSubscription(server: Endpoints, key: string): Promise<Ear> {
  const { message, headers } = modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const stream = await openStream(server.endpoint(), {
    method: "POST",
    headers: { ...bearer(key), ...headers, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify(message),
  });
  onTestFinished(stream.close);
  const acknowledged = await stream.message();
  if (acknowledged.method !== "notifications/subscriptions/acknowledged") {
    throw new Error(`expected an acknowledgement, received ${JSON.stringify(acknowledged)}`);
  }
  const mailbox = stream.collect();
  return {
    ...earOf(mailbox, (arrival) => arrival),
    list: async () => {
      const list = modernRequest("tools/list");
      return toolNames((await post(server.endpoint(), key, list.message, list.headers)).body);
    },
    ended: mailbox.ended,
  };
}

async function openSseListener(server: Endpoints, key: string): Promise<Ear> {
  const stream = await openStream(server.sseEndpoint(), { headers: bearer(key) });
  onTestFinished(stream.close);
  const { data = "" } = (await stream.next()) ?? {};
  const endpoint = new URL(data, server.url);
  const mailbox = stream.collect();
  const send = async (message: unknown): Promise<void> => {
    const headers = { ...bearer(key), "content-type": "application/json" };
    const { status } = await fetch(endpoint, { method: "POST", headers, body: JSON.stringify(message) });
    if (status !== 202) throw new Error(`expected status 202, received ${status}`);
  };
  const ask = async (message: ReturnType<typeof request>): Promise<Message> => {
    await send(message);
    return mailbox.until(
      `answer to ${message.method}`,
      (all) => all.find((it) => it.message.id === message.id)?.message,
    );
  };
  await ask(initialize("2024-11-05"));
  await send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return {
    ...earOf(mailbox, (arrival) => arrival),
    list: async () => toolNames(await ask(request("tools/list"))),
    ended: mailbox.ended,
  };
}

const OPENERS: Record<Way, (server: Endpoints, key: string) => Promise<Ear>> = {
  WebSocket: openSocketListener,
  "GET stream": openGetListener,
  "subscriptions/listen": openSubscription,
  "/sse": openSseListener,
};

function earOf<T>(
  { received, until }: Pick<Mailbox<T>, "received" | "until">,
  toArrival: (item: T) => Arrival,
): Pick<Listener, "heard" | "hear"> {
  const heard: Listener["heard"] = () =>
    received
      .map(toArrival)
      .filter(({ message }) => message.method === LIST_CHANGED.method)
      .map(({ eventId }) => eventId);
  const hear: Listener["hear"] = async (times, withinMs) => {
    await until(`list_changed number ${times}`, () => heard().length >= times || undefined, withinMs);
  };
  return { heard, hear };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
