// Calls under idempotency keys, repeated for as long as nobody knows what came of them. Their effects are counted outside.

import { randomUUID } from "node:crypto";
import { callOf } from "./caller.ts";
import { ClientPool, TRANSPORTS } from "./client-pool.ts";
import type { KeyPair, Surroundings } from "./http-clients.ts";
import type { UnsteadyUpstream } from "./unsteady-upstream.ts";
import type { Outcome } from "./wire.ts";

/** Calls that are neither answered nor given up. */
const OPEN_AT_ONCE = 60;

interface OnceCall {
  id: string;
  /** The result's text, once there was one. */
  result?: string;
  /** How often it was answered as a call that ran just now. */
  runs: number;
  isUnknown: boolean;
}

export class OnceCaller {
  readonly #around: Surroundings;
  readonly #pool: ClientPool;
  readonly #upstream: UnsteadyUpstream;
  #open: OnceCall[] = [];
  readonly #answered: OnceCall[] = [];

  constructor(around: Surroundings, key: KeyPair, upstream: UnsteadyUpstream) {
    this.#around = around;
    this.#pool = new ClientPool(around, key);
    this.#upstream = upstream;
  }

  /** Makes new calls and repeats open ones until a time. */
  async work(untilMs: number, atOnce: number): Promise<void> {
    const { random } = this.#around;
    const loop = async (): Promise<void> => {
      while (Date.now() < untilMs) {
        await this.#try(this.#next());
        await new Promise((resolve) => setTimeout(resolve, random.int(0, 60)));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, loop));
  }

  /** No call took effect twice, whatever came of it, and one that was answered is answered the same again. */
  async check(): Promise<void> {
    const { witness, random } = this.#around;
    for (const call of [...this.#open, ...this.#answered]) {
      const visits = this.#upstream.visits(call.id);
      witness.expect(visits <= 1, () => `an idempotent call took effect ${visits} times (${call.id})`);
    }
    if (this.#answered.length > 0) await this.#try(random.pick(this.#answered));
    // What is known by now need not be looked at for ever.
    this.#answered.splice(0, this.#answered.length - OPEN_AT_ONCE);
  }

  close(): void {
    this.#pool.close();
  }

  /** Calls of which nobody knows what came. */
  get open(): number {
    return this.#open.length;
  }

  #next(): OnceCall {
    const { random } = this.#around;
    const isRepeat = this.#open.length > 0 && (this.#open.length >= OPEN_AT_ONCE || random.chance(0.5));
    if (isRepeat) return random.pick(this.#open);
    if (this.#answered.length > 0 && random.chance(0.2)) return random.pick(this.#answered);
    const call = { id: randomUUID(), runs: 0, isUnknown: false };
    this.#open.push(call);
    return call;
  }

  async #try(call: OnceCall): Promise<void> {
    const { witness, random } = this.#around;
    const { id } = call;
    const args = { nonce: id, url: `${this.#upstream.url}/visit/${id}` };
    const client = await this.#pool.find(random.pick(TRANSPORTS));
    if (!client) return;
    const outcome = await client.ask(callOf("visit", args, { "io.toolgate/idempotencyKey": id }));
    this.#judge(call, outcome);
    const visits = this.#upstream.visits(id);
    witness.expect(visits <= 1, () => `an idempotent call took effect ${visits} times (${id})`);
  }

  #judge(call: OnceCall, outcome: Outcome): void {
    const { witness } = this.#around;
    if (outcome.kind !== "answered") return witness.count(`idempotent: ${outcome.kind}`);
    const { error, result } = outcome.message;
    if (error) {
      const { idempotency } = (error.data ?? {}) as { idempotency?: string };
      witness.count(`idempotent: ${idempotency ?? error.code}`);
      const isAllowed = [503, -32603].includes(error.code) || ["running", "unknown"].includes(idempotency ?? "");
      if (!isAllowed) witness.find(`an idempotent call was refused: ${JSON.stringify(error)}`);
      if (idempotency === "unknown") this.#giveUp(call);
      return;
    }
    const { _meta: meta, content } = (result ?? {}) as { _meta?: Record<string, unknown>; content?: unknown };
    const isReplay = meta?.["io.toolgate/idempotentReplay"] === true;
    const text = JSON.stringify(content);
    witness.count(isReplay ? "idempotent: replayed" : "idempotent: ran");
    // A repeat may be answered sooner than the call that it waited for.
    call.runs += Number(!isReplay);
    witness.expect(call.runs <= 1, () => `an idempotent call ran ${call.runs} times: ${text}`);
    if (call.result !== undefined && call.result !== text) {
      witness.find(`an idempotent call was answered differently: ${call.result}, then ${text}`);
    }
    if (call.isUnknown) witness.count("idempotent: known after all");
    this.#open = this.#open.filter((open) => open !== call);
    if (call.result === undefined) this.#answered.push(call);
    call.result = text;
  }

  /** The server doesn't know either. It is looked at again, as it must not run later. */
  #giveUp(call: OnceCall): void {
    call.isUnknown = true;
    this.#open = this.#open.filter((open) => open !== call);
    if (!this.#answered.includes(call)) this.#answered.push(call);
  }
}
