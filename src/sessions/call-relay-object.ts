// One object a legacy call that outlives its POST or needs its client: it holds the stream's messages for a client that
// comes back, and passes on what the client says to whichever isolate. Calls that simply answer never make one.

import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import type { RelayedMessage, RelayEvent, RelayPage } from "./call-relay-contract.ts";

export class CallRelay extends DurableObject<Env> {
  readonly #sql: SqlStorage;
  #events: RelayEvent[] = [];
  #eventWaiter: ((event: RelayEvent) => void) | undefined;
  #readers: (() => void)[] = [];

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
  }

  async open(): Promise<void> {
    await this.ctx.storage.deleteAll();
    this.#events = [];
    this.#sql.exec("CREATE TABLE parts (seq INTEGER NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL)");
    this.#keep("open");
  }

  append({ seq, text }: RelayedMessage, done: boolean): void {
    if (this.#state === undefined) return;
    for (const [part, piece] of splitText(text, LIMITS.relayPartChars).entries()) {
      this.#sql.exec("INSERT INTO parts (seq, part, text) VALUES (?, ?, ?)", seq, part, piece);
    }
    this.#keep(done ? "done" : "open");
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
    if (this.#state !== "open") return false;
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

  /** One message at a time: an answer over RPC has a limit too. */
  #page(seq: number): RelayPage | undefined {
    const state = this.#state;
    if (state === undefined) return undefined;
    const next = "(SELECT MIN(seq) FROM parts WHERE seq > ?)";
    const query = `SELECT seq, text FROM parts WHERE seq = ${next} ORDER BY part`;
    const parts = this.#sql.exec<{ seq: number; text: string }>(query, seq).toArray();
    const [first] = parts;
    const last = this.#sql.exec<{ seq: number }>("SELECT COALESCE(MAX(seq), 0) AS seq FROM parts").one().seq;
    const messages = first ? [{ seq: first.seq, text: parts.map(({ text }) => text).join("") }] : [];
    return { v: 1, messages, done: state === "done" && last <= (first?.seq ?? seq) };
  }

  get #state(): State | undefined {
    return this.ctx.storage.kv.get<State>("state");
  }

  #keep(state: State): void {
    this.ctx.storage.kv.put("state", state);
    void this.ctx.storage.setAlarm(Date.now() + LIMITS.relayLifeMs);
  }
}

/** None before a call opened its relay, and none after it was forgotten. */
type State = "open" | "done";

/** Pieces of at most so many UTF-16 units, none of which ends within a character: at least one, empty for an empty text. */
function splitText(text: string, units: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length || pieces.length === 0;) {
    const cut = from + units;
    const to = cut < text.length && isHighSurrogate(text.charCodeAt(cut - 1)) ? cut - 1 : cut;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
