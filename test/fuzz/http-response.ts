// An HTTP/1.1 response out of bytes, as far as it has come.

export interface HttpResponse {
  status: number;
  /** By lower-case name; those that came twice joined with a comma. */
  headers: Map<string, string>;
  body: Buffer;
}

interface Head {
  status: number;
  headers: Map<string, string>;
  /** Where the body begins. */
  end: number;
}

export class ResponseParser {
  readonly #hasBody: boolean;
  #bytes: Buffer = Buffer.alloc(0);
  #head: Head | undefined;

  /** `method` is what is answered. */
  constructor(method: string) {
    this.#hasBody = method !== "HEAD";
  }

  get head(): Head | undefined {
    return this.#head;
  }

  /** What has come of the body so far, its chunks still framed. */
  get bodyBytes(): number {
    return this.#head ? this.#bytes.length - this.#head.end : 0;
  }

  /** Takes more bytes; answers the response once it is whole. Throws where it is none. */
  take(chunk: Buffer): HttpResponse | undefined {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    this.#head ??= parseHead(this.#bytes);
    return this.#head && this.#finish(this.#head, false);
  }

  /** What a connection that was closed has told. */
  end(): HttpResponse | undefined {
    return this.#head && this.#finish(this.#head, true);
  }

  #finish({ status, headers, end }: Head, isClosed: boolean): HttpResponse | undefined {
    const rest = this.#bytes.subarray(end);
    const isBare = !this.#hasBody || status === 204 || status === 304;
    if (isBare) return { status, headers, body: Buffer.alloc(0) };
    if (headers.get("transfer-encoding") === "chunked") {
      const body = parseChunks(rest);
      return body && { status, headers, body };
    }
    const length = headers.get("content-length");
    if (length === undefined) return isClosed ? { status, headers, body: rest } : undefined;
    return rest.length < Number(length) ? undefined : { status, headers, body: rest.subarray(0, Number(length)) };
  }
}

function parseHead(bytes: Buffer): Head | undefined {
  const at = bytes.indexOf("\r\n\r\n");
  if (at < 0) return undefined;
  const [first = "", ...lines] = bytes.toString("latin1", 0, at).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (!Number.isInteger(status)) throw new Error(`no HTTP response: ${JSON.stringify(first.slice(0, 100))}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = "", value = ""] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    const before = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  return { status, headers, end: at + 4 };
}

/** The body, once its last chunk is there. */
function parseChunks(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error("no chunk where one should begin");
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}
