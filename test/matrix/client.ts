// A client in one cell of the matrix. It speaks as its revision does, answers what the server asks, and checks whatever
// the server sends against the revision's schema.

import { randomUUID } from "node:crypto";
import type { Message } from "../journeys/support/rpc.ts";
import { within } from "../journeys/support/within.ts";
import { LEGACY, MODERN, type Place, type Revision } from "./cells.ts";
import { batchFaults, faultsOf } from "./schema-check.ts";
import { openWire, type Headers, type Wire } from "./wires.ts";

const ANSWER_WITHIN_MS = 10_000;
const PREFIX = "io.modelcontextprotocol/";
const CLIENT_INFO = { name: "matrix", version: "1.0.0" };

export interface Outcome {
  /** The HTTP status, where the way has one. */
  status: number | undefined;
  answer: Message;
  /** What came for the request before its answer. */
  before: Message[];
}

export interface Ask {
  headers?: Headers;
  /** `_meta` on top of what the revision demands. */
  meta?: Record<string, unknown>;
  id?: string;
}

export interface ClientOptions extends Place {
  server: URL;
  key: string;
  capabilities?: Record<string, unknown>;
  /** What the client answers the server's requests with, by method. */
  answers?: Record<string, Record<string, unknown>>;
}

export class Client {
  readonly received: Message[] = [];
  /** What is wrong with what the server sent. */
  readonly faults: string[] = [];
  /** Requests of the server's, by method. */
  readonly asked: string[] = [];
  readonly modern: boolean;
  readonly #options: ClientOptions;
  readonly #methods = new Map<unknown, string>();
  readonly #arrivals = new EventTarget();
  #speaks: Revision;
  #wire: Wire | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#speaks = options.revision;
    this.modern = options.revision === MODERN;
  }

  get wire(): Wire {
    if (!this.#wire) throw new Error("not connected");
    return this.#wire;
  }

  async connect(): Promise<this> {
    const { server, key, transport } = this.#options;
    this.#wire = await openWire(transport, { server, key, deliver: (value) => this.#deliver(value) });
    return this;
  }

  /** What the revision begins with: `initialize`, or nothing at all. */
  async greet(): Promise<void> {
    if (this.modern) return;
    await this.initialize(this.#options.revision);
    await this.notify("notifications/initialized");
  }

  initialize(protocolVersion: string): Promise<Outcome> {
    const { capabilities = {} } = this.#options;
    return this.ask("initialize", { protocolVersion, capabilities, clientInfo: CLIENT_INFO });
  }

  async ask(method: string, params: Record<string, unknown> = {}, ask: Ask = {}): Promise<Outcome> {
    const id = ask.id ?? randomUUID();
    const from = this.received.length;
    const status = await this.start(method, params, { ...ask, id });
    const isAnswer = (message: Message): boolean =>
      message.method === undefined && (message.id === id || message.id === null);
    const answer = await this.until(`answer to ${method}`, (all) => all.slice(from).find(isAnswer));
    const before = this.received.slice(from, this.received.indexOf(answer)).filter(isAboutCall);
    return { status, answer, before };
  }

  /** Sends a request and does not wait for its answer. */
  start(method: string, params: Record<string, unknown>, ask: Ask & { id: string }): Promise<number | undefined> {
    this.#methods.set(ask.id, method);
    const message = { jsonrpc: "2.0", id: ask.id, method, params: this.paramsOf(params, ask.meta) };
    return this.wire.send(message, { ...this.headersOf(method, params), ...ask.headers });
  }

  call(name: string, args: Record<string, unknown> = {}, ask: Ask & { more?: object } = {}): Promise<Outcome> {
    return this.ask("tools/call", { name, arguments: args, ...ask.more }, ask);
  }

  async notify(method: string, params: Record<string, unknown> = {}): Promise<void> {
    await this.wire.send({ jsonrpc: "2.0", method, params }, this.headersOf(method, params));
  }

  /** Sends something that is no single message. What answers it, `id` tells by. */
  async sendBatch(
    requests: { id: string; method: string; params: Record<string, unknown> }[],
  ): Promise<number | undefined> {
    for (const { id, method } of requests) this.#methods.set(id, method);
    return this.wire.send(
      requests.map((request) => ({ jsonrpc: "2.0", ...request })),
      this.headersOf("tools/list", {}),
    );
  }

  until<T>(what: string, find: (received: Message[]) => T | undefined): Promise<T> {
    const found = new Promise<T>((resolve) => {
      const look = (): void => {
        const value = find(this.received);
        if (value === undefined) return;
        this.#arrivals.removeEventListener("message", look);
        resolve(value);
      };
      this.#arrivals.addEventListener("message", look);
      look();
    });
    return within(ANSWER_WITHIN_MS, what, found);
  }

  paramsOf(params: Record<string, unknown>, meta: Record<string, unknown> = {}): Record<string, unknown> {
    if (!this.modern) return Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
    const declared = {
      [`${PREFIX}protocolVersion`]: MODERN,
      [`${PREFIX}clientInfo`]: CLIENT_INFO,
      [`${PREFIX}clientCapabilities`]: this.#options.capabilities ?? {},
    };
    return { ...params, _meta: { ...declared, ...meta } };
  }

  headersOf(method: string, params: Record<string, unknown>): Headers {
    const { transport } = this.#options;
    if (transport === "websocket" || transport === "http+sse") return {};
    if (!this.modern) return method === "initialize" ? {} : { "mcp-protocol-version": this.#options.revision };
    const { name } = params;
    const named = typeof name === "string" ? { "mcp-name": name } : {};
    return { "mcp-protocol-version": MODERN, "mcp-method": method, ...named };
  }

  #deliver(value: unknown): void {
    if (Array.isArray(value)) this.faults.push(...batchFaults(this.#speaks, value));
    for (const message of (Array.isArray(value) ? value : [value]) as Message[]) this.#take(message);
    this.#arrivals.dispatchEvent(new Event("message"));
  }

  #take(message: Message): void {
    const method = this.#methods.get(message.id);
    if (method === "initialize") this.#speaks = agreedRevision(message) ?? this.#speaks;
    this.faults.push(...faultsOf(this.#speaks, message, method));
    this.received.push(message);
    if (message.method !== undefined && message.id !== undefined) this.#answer(message, message.method);
  }

  #answer({ id }: Message, method: string): void {
    this.asked.push(method);
    const result = this.#options.answers?.[method];
    const outcome = result ? { result } : { error: { code: -32601, message: "not that one" } };
    // A client that was dropped meanwhile answers no more.
    void this.wire.send({ jsonrpc: "2.0", id, ...outcome }, this.headersOf(method, {})).catch(() => undefined);
  }
}

const agreedRevision = ({ result }: Message): Revision | undefined =>
  LEGACY.find((revision) => revision === result?.["protocolVersion"]);

/** News of changes that other cells make come at any time. */
const isAboutCall = ({ method }: Message): boolean => method !== "notifications/tools/list_changed";
