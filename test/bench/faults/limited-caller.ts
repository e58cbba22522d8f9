// Callers who ask for more than they may: what they get is counted against what their keys allow.

import { randomUUID } from "node:crypto";
import { callOf } from "./caller.ts";
import { modernClient, type KeyPair, type Surroundings } from "./http-clients.ts";
import type { UnsteadyUpstream } from "./unsteady-upstream.ts";
import type { Client } from "./wire.ts";

export interface Limits {
  perMinute: number;
  burst: number;
  perDay?: number;
  concurrent?: number;
}

interface Admitted {
  askedAtMs: number;
  answeredAtMs: number;
}

/** Rates below this many calls a minute, and bursts below so many, are never prepaid. */
const PREPAID = { perMinute: 60, burst: 4 };
const LEASE_LIFE_MS = 2_000;

export class LimitedCaller {
  readonly #around: Surroundings;
  readonly #client: Client;
  readonly #limits: Limits;
  readonly #upstream: UnsteadyUpstream;
  readonly #keyId: string;
  #admitted: Admitted[] = [];
  #total = 0;

  constructor(around: Surroundings, key: KeyPair, limits: Limits, upstream: UnsteadyUpstream) {
    this.#around = around;
    this.#client = modernClient(around, key);
    this.#limits = limits;
    this.#upstream = upstream;
    this.#keyId = key.id;
  }

  async work(untilMs: number, atOnce: number): Promise<void> {
    const { random } = this.#around;
    const loop = async (): Promise<void> => {
      while (Date.now() < untilMs) {
        await this.#call();
        await new Promise((resolve) => setTimeout(resolve, random.int(20, 120)));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, loop));
  }

  check(): void {
    const { witness } = this.#around;
    const { perDay = Infinity, concurrent = Infinity } = this.#limits;
    witness.expect(this.#total <= perDay, () => `${this.#total} calls of a key that has ${perDay} a day`);
    const peak = this.#upstream.takePeak(this.#keyId);
    witness.expect(peak <= concurrent, () => `${peak} calls at the same time of a key that has ${concurrent}`);
    this.#checkWindows();
  }

  /** Nothing is left of what it may do in a day. */
  get isSpent(): boolean {
    return this.#total >= (this.#limits.perDay ?? Infinity);
  }

  async #call(): Promise<void> {
    const { witness } = this.#around;
    const nonce = randomUUID();
    const askedAtMs = Date.now();
    // A tool that may destroy is not run while its key can't be checked: its limits have no exception.
    const call =
      this.#limits.concurrent === undefined
        ? callOf("stamp", { nonce })
        : callOf("visit", {
            nonce,
            url: `${this.#upstream.url}/hold/${this.#keyId}/${this.#around.random.int(20, 150)}`,
          });
    const outcome = await this.#client.ask(call);
    if (outcome.kind !== "answered") return witness.count(`limited calls: ${outcome.kind}`);
    const { error } = outcome.message;
    witness.count(`limited calls: ${error ? error.code : "admitted"}`);
    if (error && ![429, 503, -32603].includes(error.code)) witness.find(`a limited call: ${JSON.stringify(error)}`);
    if (error) return;
    this.#total++;
    this.#admitted.push({ askedAtMs, answeredAtMs: Date.now() });
  }

  /** Of every span, counted are the calls that were asked and answered inside it. */
  #checkWindows(): void {
    const { witness } = this.#around;
    const { perMinute, burst } = this.#limits;
    const isPrepaid = perMinute >= PREPAID.perMinute && burst >= PREPAID.burst;
    const admitted = this.#admitted.toSorted((a, b) => a.answeredAtMs - b.answeredAtMs);
    for (const { askedAtMs: fromMs } of admitted) {
      let count = 0;
      for (const { askedAtMs, answeredAtMs } of admitted) {
        if (askedAtMs < fromMs) continue;
        const spanMs = answeredAtMs - fromMs + (isPrepaid ? LEASE_LIFE_MS : 0);
        const bound = burst + (perMinute * spanMs) / 60_000;
        count++;
        witness.expect(
          count <= bound,
          () => `${count} calls within ${spanMs} ms of a key with ${perMinute} a minute and a burst of ${burst}`,
        );
      }
    }
    // What is a minute old counts no more, or the sums would grow without end.
    this.#admitted = this.#admitted.filter(({ askedAtMs }) => Date.now() - askedAtMs < 60_000);
  }
}
