// Server-sent events that notice when nobody reads them any more. LF only, one `data:` line a message.
// HTML standard, server-sent events; platform: headers leave with the first byte, so a comment goes out at once.

import { LIMITS } from "../lib/limits.ts";

export interface StreamEvent {
  data: string;
  id?: string;
  event?: string;
  retryMs?: number;
}

const encoder = new TextEncoder();

export class EventStream {
  readonly response: Response;
  /** Fires when the client has gone away or the stream was closed. */
  readonly ended: AbortSignal;
  readonly #end = new AbortController();
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #keepAlive: ReturnType<typeof setInterval>;
  #unread = 0;

  /** `gone` is the request's signal. */
  constructor(gone: AbortSignal, keepAliveMs: number = LIMITS.keepAliveMs) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    this.ended = this.#end.signal;
    this.#writer = writable.getWriter();
    this.response = new Response(readable, { headers: STREAM_HEADERS });
    this.#keepAlive = setInterval(() => this.#probe(), keepAliveMs);
    gone.addEventListener("abort", () => this.#abort("the client left"), { once: true });
    void this.#writer.closed.catch(() => this.#stop());
    this.comment("open");
    if (gone.aborted) this.#abort("the client left");
  }

  comment(text: string): void {
    this.#write(`: ${text}\n\n`);
  }

  send({ data, id, event, retryMs }: StreamEvent): void {
    const lines = [
      ...(event === undefined ? [] : [`event: ${event}`]),
      ...(id === undefined ? [] : [`id: ${id}`]),
      ...(retryMs === undefined ? [] : [`retry: ${retryMs}`]),
      `data: ${escapeLineEnds(data)}`,
    ];
    this.#write(`${lines.join("\n")}\n\n`);
  }

  /** Ends the stream once what was sent is read. */
  close(): void {
    if (this.ended.aborted) return;
    void this.#writer.close().catch(() => undefined);
    this.#stop();
  }

  /** The first write to a client that left still goes through; it is the second that fails. */
  #probe(): void {
    this.comment("keep-alive");
    setTimeout(() => this.comment("keep-alive"), LIMITS.keepAliveProbeMs);
  }

  #write(text: string): void {
    if (this.ended.aborted) return;
    // A client that leaves megabytes unread is cut off.
    if (this.#unread > LIMITS.streamBytes) return this.#abort("the client does not read");
    const bytes = encoder.encode(text);
    this.#unread += bytes.byteLength;
    void this.#writeOut(bytes);
  }

  async #writeOut(bytes: Uint8Array): Promise<void> {
    try {
      await this.#writer.write(bytes);
      this.#unread -= bytes.byteLength;
    } catch {
      this.#stop();
    }
  }

  #abort(reason: string): void {
    if (this.ended.aborted) return;
    void this.#writer.abort(new Error(reason)).catch(() => undefined);
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#keepAlive);
    this.#end.abort();
  }
}

const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/** JSON has no bare line feed; the other line ends of Unicode are escaped for lax parsers. */
export const escapeLineEnds = (json: string): string =>
  json.replace(/[\u0085\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
