// A stream of server-sent events that a test reads one by one.

import { SseReader, type ReadEvent } from "../../support/sse-reader.ts";
import { createMailbox, type Mailbox } from "./mailbox.ts";
import type { Message } from "./rpc.ts";
import { within } from "./within.ts";

const EVENT_WITHIN_MS = 5_000;

/** A message, and the id of the event that brought it. */
export interface Arrival {
  eventId: string | undefined;
  message: Message;
}

export interface EventStream {
  status: number;
  headers: Headers;
  /** The next event, or `undefined` at the end. */
  next: () => Promise<ReadEvent | undefined>;
  /** The message of the next event. */
  message: () => Promise<Message>;
  /** The messages of the next so many events. */
  messages: (count: number) => Promise<Message[]>;
  /** All that comes from now on, however long it takes; nothing else reads the stream then. */
  collect: () => Mailbox<Arrival>;
  /** Hangs up. */
  close: () => void;
}

/** Sends a request whose answer must be a stream. */
export async function openStream(url: URL, init: RequestInit = {}): Promise<EventStream> {
  const hangUp = new AbortController();
  const response = await within(EVENT_WITHIN_MS, "stream", fetch(url, { ...init, signal: hangUp.signal }));
  const { status, headers } = response;
  if (!headers.get("content-type")?.startsWith("text/event-stream")) {
    throw new Error(`expected a stream, received status ${status}: ${await response.text()}`);
  }
  const reader = new SseReader(response);
  const next = (): Promise<ReadEvent | undefined> => within(EVENT_WITHIN_MS, "event", reader.next());
  const message = async (): Promise<Message> => {
    const event = await next();
    if (!event) throw new Error("the stream ended before the message");
    return JSON.parse(event.data) as Message;
  };
  const messages = async (count: number): Promise<Message[]> => {
    const all: Message[] = [];
    while (all.length < count) all.push(await message());
    return all;
  };
  return { status, headers, next, message, messages, collect: () => collect(reader), close: () => hangUp.abort() };
}

function collect(reader: SseReader): Mailbox<Arrival> {
  const mailbox = createMailbox<Arrival>();
  const read = async (): Promise<void> => {
    for (let event = await reader.next(); event; event = await reader.next()) {
      mailbox.put({ eventId: event.id, message: JSON.parse(event.data) as Message });
    }
  };
  read().then(
    () => mailbox.end("the stream ended"),
    (error: unknown) => mailbox.end(`the stream broke, ${String(error)},`),
  );
  return mailbox;
}
