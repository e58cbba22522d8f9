// The running side of a call's relay: messages kept for a client that comes back, questions and their answers, and the
// news that the call was cancelled.

import type { JsonObject } from "../lib/json-value.ts";
import { encodeQuestionId } from "../protocol/event-id.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Id } from "../protocol/json-rpc.ts";
import { askAgain, isOutOfReach } from "../lib/out-of-reach.ts";
import { logFailure } from "../telemetry/log.ts";
import type { CallRelayStub, RelayedMessage, RelayEvent } from "./call-relay-contract.ts";
import { waitForClient } from "./wait-for-client.ts";

export class CallLink {
  /** Fires when the client cancels the call. */
  readonly cancelled: AbortSignal;
  readonly #cancel = new AbortController();
  readonly #reach: () => CallRelayStub;
  readonly #requestId: Id;
  readonly #questions = new Map<number, (response: JsonObject) => void>();
  #waiting: RelayedMessage[] = [];
  #isDone = false;
  #isOpen = false;
  #sent: Promise<void>;
  #asked = 0;

  /** `reach` makes a stub: one that broke stays broken. */
  constructor(reach: () => CallRelayStub, requestId: Id) {
    this.cancelled = this.#cancel.signal;
    this.#reach = reach;
    this.#requestId = requestId;
    this.#sent = this.#open();
  }

  /** Settles once the relay knows of the call. */
  get ready(): Promise<void> {
    return this.#sent;
  }

  /** Keeps a message at its place on the stream, together with those that come while the last ones are being kept. */
  append(seq: number, text: string, done: boolean): void {
    this.#waiting.push({ seq, text });
    this.#isDone ||= done;
    if (this.#waiting.length === 1) this.#sent = this.#sent.then(() => this.#appendWaiting());
  }

  /** Settles when everything so far is kept. */
  flush(): Promise<void> {
    return this.#sent;
  }

  /** Hears what the client does until the call is done. */
  async listen(): Promise<void> {
    await this.#sent;
    for (let heard = 0; ;) {
      const event = await this.#nextEvent(heard);
      if (event.kind === "closed") return;
      if (event.kind === "cancelled") return this.#cancel.abort();
      heard = event.seq;
      this.#questions.get(event.question)?.(event.response);
    }
  }

  /** Sends a question with `send` and waits for its answer, for `LIMITS.inputTimeoutMs` at most. */
  async ask(method: string, params: object, signal: AbortSignal, send: (message: string) => void): Promise<JsonObject> {
    const question = ++this.#asked;
    await this.#sent;
    if (!this.#isOpen) throw new Error("the call's relay can't be reached: nobody would hear the answer");
    const answered = new Promise<JsonObject>((resolve) => this.#questions.set(question, resolve));
    send(JSON.stringify({ jsonrpc: "2.0", id: encodeQuestionId(this.#requestId, question), method, params }));
    try {
      return await waitForClient(answered, method, signal);
    } finally {
      this.#questions.delete(question);
    }
  }

  async #open(): Promise<void> {
    this.#isOpen = await this.#attempt(() => this.#reach().open());
  }

  /** A relay that was reset has forgotten who listens, and nothing else: as long as the call runs it is listened to again. */
  async #nextEvent(heard: number): Promise<RelayEvent> {
    for (let failures = 1; ; failures++) {
      try {
        return await askAgain(() => this.#reach().nextEvent(heard));
      } catch (error) {
        if (this.#isDone || failures >= LIMITS.relayFailures) throw error;
        await pause(LIMITS.relayRetryMs);
      }
    }
  }

  async #appendWaiting(): Promise<void> {
    const [messages, isDone] = [this.#waiting.splice(0), this.#isDone];
    await this.#attempt(() => this.#reach().append(messages, isDone));
  }

  /** Whether it was done at last. One that has too much to do is left alone for a while. */
  async #attempt(step: () => Promise<void>): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        await askAgain(step);
        return true;
      } catch (error) {
        logFailure("relay_failed", String(this.#requestId), error);
        if (tries >= LIMITS.relayTries || !isOutOfReach(error)) return false;
        await pause(LIMITS.relayRetryMs);
      }
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
