// A client that costs little: sockets that are kept open, requests that were written beforehand, one at a time on each.

import { connect, type Socket } from "node:net";
import type { Asked } from "./requests.ts";

const SOCKETS = 16;
const STUCK_MS = 60_000;
/** workerd closes a connection that was silent for 5 s: one that nearly was might be closed under a request. */
const KEPT_SILENT_MS = 3_000;

export interface Reply {
  status: number;
  head: string;
  body: string;
}

/** A request as bytes. */
export function write({ headers, body }: Asked): Buffer {
  const fields = Object.entries({ host: "127.0.0.1", ...headers, "content-length": String(Buffer.byteLength(body)) });
  return Buffer.from(
    `POST /mcp HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`,
  );
}

export class Client {
  readonly #port: number;
  #sockets: Socket[] = [];
  #usedAtMs = 0;

  constructor(url: URL) {
    this.#port = Number(url.port);
  }

  /** One request. */
  async ask(asked: Asked): Promise<Reply> {
    let reply: Reply | undefined;
    await this.load([write(asked)], 1, (told) => {
      reply = told;
    });
    if (!reply) throw new Error("no answer");
    return reply;
  }

  /** So many requests, taken in turn; rejects when one is refused. `onReply` sees each answer, and costs time. */
  async load(requests: readonly Buffer[], count: number, onReply?: (reply: Reply) => void): Promise<void> {
    await this.#open(Math.min(SOCKETS, count));
    let sent = 0;
    const next = (): Buffer | undefined => (sent < count ? requests[sent++ % requests.length] : undefined);
    let timer: ReturnType<typeof setTimeout> | null = null;
    const stuck = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer to ${count} requests in ${STUCK_MS} ms`)), STUCK_MS);
    });
    const busy = this.#sockets.slice(0, count).map((socket) => converse(socket, next, onReply));
    try {
      await Promise.race([Promise.all(busy), stuck]);
    } finally {
      if (timer !== null) clearTimeout(timer);
      this.#usedAtMs = performance.now();
    }
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets = [];
  }

  async #open(count: number): Promise<void> {
    if (performance.now() - this.#usedAtMs > KEPT_SILENT_MS) this.close();
    this.#sockets = this.#sockets.filter((socket) => socket.readyState === "open");
    while (this.#sockets.length < count) this.#sockets.push(await open(this.#port));
  }
}

const open = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.setNoDelay(true);
    socket.once("error", reject);
  });

function converse(socket: Socket, next: () => Buffer | undefined, onReply?: (reply: Reply) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let held: Buffer | undefined;
    const send = (): void => {
      const request = next();
      held = undefined;
      if (request) return void socket.write(request);
      socket.removeAllListeners("data").removeAllListeners("error").removeAllListeners("close");
      socket.on("error", () => socket.destroy());
      resolve();
    };
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed a socket")));
    socket.on("data", (chunk: Buffer) => {
      held = held ? Buffer.concat([held, chunk]) : chunk;
      const reply = readReply(held);
      if (!reply) return;
      if (reply.status >= 300) return reject(new Error(`refused: ${reply.head}`));
      onReply?.({ ...reply, body: reply.read() });
      send();
    });
    send();
  });
}

/** A whole answer; `undefined` while some of it is missing. */
function readReply(bytes: Buffer): { status: number; head: string; read: () => string } | undefined {
  const at = bytes.indexOf("\r\n\r\n");
  if (at < 0) return undefined;
  const head = bytes.toString("latin1", 0, at);
  const status = Number(head.slice(9, 12));
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  const start = at + 4;
  if (length !== undefined) {
    const end = start + Number(length);
    return bytes.length < end ? undefined : { status, head, read: () => bytes.toString("utf8", start, end) };
  }
  if (!/^transfer-encoding: chunked/im.test(head)) return { status, head, read: () => "" };
  if (bytes.toString("latin1", bytes.length - 5) !== "0\r\n\r\n") return undefined;
  return {
    status,
    head,
    read: () => bytes.toString("utf8", start).replace(/^[0-9a-f]+\r\n|\r\n(?:[0-9a-f]+\r\n)*/gim, ""),
  };
}
