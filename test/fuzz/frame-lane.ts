// A WebSocket session on which one frame after the other is sent, and every message that comes is accounted for.

import { WebSocket, type RawData } from "ws";
import type { Message } from "../journeys/support/rpc.ts";
import { LEGACY, MODERN, type Revision } from "../matrix/cells.ts";
import { MODERN_DIALECT, tell } from "./models/dialects.ts";

const ANSWER_WITHIN_MS = 30_000;
const PATIENCE_MS = 20;

/** What came for a frame: answers, and what the server said of its own. */
export interface FrameOutcome {
  answers: unknown[];
  news: Message[];
  /** The revision that answers are in. */
  revision: Revision;
  fault?: string;
}

export class FrameLane {
  readonly #socket: WebSocket;
  #revision: Revision;
  #received: unknown[] = [];
  #wake: () => void = () => undefined;
  #closed: string | undefined;
  #asked = 0;

  private constructor(socket: WebSocket, revision: Revision) {
    this.#socket = socket;
    this.#revision = revision;
    socket.on("message", (data: RawData) => {
      const message = readFrame(String(data));
      if (isPing(message)) return socket.send(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: {} }));
      this.#received.push(message);
      this.#wake();
    });
    socket.on("close", (code, reason) => {
      this.#closed = `the socket was closed: ${code} ${String(reason)}`;
      this.#wake();
    });
    socket.on("error", () => undefined);
  }

  static async open(port: number, key: string, revision: Revision): Promise<FrameLane> {
    const headers = { authorization: `Bearer ${key}` };
    const socket = new WebSocket(`ws://127.0.0.1:${port}/mcp`, ["mcp"], { headers });
    await new Promise<void>((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const lane = new FrameLane(socket, revision);
    // The first message must be one that makes sense.
    if (revision === MODERN) await lane.#ask("server/discover", {});
    else await lane.#ask("initialize", { protocolVersion: revision, capabilities: {} });
    return lane;
  }

  get revision(): Revision {
    return this.#revision;
  }

  get isOpen(): boolean {
    return this.#closed === undefined;
  }

  /**
   * Sends a frame to which so many messages are owed, and a request after it. What comes until both are answered is the
   * frame's; what comes too many is told with a later frame, or after a moment where nothing was owed.
   */
  async send(frame: string, owed: number): Promise<FrameOutcome> {
    this.#received = [];
    this.#socket.send(frame);
    const sentinel = await this.#ask("tools/list", { cursor: "none" });
    const isOwn = (message: unknown): boolean => isAnswer(message) && message !== sentinel;
    const isDone = (): boolean => this.#received.filter(isOwn).length >= owed;
    const isAnswered = sentinel !== undefined && (await this.#until(isDone, ANSWER_WITHIN_MS));
    if (owed === 0) await this.#until(() => this.#received.some(isOwn), PATIENCE_MS);
    const answers = this.#received.filter(isOwn);
    const revision = this.#revision;
    this.#follow(answers);
    const news = this.#received.filter((message) => !isAnswer(message)) as Message[];
    const fault = this.#closed ?? (isAnswered ? undefined : `${answers.length} of ${owed} answers came`);
    return { answers, news, revision, ...(fault !== undefined && { fault }) };
  }

  close(): void {
    this.#socket.terminate();
  }

  /** A handshake settles anew what is spoken. */
  #follow(answers: unknown[]): void {
    for (const answer of answers) {
      const agreed = (answer as Message).result?.["protocolVersion"];
      this.#revision = LEGACY.find((revision) => revision === agreed) ?? this.#revision;
    }
  }

  async #ask(method: string, params: Record<string, string | object>): Promise<unknown> {
    const id = `lane-${++this.#asked}`;
    const dialect = this.#revision === MODERN ? MODERN_DIALECT : { revision: this.#revision, by: "nothing" as const };
    this.#socket.send(JSON.stringify(tell(dialect, method, params as never, id).message));
    const find = (): unknown => this.#received.find((message) => (message as Message)?.id === id);
    await this.#until(() => find() !== undefined, ANSWER_WITHIN_MS);
    return find();
  }

  async #until(isTrue: () => boolean, withinMs: number): Promise<boolean> {
    const endMs = Date.now() + withinMs;
    while (!isTrue() && this.#closed === undefined && Date.now() < endMs) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, endMs - Date.now());
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return isTrue();
  }
}

function readFrame(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The server's question whether anybody is there, which it asks every ten minutes. */
const isPing = (message: unknown): message is Message => (message as Message | undefined)?.method === "ping";

const isAnswer = (message: unknown): boolean =>
  Array.isArray(message) ||
  (typeof message === "object" && message !== null && !("method" in message)) ||
  message === undefined;
