// Clients that call tools with a key of theirs, over every transport at once, and look whether each answer is their own.

import { randomUUID } from "node:crypto";
import type { Message } from "../../journeys/support/rpc.ts";
import { ClientPool, HTTP_TRANSPORTS, MODERN_TRANSPORTS, TRANSPORTS, type Transport } from "./client-pool.ts";
import type { KeyPair, Surroundings } from "./http-clients.ts";
import type { Ask, Outcome } from "./wire.ts";

/** Errors that a client must expect of a server whose parts fail. */
const EXCUSES = new Set([503, -32603]);
const RECOVERY_PAUSE_MS = 100;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** A tool that is a request to the unsteady upstream, and one of the upstream's own. */
export const FETCHER = "fetcher";
export const FEDERATED = "unsteady_echo";

export class Caller {
  readonly #around: Surroundings;
  readonly #key: KeyPair;
  readonly #pool: ClientPool;
  readonly #isKilledSince: (atMs: number) => boolean;

  /** `isKilledSince` tells whether the runtime was killed at or after a time. */
  constructor(around: Surroundings, key: KeyPair, isKilledSince: (atMs: number) => boolean) {
    this.#around = around;
    this.#key = key;
    this.#pool = new ClientPool(around, key);
    this.#isKilledSince = isKilledSince;
  }

  /** Calls until a time, some calls at once. */
  async work(untilMs: number, atOnce: number, pauseMs: number): Promise<void> {
    const { random } = this.#around;
    const loop = async (): Promise<void> => {
      while (Date.now() < untilMs) {
        const nonce = randomUUID();
        const transport = random.pick(TRANSPORTS);
        await this.#call(transport, this.#pickAsk(nonce, transport), nonce);
        await pause(random.int(0, pauseMs));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, loop));
  }

  /** One call over each transport, all of which must succeed: nothing is wrong any more. */
  async check(withinMs: number): Promise<void> {
    await Promise.all(TRANSPORTS.map((transport) => this.#recover(transport, Date.now() + withinMs)));
  }

  close(): void {
    this.#pool.close();
  }

  async #recover(transport: Transport, untilMs: number): Promise<void> {
    const { witness } = this.#around;
    for (;;) {
      const nonce = randomUUID();
      if (await this.#call(transport, echo(nonce, 0), nonce)) return witness.count("recoveries");
      if (Date.now() > untilMs) return witness.find(`nothing fails any more, but calls over ${transport} still do`);
      await pause(RECOVERY_PAUSE_MS);
    }
  }

  #pickAsk(nonce: string, transport: Transport): Ask {
    const { random } = this.#around;
    switch (random.int(0, 10)) {
      case 0:
        return { method: "tools/list", params: {} };
      case 1:
        return { method: MODERN_TRANSPORTS.includes(transport) ? "server/discover" : "ping", params: {} };
      case 2:
      case 3:
        // All clients have the same progress token.
        return callOf("report", { nonce, steps: random.int(1, 5) }, { progressToken: 1 });
      case 4:
        return echo(nonce, random.int(0, 200));
      case 5:
        return callOf("stamp", { nonce });
      case 6:
        return callOf(FETCHER, { nonce });
      case 7:
        return callOf(FEDERATED, { nonce });
      default:
        return echo(nonce, 0);
    }
  }

  /** Whether there was a client to call with, and its answer was a result. */
  async #call(transport: Transport, ask: Ask, nonce: string): Promise<boolean> {
    const client = await this.#pool.find(transport);
    if (!client) return false;
    const askedAtMs = Date.now();
    const outcome = await client.ask(ask);
    if (outcome.kind === "answered") return this.#judge(transport, ask, nonce, outcome);
    this.#around.witness.count(`calls: ${outcome.kind}`);
    const isExcused = !HTTP_TRANSPORTS.includes(transport) || this.#isKilledSince(askedAtMs);
    if (outcome.kind === "closed" && !isExcused) {
      this.#around.witness.find(`${ask.method} over ${transport} was cut off by itself: ${outcome.why}`);
    }
    return false;
  }

  #judge(
    transport: Transport,
    { method, params }: Ask,
    nonce: string,
    { message, status }: Extract<Outcome, { kind: "answered" }>,
  ): boolean {
    const { witness } = this.#around;
    if (message.error) {
      witness.count(`calls: error ${message.error.code}`);
      if (!EXCUSES.has(message.error.code)) {
        witness.find(`${method} over ${transport}: ${status} ${JSON.stringify(message.error)}`);
      }
      return false;
    }
    witness.count("calls: answered");
    if (method !== "tools/call") return true;
    const name = String(params["name"]);
    const isOwn = name === FETCHER || name === FEDERATED ? isNobodyElses(message, nonce) : this.#isOwn(message, nonce);
    if (!isOwn) witness.find(`${name} over ${transport} of ${this.#key.id} got ${JSON.stringify(message)}`);
    return isOwn;
  }

  #isOwn(message: Message, nonce: string): boolean {
    const said = saidOf(message);
    return said?.nonce === nonce && said.keyId === this.#key.id;
  }
}

/** The upstream may have said anything, but not what it said to others. */
const isNobodyElses = (message: Message, nonce: string): boolean =>
  [...JSON.stringify(message).matchAll(UUID)].every(([found]) => found === nonce);

export const callOf = (name: string, args: object, _meta?: object): Ask => ({
  method: "tools/call",
  params: { name, arguments: args, ...(_meta && { _meta }) },
});

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

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
