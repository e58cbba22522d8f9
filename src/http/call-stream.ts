// How the answer to a `tools/call` leaves: as JSON when it comes soon and alone, else as a stream that its progress,
// logs and questions precede. MCP 2025-11-25 and 2026-07-28, Streamable HTTP.

import type { JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { encodeEventId } from "../protocol/event-id.ts";
import type { Id } from "../protocol/json-rpc.ts";
import type { Revision } from "../protocol/revisions.ts";
import { textOf, type Answer } from "../server/answer-request.ts";
import type { Peer } from "../server/scope.ts";
import { CallLink } from "../sessions/call-link.ts";
import type { CallRelayStub } from "../sessions/call-relay-contract.ts";
import { EventStream } from "./event-stream.ts";

export interface CallStreamOptions {
  request: Request;
  requestId: Id;
  revision: Revision;
  /** Whether the client takes a stream at all. */
  streams: boolean;
  /** Where a legacy session's call can be reached from other isolates. */
  relay: (() => CallRelayStub) | undefined;
  waitUntil: (work: Promise<unknown>) => void;
}

/** Costs next to nothing until somebody asks for more than the answer. */
export class CallStream implements Peer {
  readonly #options: CallStreamOptions;
  #cancel: AbortController | undefined;
  #opened: PromiseWithResolvers<Response> | undefined;
  #stream: EventStream | undefined;
  #link: CallLink | undefined;
  #seq = 0;

  constructor(options: CallStreamOptions) {
    this.#options = options;
  }

  /** Whether anything was sent or opened: then the answer has to go the same way (`finish`). */
  get isBegun(): boolean {
    return this.#stream !== undefined || this.#link !== undefined;
  }

  /** Resolves when the answer has become a stream. */
  get opened(): Promise<Response> {
    if (!this.#opened) {
      this.#opened = Promise.withResolvers();
      if (this.#stream) this.#opened.resolve(this.#stream.response);
    }
    return this.#opened.promise;
  }

  /** Fires when the client cancels the call: by closing the stream in the modern era, by saying so before. */
  get cancelled(): AbortSignal {
    return this.#cancelling().signal;
  }

  get ask(): Peer["ask"] {
    const { streams, relay } = this.#options;
    return streams && relay ? (...question) => this.#askClient(...question) : undefined;
  }

  send(message: string): void {
    if (!this.#options.streams) return;
    this.open();
    this.#write(message, false);
  }

  release(): void {
    if (!this.#isResumable) return;
    this.open();
    void this.#link?.ready.then(() => this.#stream?.close());
  }

  /** The call takes its time: from now on it can be cancelled from anywhere, and its answer is a stream if it may be one. */
  open(): void {
    const { request, revision, relay, requestId, waitUntil, streams } = this.#options;
    const cancel = this.#cancelling();
    if (relay && !this.#link) {
      this.#link = new CallLink(relay, requestId);
      cancelWith(cancel, this.#link.cancelled);
      waitUntil(this.#link.listen().catch(() => undefined));
    }
    if (!streams || this.#stream) return;
    this.#stream = new EventStream(request.signal, LIMITS.callKeepAliveMs);
    if (this.#link && revision.polling) this.#prime(this.#stream, this.#link);
    if (revision.era === "modern") cancelWith(cancel, this.#stream.ended);
    this.#opened?.resolve(this.#stream.response);
  }

  /** The last message; none when the client cancelled. Where the answer is no stream it only lets go of the relay. */
  async finish(answer: Answer | undefined): Promise<void> {
    if (answer && this.#stream) this.#write(textOf(answer.body), true);
    else this.#link?.append(++this.#seq, "", true);
    await this.#link?.flush();
    this.#stream?.close();
  }

  get #isResumable(): boolean {
    return this.#options.revision.polling && this.#options.relay !== undefined;
  }

  /** An event to come back from, before any other (2025-11-25, basic/transports, "Sending Messages", 6). */
  #prime(stream: EventStream, link: CallLink): void {
    const { requestId } = this.#options;
    const id = encodeEventId({ stream: "call", requestId, seq: 0 });
    void link.ready.then(() => stream.send({ id, retryMs: LIMITS.retryMs, data: "" }));
  }

  #write(message: string, last: boolean): void {
    const seq = ++this.#seq;
    const { requestId } = this.#options;
    if (!this.#isResumable || !this.#link) {
      this.#stream?.send({ event: "message", data: message });
      if (last) this.#link?.append(seq, "", true);
      return;
    }
    this.#link.append(seq, message, last);
    const id = encodeEventId({ stream: "call", requestId, seq });
    // After the priming event, which waits for the relay.
    void this.#link.ready.then(() => this.#stream?.send({ event: "message", id, data: message }));
  }

  async #askClient(method: string, params: object, signal: AbortSignal): Promise<JsonObject> {
    this.open();
    if (!this.#link) throw new Error("no relay to hear the answer from");
    return this.#link.ask(method, params, signal, (message) => this.#write(message, false));
  }

  #cancelling(): AbortController {
    if (!this.#cancel) {
      this.#cancel = new AbortController();
      if (this.#options.revision.era === "modern") cancelWith(this.#cancel, this.#options.request.signal);
    }
    return this.#cancel;
  }
}

function cancelWith(cancel: AbortController, signal: AbortSignal): void {
  if (signal.aborted) cancel.abort();
  else signal.addEventListener("abort", () => cancel.abort(), { once: true });
}
