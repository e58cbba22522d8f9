// One kept-alive HTTP/1.1 connection that sends whatever bytes it is given: no HTTP client would send half of them.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { ResponseParser, type HttpResponse } from "./http-response.ts";

const ANSWER_WITHIN_MS = 30_000;

/** What came of a request. */
export type Outcome =
  | { kind: "answered"; response: HttpResponse }
  /** An endless answer, left once it had begun. */
  | { kind: "streaming"; response: HttpResponse }
  /** What was owed to a frame came over its socket. */
  | { kind: "framed" }
  /** No byte of an answer, and the connection closed. */
  | { kind: "closed" }
  | { kind: "unanswered"; reason: string };

export interface RawRequest {
  method: string;
  bytes: Buffer;
  /** Whether the answer may be a stream that never ends. */
  endless: boolean;
}

export class Connection {
  readonly #port: number;
  #socket: Socket | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Sends a request and waits for what comes of it. One at a time. A connection that served others before may be closed at
   * any moment between two (RFC 9112, 9.6): then the request is sent once more, over a new one.
   */
  async send(request: RawRequest): Promise<Outcome> {
    const isReused = this.#isOpen;
    const outcome = await this.#exchange(request);
    return outcome.kind === "closed" && isReused ? this.#exchange(request) : outcome;
  }

  async #exchange({ method, bytes, endless }: RawRequest): Promise<Outcome> {
    const socket = await this.#open();
    const parser = new ResponseParser(method);
    return new Promise((resolve) => {
      const settle = (outcome: Outcome): void => {
        clearTimeout(timer);
        socket.removeAllListeners("data").removeAllListeners("close").removeAllListeners("error");
        socket.on("error", () => undefined);
        if (outcome.kind !== "answered" || isLast(outcome.response)) this.close();
        resolve(outcome);
      };
      const timer = setTimeout(() => {
        const what = parser.head ? "the answer did not end" : "no answer";
        settle({ kind: "unanswered", reason: `${what} within ${ANSWER_WITHIN_MS / 1000} s` });
      }, ANSWER_WITHIN_MS);
      socket.on("data", (chunk: Buffer) => {
        try {
          const response = parser.take(chunk);
          if (response) return settle({ kind: "answered", response });
          if (endless && parser.head && isStream(parser.head.headers) && parser.bodyBytes > 0) {
            settle({ kind: "streaming", response: { ...parser.head, body: Buffer.alloc(0) } });
          }
        } catch (error) {
          settle({ kind: "unanswered", reason: String(error) });
        }
      });
      const end = (): void => {
        const response = parser.end();
        if (response) return settle({ kind: "answered", response });
        settle(parser.head ? { kind: "unanswered", reason: "the answer broke off" } : { kind: "closed" });
      };
      // A reset after the answer began is told by "close", too.
      socket.on("error", () => undefined).on("close", end);
      socket.write(bytes);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  get #isOpen(): boolean {
    return this.#socket?.readyState === "open" && !this.#socket.destroyed;
  }

  async #open(): Promise<Socket> {
    if (this.#socket && this.#isOpen) return this.#socket;
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true });
    this.#socket = socket;
    await once(socket, "connect");
    return socket;
  }
}

const isLast = ({ headers }: HttpResponse): boolean => headers.get("connection")?.toLowerCase() === "close";

const isStream = (headers: Map<string, string>): boolean => headers.get("content-type") === "text/event-stream";
