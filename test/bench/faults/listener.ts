// Clients that hear of changes and list anew, as real ones do: nothing but what they are told makes them ask.

import { randomUUID } from "node:crypto";
import type { Message } from "../../journeys/support/rpc.ts";
import { LIST_CHANGED, modernRequest } from "../../journeys/support/rpc.ts";
import { within } from "../../journeys/support/within.ts";
import { SseReader } from "../../support/sse-reader.ts";
import { openSocketClient, openSseClient, type DuplexClient } from "./duplex-clients.ts";
import {
  modernClient,
  openSession,
  sessionClient,
  sessionHeaders,
  type KeyPair,
  type Session,
  type Surroundings,
} from "./http-clients.ts";
import { bearer, UNANSWERED_MS, type Client } from "./wire.ts";

export type Way = "WebSocket" | "/sse" | "GET stream" | "subscriptions/listen";
export const WAYS: Way[] = ["WebSocket", "/sse", "GET stream", "subscriptions/listen"];

const REOPEN_MS = 100;
const LOGGED_WITHIN_MS = 100;

/** What everybody else knows. */
export interface Told {
  /** What the beacon says at least in a list that is no older than a version. */
  beaconSince: (version: number) => number;
  /** Whether an isolate could not ask the registry, at a time or later. */
  isCutOffSince: (atMs: number) => boolean;
}

interface Hearing {
  /** Settles when it hears nothing more. */
  ended: Promise<unknown>;
  close: () => void;
}

export class Listener {
  readonly way: Way;
  /** What the beacon said when it was listed last. */
  beacon = 0;
  isListening = false;
  readonly #around: Surroundings;
  readonly #key: KeyPair;
  readonly #told: Told;
  readonly #stopped = new AbortController();
  #hearing: Hearing | undefined;
  #session: Session | undefined;
  #lastEventId: string | undefined;
  /** The newest version that it was told of, where it is told which. */
  #version = 0;
  #listing: Promise<void> | undefined;
  #isOutdated = false;
  #lister: Client | undefined;

  constructor(around: Surroundings, key: KeyPair, way: Way, told: Told) {
    this.way = way;
    this.#around = around;
    this.#key = key;
    this.#told = told;
  }

  /** Listens until it is stopped, and comes back whenever it is cut off. */
  async run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      this.#hearing = await this.#open();
      // Stopped while it was opening.
      if (this.#stopped.signal.aborted) this.#hearing?.close();
      else if (this.#hearing) {
        this.isListening = true;
        this.#around.witness.count(`listeners: opened`);
        await this.#hearing.ended;
        this.isListening = false;
      }
      if (!this.#stopped.signal.aborted) await pause(this.#around.random.int(REOPEN_MS / 2, REOPEN_MS));
    }
  }

  stop(): void {
    this.#stopped.abort();
    this.#hearing?.close();
  }

