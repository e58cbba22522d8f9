// Calls of a legacy session that ask their client's user, who answers; and clients that lose a call's stream and come back
// for the rest of it (2025-11-25, basic/transports, "Resumability and Redelivery").

import { randomUUID } from "node:crypto";
import { request, type Message } from "../../journeys/support/rpc.ts";
import { SseReader } from "../../support/sse-reader.ts";
import { callOf, saidOf } from "./caller.ts";
import { openSession, sessionHeaders, type KeyPair, type Session, type Surroundings } from "./http-clients.ts";
import { isResponse, send, UNANSWERED_MS } from "./wire.ts";

const ABILITIES = { elicitation: {} };
const RETRY_MS = 100;
/** Of calls whose client hangs up in the middle. */
const LEAVE_SHARE = 0.4;

/** One call as its client has seen it so far. */
interface Conversation {
  nonce: string;
  word: string;
  askedAtMs: number;
  lastEventId: string | undefined;
  questions: Set<string>;
  answers: Message[];
  signal: AbortSignal;
}

export class ConversingCaller {
  readonly #around: Surroundings;
  readonly #key: KeyPair;
  readonly #isKilledSince: (atMs: number) => boolean;
  #session: Session | undefined;
  #requestId = 0;

  constructor(around: Surroundings, key: KeyPair, isKilledSince: (atMs: number) => boolean) {
    this.#around = around;
    this.#key = key;
    this.#isKilledSince = isKilledSince;
  }

  async work(untilMs: number): Promise<void> {
    while (Date.now() < untilMs) {
      this.#session ??= await openSession(this.#around, this.#key, "2025-11-25", ABILITIES);
      if (this.#session) await this.#converse(this.#session, ++this.#requestId);
      await pause(RETRY_MS);
    }
  }

  /** The name of the object that holds the present call's stream. */
  get relay(): string | undefined {
    if (!this.#session) return undefined;
    const [payload = ""] = this.#session.sessionId.split(".");
    const { n } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { n: string };
    return `call:${this.#key.id}:${n}:${this.#requestId}`;
  }

  async #converse(session: Session, id: number): Promise<void> {
    const { witness } = this.#around;
    const conversation: Conversation = {
      nonce: randomUUID(),
      word: randomUUID(),
      askedAtMs: Date.now(),
      lastEventId: undefined,
      questions: new Set(),
      answers: [],
      signal: AbortSignal.timeout(UNANSWERED_MS),
    };
    const { method, params } = callOf("converse", { nonce: conversation.nonce });
    const body = JSON.stringify(request(method, params, id));
    const why = await this.#follow(session, conversation, { method: "POST", body });
    while (conversation.answers.length === 0 && this.#mayComeBack(conversation)) {
      await pause(RETRY_MS);
      await this.#follow(session, conversation, {});
    }
    this.#judge(conversation, why);
    if (conversation.answers.length === 0) witness.count("conversations: cut off");
  }

  /** A call that was killed with its isolate has no rest. */
  #mayComeBack({ lastEventId, signal, askedAtMs }: Conversation): boolean {
    return lastEventId !== undefined && !signal.aborted && !this.#isKilledSince(askedAtMs);
  }

  #judge({ nonce, word, answers, askedAtMs }: Conversation, why: string): void {
    const { witness } = this.#around;
    const [answer, ...more] = answers;
    if (more.length > 0) witness.find(`a conversation was answered ${answers.length} times`);
    if (!answer) {
      const isExcused = this.#isKilledSince(askedAtMs);
      return witness.expect(isExcused, () => `a conversation was not answered: ${why}`);
    }
    if (answer.error) {
      witness.count(`conversations: error ${answer.error.code}`);
      const isExcused = [503, -32603].includes(answer.error.code);
      return witness.expect(isExcused, () => `a conversation: ${JSON.stringify(answer.error)}`);
    }
    if (answer.result?.["isError"] === true) return witness.count("conversations: relay out of reach");
    const said = saidOf(answer);
    witness.count("conversations: answered");
    witness.expect(
      said?.nonce === nonce && said.keyId === this.#key.id && said.told === word,
      () => `a conversation about ${word} ended with ${JSON.stringify(answer)}`,
    );
  }

  /** Reads a stream of the call's, from where the last one broke off, and answers what is asked. */
  async #follow(session: Session, conversation: Conversation, init: RequestInit): Promise<string> {
    const { random, urls, witness } = this.#around;
    const hangUp = new AbortController();
    const leaveAfter = random.chance(LEAVE_SHARE) ? random.int(1, 3) : Infinity;
    const { lastEventId } = conversation;
    const headers = {
      ...sessionHeaders(session),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    };
    try {
      const signal = AbortSignal.any([hangUp.signal, conversation.signal]);
      const response = await fetch(new URL("/mcp", random.pick(urls)), { ...init, headers, signal });
      if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
        const message = JSON.parse(await response.text()) as Message;
        // A stream that can't be had just now is no answer to the call.
        if (init.method === "POST") conversation.answers.push(message);
        return `status ${response.status}`;
      }
      const reader = new SseReader(response);
      for (let event = await reader.next(), n = 1; event; event = await reader.next(), n++) {
        conversation.lastEventId = event.id ?? conversation.lastEventId;
        if (event.data !== "") this.#hear(session, conversation, JSON.parse(event.data) as Message);
        if (n < leaveAfter || conversation.answers.length > 0) continue;
        witness.count("conversations: left and came back");
        hangUp.abort();
      }
      return "the stream ended";
    } catch (error) {
      return String(error);
    }
  }

  #hear(session: Session, conversation: Conversation, message: Message): void {
    if (isResponse(message)) return void conversation.answers.push(message);
    if (message.method !== "elicitation/create") return;
    const isOwn = JSON.stringify(message.params).includes(conversation.nonce);
    if (!isOwn) this.#around.witness.find(`a question of another call: ${JSON.stringify(message)}`);
    const id = String(message.id);
    if (conversation.questions.has(id)) return;
    conversation.questions.add(id);
    void this.#reply(session, conversation, id);
  }

  /** Says it until it is heard. */
  async #reply(session: Session, { word, signal }: Conversation, id: string): Promise<void> {
    const body = JSON.stringify({ jsonrpc: "2.0", id, result: { action: "accept", content: { word } } });
    const headers = { ...sessionHeaders(session), "content-type": "application/json" };
    while (!signal.aborted) {
      const url = new URL("/mcp", this.#around.random.pick(this.#around.urls));
      const told = await send(url, { method: "POST", headers, body }, async (response) => {
        await response.body?.cancel();
        return { kind: "answered" as const, status: response.status };
      });
      if (told.kind === "answered" && told.status < 500) return;
      await pause(RETRY_MS);
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
