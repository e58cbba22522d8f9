// The hub's side of one request, which the entrypoint that answers it calls back.

import { RpcTarget } from "cloudflare:workers";
import { fullBucket, refillBucket, type Rate } from "../keys/token-bucket.ts";
import type { JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { LruMap } from "../lib/lru-map.ts";
import type { Id } from "../protocol/json-rpc.ts";
import type { FrameChannel } from "./hub-contract.ts";

const FRAMES: Rate = { perMinute: LIMITS.socketFramesPerMinute, burst: LIMITS.socketFramesBurst };
const REFUSALS: Rate = { perMinute: LIMITS.socketRefusalsPerMinute, burst: LIMITS.socketRefusals };

/** Requests of one socket that run right now, and the questions that they asked its client. */
export class SocketCalls {
  readonly #running = new Map<Id, () => void>();
  /**
   * Cancelled before anybody watched: a request is watched only once it takes its time. The latest only: what was
   * cancelled before that is over, or never was.
   */
  readonly #cancelledEarly = new LruMap<Id, true>(LIMITS.socketRequests);
  readonly #questions = new Map<string, (response: JsonObject) => void>();
  /** Frames that run, each as one request, and what batches hold beyond their first. */
  #held = 0;
  #budget = fullBucket(FRAMES, Date.now());
  #refusals = fullBucket(REFUSALS, Date.now());
  #isGone = false;

  /** Whether there is room for a frame: not too many at once, and not too many a minute. */
  admit(nowMs: number): boolean {
    this.#budget = refillBucket(this.#budget, FRAMES, nowMs);
    if (this.#held >= LIMITS.socketRequests || this.#budget.tokens < 1) return false;
    this.#budget.tokens--;
    return true;
  }

  /** Whether a refusal may still be told: who goes on after many of them is cut off. */
  admitRefusal(nowMs: number): boolean {
    this.#refusals = refillBucket(this.#refusals, REFUSALS, nowMs);
    return this.#refusals.tokens-- >= 1;
  }

  begin(): void {
    this.#held++;
  }

  end(): void {
    this.release(1);
  }

  /** How many more requests may run, of so many. */
  claim(count: number): number {
    const granted = Math.max(0, Math.min(count, LIMITS.socketRequests - this.#held));
    this.#held += granted;
    return granted;
  }

  release(count: number): void {
    this.#held -= count;
    if (this.#held === 0) this.#cancelledEarly.clear();
  }

  watch(id: Id): Promise<void> {
    if (this.#isGone || this.#cancelledEarly.delete(id)) return Promise.resolve();
    return new Promise((resolve) => this.#running.set(id, resolve));
  }

  cancel(id: Id): void {
    if (this.#running.has(id)) this.forget(id);
    else this.#cancelledEarly.set(id, true);
  }

  forget(id: Id): void {
    this.#running.get(id)?.();
    this.#running.delete(id);
  }

  /** The client is gone, and with it whoever would answer. */
  cancelAll(): void {
    this.#isGone = true;
    for (const cancel of this.#running.values()) cancel();
    this.#running.clear();
    for (const answer of this.#questions.values()) answer({ error: { message: "the client disconnected" } });
    this.#questions.clear();
  }

  expect(question: string): Promise<JsonObject> {
    return new Promise((resolve) => this.#questions.set(question, resolve));
  }

  /** Nobody waits for these any more. */
  drop(questions: Iterable<string>): void {
    for (const question of questions) this.answer({ id: question, error: { message: "nobody waits any more" } });
  }

  answer(response: JsonObject): void {
    const question = String(response["id"]);
    this.#questions.get(question)?.(response);
    this.#questions.delete(question);
  }
}

export class FrameChannelTarget extends RpcTarget implements FrameChannel {
  readonly #calls: SocketCalls;
  readonly #send: (text: string) => boolean;
  /** A batch watches one id an item. */
  readonly #watched = new Set<Id>();
  readonly #asked = new Set<string>();
  #claimed = 0;

  constructor(calls: SocketCalls, send: (text: string) => boolean) {
    super();
    this.#calls = calls;
    this.#send = send;
  }

  async send(text: string): Promise<void> {
    this.#send(text);
  }

  ask(question: string, text: string): Promise<JsonObject> {
    const response = this.#calls.expect(question);
    this.#asked.add(question);
    this.#send(text);
    return response;
  }

  whenCancelled(id: Id): Promise<void> {
    this.#watched.add(id);
    return this.#calls.watch(id);
  }

  async claim(count: number): Promise<number> {
    const granted = this.#calls.claim(count);
    this.#claimed += granted;
    return granted;
  }

  /** The request was answered: nobody waits for its end any more. */
  end(): void {
    this.#calls.release(this.#claimed);
    this.#claimed = 0;
    for (const id of this.#watched) this.#calls.forget(id);
    this.#calls.drop(this.#asked);
  }
}
