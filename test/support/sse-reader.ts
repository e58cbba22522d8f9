// Reads server-sent events the way a lax client does: blocks apart by a blank line, fields by the first colon.

export interface ReadEvent {
  event?: string;
  id?: string;
  retry?: string;
  data: string;
}

export class SseReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";
  /** Everything that came, to the byte. */
  raw = "";

  constructor(response: Response) {
    if (!response.body) throw new Error("the response has no body");
    this.#reader = response.body.getReader();
  }

  /** The next event; comments are passed over. `undefined` at the end of the stream. */
  async next(): Promise<ReadEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        if (!block.startsWith(":")) return parseBlock(block);
      } else {
        const { value, done } = await this.#reader.read();
        if (done) return undefined;
        const text = this.#decoder.decode(value, { stream: true });
        this.raw += text;
        this.#text += text;
      }
    }
  }

  /** The JSON-RPC message of the next event. */
  async nextMessage<T = unknown>(): Promise<T> {
    const event = await this.next();
    if (!event) throw new Error("the stream ended");
    return JSON.parse(event.data) as T;
  }

  /** All messages to the end of the stream. */
  async restMessages(): Promise<unknown[]> {
    const messages: unknown[] = [];
    for (let event = await this.next(); event; event = await this.next()) {
      if (event.data !== "") messages.push(JSON.parse(event.data));
    }
    return messages;
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel();
  }
}

function parseBlock(block: string): ReadEvent {
  const event: Record<string, string> = {};
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    event[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
  }
  return { data: "", ...event };
}
