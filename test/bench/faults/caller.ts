// Clients that call tools with a key of theirs, over every transport at once, and look whether each answer is their own.

import { randomUUID } from "node:crypto";
import type { Message } from "../../journeys/support/rpc.ts";
import { openSocketClient, openSseClient, type DuplexClient } from "./duplex-clients.ts";
import { modernClient, openSession, sessionClient, type KeyPair, type Surroundings } from "./http-clients.ts";
import type { Ask, Client, Outcome } from "./wire.ts";

const REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25"];

/** Errors that a client must expect of a server whose parts fail. */
const EXCUSES = new Set([503, -32603]);

type Opener = (around: Surroundings, key: KeyPair) => Promise<Client | undefined>;

const OPENERS: Opener[] = [
  async (around, key) => modernClient(around, key),
  async (around, key) => {
    const session = await openSession(around, key, around.random.pick(REVISIONS));
    return session && sessionClient(around, session);
  },
  (around, key) => openSocketClient(around, key, "legacy"),
  (around, key) => openSocketClient(around, key, "modern"),
  openSseClient,
];

export class Caller {
  readonly #around: Surroundings;
  readonly #key: KeyPair;
  readonly #isKilledSince: (atMs: number) => boolean;
  readonly #clients: (Client | undefined)[] = OPENERS.map(() => undefined);

  /** `isKilledSince` tells whether the runtime was killed at or after a time. */
  constructor(around: Surroundings, key: KeyPair, isKilledSince: (atMs: number) => boolean) {
    this.#around = around;
    this.#key = key;
    this.#isKilledSince = isKilledSince;
  }

  /** Calls until a time, some calls at once. */
  async work(untilMs: number, atOnce: number): Promise<void> {
    const loop = async (): Promise<void> => {
      while (Date.now() < untilMs) {
        await this.#callOnce(this.#around.random.int(0, OPENERS.length), false);
        await new Promise((resolve) => setTimeout(resolve, this.#around.random.int(0, 25)));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, loop));
  }

  /** One call over each transport, all of which must succeed: nothing is wrong any more. */
  async check(withinMs: number): Promise<void> {
    await Promise.all(OPENERS.map((_, way) => this.#recover(way, Date.now() + withinMs)));
  }

  close(): void {
    for (const client of this.#clients) client?.close();
  }

  async #recover(way: number, untilMs: number): Promise<void> {
    for (;;) {
      if (await this.#callOnce(way, true)) return this.#around.witness.count("recoveries");
      if (Date.now() > untilMs) {
        return this.#around.witness.find(`nothing fails any more, but calls over ${this.#wayOf(way)} still do`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  #wayOf(way: number): string {
    return this.#clients[way]?.way ?? `transport ${way}`;
  }

  /** Whether there was a client to call with, and its answer was a result. */
  async #callOnce(way: number, isPlain: boolean): Promise<boolean> {
    const client = await this.#clientFor(way);
    if (!client) {
      this.#around.witness.count("connections refused");
      return false;
    }
    const nonce = randomUUID();
    const call = isPlain ? echo(nonce, 0) : this.#pickCall(nonce, client);
    const askedAtMs = Date.now();
    const outcome = await client.ask(call);
    return this.#judge(client, call, nonce, outcome, askedAtMs);
  }

  async #clientFor(way: number): Promise<Client | undefined> {
    const held = this.#clients[way];
    if (held && (!("isOpen" in held) || (held as DuplexClient).isOpen())) return held;
    const opened = await OPENERS[way]?.(this.#around, this.#key);
    const meanwhile = this.#clients[way];
    // Another call of this key may have opened one at the same time.
    if (opened && meanwhile && meanwhile !== held) {
      opened.close();
      return meanwhile;
    }
    return (this.#clients[way] = opened);
  }

  #pickCall(nonce: string, { way }: Client): Ask {
    const { random } = this.#around;
    switch (random.int(0, 8)) {
      case 0:
        return { method: "tools/list", params: {} };
      case 1:
        return { method: isModern(way) ? "server/discover" : "ping", params: {} };
      case 2:
      case 3:
        // All clients have the same progress token.
        return callOf("report", { nonce, steps: random.int(1, 5) }, { progressToken: 1 });
      case 4:
        return echo(nonce, random.int(0, 200));
      case 5:
        return callOf("stamp", { nonce });
      default:
        return echo(nonce, 0);
    }
  }

  #judge({ way }: Client, { method, params }: Ask, nonce: string, outcome: Outcome, askedAtMs: number): boolean {
    const { witness } = this.#around;
    if (outcome.kind !== "answered") {
      witness.count(`calls: ${outcome.kind}`);
      const isHttp = /^\d/.test(way);
      if (isHttp && outcome.kind === "closed" && !this.#isKilledSince(askedAtMs)) {
        witness.find(`${method} over ${way} was cut off though nothing was killed: ${outcome.why}`);
      }
      return false;
    }
    const { message, status } = outcome;
    if (message.error) {
      witness.count(`calls: error ${message.error.code}`);
      if (!EXCUSES.has(message.error.code)) {
        witness.find(`${method} over ${way}: ${status} ${JSON.stringify(message.error)}`);
      }
      return false;
    }
    witness.count("calls: answered");
    if (method !== "tools/call") return true;
    const said = saidOf(message);
    const isOwn = said?.nonce === nonce && said.keyId === this.#key.id;
    if (!isOwn) {
      witness.find(
        `${String(params["name"])} over ${way} of ${this.#key.id} got another answer: ${JSON.stringify(message)}`,
      );
    }
    return isOwn;
  }
}

export const callOf = (name: string, args: object, _meta?: object): Ask => ({
  method: "tools/call",
  params: { name, arguments: args, ...(_meta && { _meta }) },
});

const isModern = (way: string): boolean => way === "2026-07-28" || way === "WebSocket (modern)";

const echo = (nonce: string, ms: number): Ask => callOf("echo", { nonce, ms });

/** What the harness's tools say of themselves, in any revision's words. */
export function saidOf({ result }: Message): { nonce: string; keyId: string; told?: string } | undefined {
  const [first] = (result?.["content"] ?? []) as { text?: string }[];
  if (first?.text === undefined || result?.["isError"] === true) return undefined;
  try {
    return JSON.parse(first.text) as { nonce: string; keyId: string; told?: string };
  } catch {
    return undefined;
  }
}