  #open(): Promise<Hearing | undefined> {
    switch (this.way) {
      case "WebSocket":
        return this.#beginAnew(openSocketClient(this.#around, this.#key, "legacy"));
      case "/sse":
        return this.#beginAnew(openSseClient(this.#around, this.#key));
      case "GET stream":
        return this.#openStream();
      case "subscriptions/listen":
        return this.#subscribe();
    }
  }

  /** A session that is gone begins with a list. */
  async #beginAnew(opening: Promise<DuplexClient | undefined>): Promise<Hearing | undefined> {
    const client = await opening;
    if (!client) return undefined;
    this.#lister = client;
    client.onNews(() => this.#hear());
    void this.#list();
    return { ended: client.closed, close: client.close };
  }

  async #openStream(): Promise<Hearing | undefined> {
    const { witness, random, urls } = this.#around;
    if (!this.#session) {
      this.#session = await openSession(this.#around, this.#key, "2025-11-25");
      if (!this.#session) return undefined;
      this.#lister = sessionClient(this.#around, this.#session);
      void this.#list();
    }
    const headers = {
      ...sessionHeaders(this.#session),
      accept: "text/event-stream",
      ...(this.#lastEventId !== undefined && { "last-event-id": this.#lastEventId }),
    };
    const opened = await this.#read(new URL("/mcp", random.pick(urls)), { headers }, (_, eventId) => {
      if (eventId === undefined) return witness.find("an event of a GET stream has no id");
      this.#lastEventId = eventId;
      const version = Number(eventId.split(".")[1]);
      witness.expect(version > this.#version, () => `a GET stream told of version ${version} after ${this.#version}`);
      this.#version = version;
      this.#hear();
    });
    if (opened === 404) witness.find("a session that nobody ended was not found");
    return typeof opened === "object" ? opened : undefined;
  }

  async #subscribe(): Promise<Hearing | undefined> {
    const { random, urls } = this.#around;
    if (!this.#lister) {
      this.#lister = modernClient(this.#around, this.#key);
      void this.#list();
    }
    const { message, headers } = modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } });
    const init = {
      method: "POST",
      headers: {
        ...bearer(this.#key.key),
        ...headers,
        "content-type": "application/json",
        accept: "text/event-stream",
      },
      body: JSON.stringify({ ...message, id: `listen-${randomUUID()}` }),
    };
    const opened = await this.#read(new URL("/mcp", random.pick(urls)), init, ({ method }) => {
      if (method === LIST_CHANGED.method) this.#hear();
    });
    return typeof opened === "object" ? opened : undefined;
  }

  /** Reads a stream to its end; the status where it is none, nothing where it could not be asked for. */
  async #read(
    url: URL,
    init: RequestInit,
    onMessage: (message: Message, eventId: string | undefined) => void,
  ): Promise<Hearing | number | undefined> {
    const hangUp = new AbortController();
    try {
      const opening = fetch(url, { ...init, signal: hangUp.signal });
      const response = await within(UNANSWERED_MS, `opening of a ${this.way}`, opening);
      if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
        await response.body?.cancel();
        this.#around.witness.count(`listeners: refused with ${response.status}`);
        return response.status;
      }
      const reader = new SseReader(response);
      const readAll = async (): Promise<void> => {
        for (let event = await reader.next(); event; event = await reader.next()) {
          onMessage(JSON.parse(event.data) as Message, event.id);
        }
      };
      return { ended: readAll().catch(() => undefined), close: () => hangUp.abort() };
    } catch (error) {
      if (String(error).includes("not within")) this.#around.witness.find(String(error));
      hangUp.abort();
      return undefined;
    }
  }

  #hear(): void {
    this.#around.witness.count("listeners: told");
    void this.#list();
  }

  /** One list at a time; what is heard meanwhile makes it list again. */
  #list(): Promise<void> {
    this.#isOutdated = true;
    return (this.#listing ??= this.#listAll().finally(() => (this.#listing = undefined)));
  }

  async #listAll(): Promise<void> {
    while (this.#isOutdated && !this.#stopped.signal.aborted) {
      this.#isOutdated = false;
      const [version, askedAtMs] = [this.#version, Date.now()];
      const beacon = await this.#readBeacon();
      if (beacon !== undefined) {
        this.beacon = beacon;
        if (await this.#isRecent(beacon, version, askedAtMs)) continue;
        // As who heeds a list's time to live does.
        this.#isOutdated = true;
      }
      // A session that is gone lists when it begins anew; others try again.
      if (this.way === "WebSocket" || this.way === "/sse") if (!this.isListening) return;
      this.#isOutdated = true;
      await pause(REOPEN_MS);
    }
  }

  /** No list is older than what was heard before it was asked for, unless the registry could not be asked. */
  async #isRecent(beacon: number, version: number, askedAtMs: number): Promise<boolean> {
    const { witness } = this.#around;
    const expected = this.#told.beaconSince(version);
    witness.count("checks");
    await pause(LOGGED_WITHIN_MS);
    if (this.#told.isCutOffSince(askedAtMs)) {
      witness.count("listeners: listed while the registry was out of reach");
      return false;
    }
    if (beacon >= expected) return true;
    witness.find(`${this.way}: told of version ${version}, but lists beacon ${beacon} instead of ${expected}`);
    return true;
  }

  async #readBeacon(): Promise<number | undefined> {
    const outcome = await this.#lister?.ask({ method: "tools/list", params: {} });
    if (outcome?.kind !== "answered" || !outcome.message.result) return undefined;
    const tools = outcome.message.result["tools"] as { name: string; description: string }[];
    return Number(tools.find(({ name }) => name === BEACON)?.description.split(" ")[1] ?? 0);
  }
}

/** A tool whose description counts: which list somebody has is told by it. */
export const BEACON = "beacon";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
