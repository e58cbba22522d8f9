// One object a legacy call that outlives its POST or needs its client: it holds the stream's messages for a client that
// comes back, and passes on what the client says to whichever isolate. Calls that simply answer never make one.

import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import type { RelayedMessage, RelayEvent, RelayPage } from "./call-relay-contract.ts";

interface State {
  done: boolean;
}

export class CallRelay extends DurableObject<Env> {
  #events: RelayEvent[] = [];
  #eventWaiter: ((event: RelayEvent) => void) | undefined;
  #readers: (() => void)[] = [];

  async open(): Promise<void> {
    await this.ctx.storage.deleteAll();
    this.#events = [];
    this.#keep({ done: false });
  }

  append(message: RelayedMessage, done: boolean): void {
    if (!this.#read()) return;
    this.ctx.storage.kv.put(keyOf(message.seq), message.text);
    this.#keep({ done });
    for (const wake of this.#readers.splice(0)) wake();
    if (done) this.#emit({ v: 1, kind: "closed" });
  }

  async read(seq: number): Promise<RelayPage | undefined> {
    const page = this.#page(seq);
    if (!page || page.messages.length > 0 || page.done) return page;
    await new Promise<void>((wake) => this.#readers.push(wake));
    return this.#page(seq);
  }

  nextEvent(): Promise<RelayEvent> {
    const event = this.#events.shift();
    if (event) return Promise.resolve(event);
    this.#eventWaiter?.({ v: 1, kind: "closed" });
    return new Promise((resolve) => {
      this.#eventWaiter = resolve;
    });
  }

  deliver(event: RelayEvent): boolean {
    const state = this.#read();
    if (!state || state.done) return false;
    this.#emit(event);
    return true;
  }

  override async alarm(): Promise<void> {
    for (const wake of this.#readers.splice(0)) wake();
    this.#emit({ v: 1, kind: "closed" });
    await this.ctx.storage.deleteAll();
  }

  #emit(event: RelayEvent): void {
    if (this.#eventWaiter) {
      this.#eventWaiter(event);
      this.#eventWaiter = undefined;
    } else if (this.#events.length < LIMITS.inputRequests + 2) this.#events.push(event);
  }

  #page(seq: number): RelayPage | undefined {
    const state = this.#read();
    if (!state) return undefined;
    const rows = this.ctx.storage.kv.list<string>({ prefix: "message:", startAfter: keyOf(seq) });
    const messages = Array.from(rows, ([key, text]) => ({ seq: Number(key.slice("message:".length)), text }));
    return { v: 1, messages, done: state.done };
  }

  #read(): State | undefined {
    return this.ctx.storage.kv.get<State>("state");
  }

  #keep(state: State): void {
    this.ctx.storage.kv.put("state", state);
    void this.ctx.storage.setAlarm(Date.now() + LIMITS.relayLifeMs);
  }
}

/** Padded, so that keys sort as their numbers do. */
const keyOf = (seq: number): string => `message:${String(seq).padStart(8, "0")}`;
