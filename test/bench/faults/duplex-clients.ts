// Clients whose answers come by a connection that stays open: WebSocket, and HTTP+SSE of 2024-11-05.

import { WebSocket, type RawData } from "ws";
import { initialize, LIST_CHANGED, MODERN_META, request, type Message } from "../../journeys/support/rpc.ts";
import { within } from "../../journeys/support/within.ts";
import { SseReader } from "../../support/sse-reader.ts";
import type { KeyPair, Surroundings } from "./http-clients.ts";
import { bearer, isResponse, UNANSWERED_MS, type Ask, type Client, type Outcome } from "./wire.ts";

const OPEN_WITHIN_MS = 15_000;

export interface DuplexClient extends Client {
  /** Settles when the connection is gone. */
  closed: Promise<string>;
  isOpen: () => boolean;
  /** Called for every `list_changed` that concerns this client. */
  onNews: (hear: () => void) => void;
}

/** Whatever carries messages both ways. */
interface Line {
  /** Settles with the reason why the message did not go out, or with nothing. */
  send: (message: object) => Promise<string | undefined>;
  hangUp: () => void;
}

/** Keeps count of what was asked and what was answered on one connection. */
class Talk {
  readonly #around: Surroundings;
  readonly #way: string;
  readonly #waiting = new Map<number, (outcome: Outcome) => void>();
  readonly #answered = new Set<number>();
  #asked = 0;
  #hear: (() => void) | undefined;
  #end: (why: string) => void;
  readonly closed: Promise<string>;
  isOpen = true;

  constructor(around: Surroundings, way: string) {
    this.#around = around;
    this.#way = way;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.closed = promise;
    this.#end = resolve;
  }

  client(keyId: string, line: Line): DuplexClient {
    return {
      way: this.#way,
      keyId,
      ask: (ask) => this.#askOn(line, ask),
      close: line.hangUp,
      closed: this.closed,
      isOpen: () => this.isOpen,
      onNews: (hear) => (this.#hear = hear),
    };
  }

  hear(message: Message): void {
    const { witness } = this.#around;
    if (message.method === LIST_CHANGED.method) return this.#hear?.();
    if (!isResponse(message)) return;
    const id = Number(message.id);
    if (this.#answered.has(id)) return witness.find(`request ${id} over ${this.#way} was answered twice`);
    const settle = this.#waiting.get(id);
    if (!settle) return witness.find(`over ${this.#way} came an answer to nothing: ${JSON.stringify(message)}`);
    this.#waiting.delete(id);
    this.#answered.add(id);
    settle({ kind: "answered", message, status: 200, headers: new Headers() });
  }

  end(why: string): void {
    this.isOpen = false;
    for (const settle of this.#waiting.values()) settle({ kind: "closed", why });
    this.#waiting.clear();
    this.#end(why);
  }

  async #askOn(line: Line, { method, params }: Ask): Promise<Outcome> {
    if (!this.isOpen) return { kind: "closed", why: "closed before" };
    const id = ++this.#asked;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#waiting.set(id, resolve);
    const failure = await line.send(request(method, params, id));
    if (failure !== undefined && this.#waiting.delete(id)) {
      // It may have arrived all the same: an answer is no answer to nothing.
      this.#answered.delete(id);
      this.#waiting.set(id, () => undefined);
      return { kind: "closed", why: failure };
    }
    const timer = setTimeout(() => {
      this.#around.witness.find(`${method} over ${this.#way}: no answer, and the connection stayed open`);
      resolve({ kind: "unanswered", why: `not within ${UNANSWERED_MS} ms` });
    }, UNANSWERED_MS);
    const outcome = await promise;
    clearTimeout(timer);
    return outcome;
  }
}

/** A WebSocket session, of 2025-11-25 or without a handshake. `undefined` where it could not be opened. */
export async function openSocketClient(
  around: Surroundings,
  { id, key }: KeyPair,
  era: "legacy" | "modern",
): Promise<DuplexClient | undefined> {
  const url = new URL("/mcp", around.random.pick(around.urls));
  url.protocol = "ws:";
  const socket = new WebSocket(url, ["mcp"], { headers: bearer(key), handshakeTimeout: OPEN_WITHIN_MS });
  const talk = new Talk(around, `WebSocket (${era})`);
  socket.on("message", (data: RawData) => talk.hear(JSON.parse(String(data)) as Message));
  socket.on("error", ({ message }) => {
    if (message.includes("timed out")) around.witness.find(`a WebSocket (${era}) was neither opened nor refused`);
  });
  const opened = new Promise<boolean>((resolve) => {
    socket.once("open", () => resolve(true));
    socket.once("close", (code, reason) => {
      resolve(false);
      talk.end(`${code} ${String(reason)}`);
    });
  });
  if (!(await opened)) return undefined;
  const send = async (message: object): Promise<undefined> => void socket.send(JSON.stringify(message));
  const client = talk.client(id, { send, hangUp: () => socket.terminate() });
  if (era === "legacy") return greet(client, send, "2025-11-25");
  return {
    ...client,
    ask: ({ method, params }) => client.ask({ method, params: { ...params, _meta: metaOf(params) } }),
  };
}

const metaOf = ({ _meta }: { _meta?: object }): object => ({ ...MODERN_META, ..._meta });

/** A session over `GET /sse`. `undefined` where it could not be opened. */
export async function openSseClient(around: Surroundings, { id, key }: KeyPair): Promise<DuplexClient | undefined> {
  const url = new URL("/sse", around.random.pick(around.urls));
  const hangUp = new AbortController();
  const talk = new Talk(around, "/sse");
  try {
    const opening = fetch(url, { headers: bearer(key), signal: hangUp.signal });
    const response = await within(OPEN_WITHIN_MS, "stream", opening);
    if (response.status !== 200) return undefined;
    const reader = new SseReader(response);
    const first = await within(OPEN_WITHIN_MS, "endpoint", reader.next());
    if (first?.event !== "endpoint") return undefined;
    void listen(reader, talk);
    const send = (message: object): Promise<string | undefined> =>
      postTo(new URL(first.data, around.random.pick(around.urls)), key, message);
    return await greet(talk.client(id, { send, hangUp: () => hangUp.abort() }), send, "2024-11-05");
  } catch (error) {
    if (String(error).includes("not within")) around.witness.find(`over /sse: ${String(error)}`);
    hangUp.abort();
    return undefined;
  }
}

async function listen(reader: SseReader, talk: Talk): Promise<void> {
  try {
    for (let event = await reader.next(); event; event = await reader.next()) {
      talk.hear(JSON.parse(event.data) as Message);
    }
    talk.end("the stream ended");
  } catch (error) {
    talk.end(`the stream broke, ${String(error)}`);
  }
}

async function postTo(url: URL, key: string, message: object): Promise<string | undefined> {
  const headers = { ...bearer(key), "content-type": "application/json" };
  const signal = AbortSignal.timeout(UNANSWERED_MS);
  try {
    const { status, body } = await fetch(url, { method: "POST", headers, signal, body: JSON.stringify(message) });
    await body?.cancel();
    return status === 202 ? undefined : `status ${status}`;
  } catch (error) {
    return String(error);
  }
}

async function greet(client: DuplexClient, send: Line["send"], revision: string): Promise<DuplexClient | undefined> {
  const { method, params } = initialize(revision);
  const outcome = await client.ask({ method, params });
  if (outcome.kind === "answered" && outcome.message.result) {
    await send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return client;
  }
  client.close();
  return undefined;
}
