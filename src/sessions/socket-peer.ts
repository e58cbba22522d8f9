// A request's way back to a client on a socket: everything goes through its hub.

import type { JsonObject } from "../lib/json-value.ts";
import { encodeQuestionId } from "../protocol/event-id.ts";
import type { Id } from "../protocol/json-rpc.ts";
import type { Peer } from "../server/scope.ts";
import type { FrameChannel } from "./hub-contract.ts";
import { waitForClient } from "./wait-for-client.ts";

// A call that is over before would only pay for a round trip that tells it nothing.
const WATCH_AFTER_MS = 100;

export class SocketPeer implements Peer {
  readonly #channel: FrameChannel;
  readonly #requestId: Id;
  #cancel: AbortController | undefined;
  #watchTimer: ReturnType<typeof setTimeout> | null = null;
  #ended = false;
  #asked = 0;
  #sent: Promise<void> = Promise.resolve();

  constructor(channel: FrameChannel, requestId: Id) {
    this.#channel = channel;
    this.#requestId = requestId;
  }

  /** Fires when the client cancels the request or is gone, once the request is watched. */
  get cancelled(): AbortSignal {
    return (this.#cancel ??= new AbortController()).signal;
  }

  /** The request takes its time: from now on it can be cancelled. */
  watch(): void {
    this.#watchTimer = setTimeout(() => void this.#watch(), WATCH_AFTER_MS);
  }

  send(message: string): void {
    this.#sent = this.#sent.then(() => this.#channel.send(message)).catch(() => undefined);
  }

  ask(method: string, params: object, signal: AbortSignal): Promise<JsonObject> {
    const id = encodeQuestionId(this.#requestId, ++this.#asked);
    const answered = this.#channel.ask(id, JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return waitForClient(answered, method, signal);
  }

  /** A socket is not let go of: it carries more than one request. */
  release(): void {}

  /** Settles when everything that was sent before the answer is out. */
  end(): Promise<void> {
    this.#ended = true;
    if (this.#watchTimer !== null) clearTimeout(this.#watchTimer);
    return this.#sent;
  }

  async #watch(): Promise<void> {
    await this.#channel.whenCancelled(this.#requestId).catch(() => undefined);
    if (!this.#ended) (this.#cancel ??= new AbortController()).abort();
  }
}
