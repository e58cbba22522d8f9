// One object a legacy call that outlives its POST or needs its client: it holds the stream's messages for a client that
// comes back, and passes on what the client says to whichever isolate. Calls that simply answer never make one.

import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import type { ClientEvent, RelayedMessage, RelayEvent, RelayPage } from "./call-relay-contract.ts";

export class CallRelay extends DurableObject<Env> {
  readonly #sql: SqlStorage;
  /** The running call, waiting for what its client does. */
  #listener: ((stays: boolean) => void) | undefined;
  #readers: ((stays: boolean) => void)[] = [];
  /** A cancellation that came before the call took its time, and opened its relay. */
  #cancelledAtMs = 0;
  #alarmAtMs = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
  }

  async open(): Promise<void> {
    await this.ctx.storage.deleteAll();
    const isCancelled = Date.now() - this.#cancelledAtMs < LIMITS.earlyCancelMs;
    this.#alarmAtMs = 0;
    this.#sql.exec(
      "CREATE TABLE parts (seq INTEGER, part INTEGER, text TEXT NOT NULL, PRIMARY KEY (seq, part)) STRICT",
    );
    this.#keep("open");
    if (isCancelled) this.#keepEvent({ v: 1, kind: "cancelled" });
  }

  append(messages: RelayedMessage[], done: boolean): void {
    if (this.#state === undefined) return;
    for (const { seq, text } of messages) this.#insert(seq, text);
    this.#keep(done ? "done" : "open");
    for (const wake of this.#readers.splice(0)) wake(true);
    if (done) this.#wakeListener(true);
  }

  async read(seq: number): Promise<RelayPage | undefined> {
    const page = this.#page(seq);
    if (!page || page.messages.length > 0 || page.done) return page;
    const stays = await new Promise<boolean>((wake) => {
      this.#readers.push(wake);
      // The newest win: an older one most likely has lost its client.
      if (this.#readers.length > LIMITS.relayReaders) this.#readers.shift()?.(false);
    });
    return stays ? this.#page(seq) : undefined;
  }

  /** One listens at a time: whoever comes later has lost what came before. */
  async nextEvent(seq = 0): Promise<RelayEvent> {
    this.#wakeListener(false);
    while (this.#state === "open") {
      const event = this.#takeEvent(seq);
      if (event) return event;
      const stays = await new Promise<boolean>((wake) => (this.#listener = wake));
      if (!stays) break;
    }
    return { v: 1, kind: "closed" };
  }

  /** On disk before it is acknowledged: a relay that is reset forgets nothing that a client was told is heard. */
  deliver(event: ClientEvent): boolean {
    if (this.#state === "open") {
      this.#keepEvent(event);
      this.#wakeListener(true);
      return true;
    }
    // In memory alone: what comes for a call that never opened a relay must store nothing.
    if (event.kind === "cancelled") this.#cancelledAtMs = Date.now();
    return false;
  }

  override async alarm(): Promise<void> {
    for (const wake of this.#readers.splice(0)) wake(true);
    this.#wakeListener(false);
    await this.ctx.storage.deleteAll();
  }

  #wakeListener(stays: boolean): void {
    this.#listener?.(stays);
    this.#listener = undefined;
  }

  #keepEvent(event: ClientEvent): void {
    this.#sql.exec(CREATE_EVENTS);
    const { waiting } = this.#sql.exec<{ waiting: number }>("SELECT COUNT(*) AS waiting FROM events").one();
    if (event.kind === "answered" && waiting >= LIMITS.relayAnswers) return;
    this.#sql.exec("INSERT INTO events (event) VALUES (?)", JSON.stringify(event));
  }

  #takeEvent(seq: number): RelayEvent | undefined {
    this.#sql.exec(CREATE_EVENTS);
    this.#sql.exec("DELETE FROM events WHERE seq <= ?", seq);
    const query = "SELECT seq, event FROM events ORDER BY seq LIMIT 1";
    const [row] = this.#sql.exec<{ seq: number; event: string }>(query).toArray();
    return row && { ...(JSON.parse(row.event) as ClientEvent), seq: row.seq };
  }

  #insert(seq: number, text: string): void {
    for (const [part, piece] of splitText(text, LIMITS.relayPartChars).entries()) {
      this.#sql.exec("INSERT OR REPLACE INTO parts (seq, part, text) VALUES (?, ?, ?)", seq, part, piece);
    }
  }

  /** As many messages as an answer over RPC should hold, at least one. */
  #page(seq: number): RelayPage | undefined {
    const state = this.#state;
    if (state === undefined) return undefined;
    const query = "SELECT seq, text FROM parts WHERE seq > ? ORDER BY seq, part";
    const messages: RelayedMessage[] = [];
    let room = LIMITS.relayPageChars;
    for (const { seq: at, text } of this.#sql.exec<{ seq: number; text: string }>(query, seq)) {
      const last = messages.at(-1);
      if (last?.seq === at) last.text += text;
      else if (last && room < text.length) return { v: 1, messages, done: false };
      else messages.push({ seq: at, text });
      room -= text.length;
    }
    return { v: 1, messages, done: state === "done" };
  }

  get #state(): State | undefined {
    return this.ctx.storage.kv.get<State>("state");
  }

  #keep(state: State): void {
    const nowMs = Date.now();
    if (this.#state !== state) this.ctx.storage.kv.put("state", state);
    if (nowMs - this.#alarmAtMs < LIMITS.relayAlarmMs) return;
    this.#alarmAtMs = nowMs;
    void this.ctx.storage.setAlarm(nowMs + LIMITS.relayLifeMs);
  }
}

/** Made with the first thing that a client does, which is seldom. AUTOINCREMENT: a number is never given twice. */
const CREATE_EVENTS =
  "CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL) STRICT";

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
