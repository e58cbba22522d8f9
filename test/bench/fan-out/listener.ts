// A client that waits for changes, whatever it is connected by.

import { nowMs } from "./clock.ts";
import type { Heard, ListenerKind } from "./fleet-contract.ts";

export interface Connection {
  /** Ends it at once, with no closing handshake. */
  drop: () => void;
  /** Lists the tools. */
  listTools: () => Promise<ListedTool[]>;
}

export interface ListedTool {
  name: string;
  annotations?: { title?: string };
}

export const LIST_CHANGED = '"method":"notifications/tools/list_changed"';

export class Listener {
  readonly #kind: ListenerKind;
  #heard: Heard;
  #connection: Connection | undefined;
  /** Told of the first change since the reset. */
  readonly #onFirst: () => void;

  constructor(kind: ListenerKind, onFirst: () => void) {
    this.#kind = kind;
    this.#onFirst = onFirst;
    this.#heard = silent(kind);
  }

  get heard(): Heard {
    return this.#heard;
  }

  connected(connection: Connection): void {
    this.#connection = connection;
  }

  hear(version?: number): void {
    const atMs = nowMs();
    const heard = this.#heard;
    heard.count++;
    heard.lastMs = atMs;
    if (version !== undefined) heard.version = version;
    if (heard.count > 1) return;
    heard.firstMs = atMs;
    this.#onFirst();
  }

  close(reason: string): void {
    this.#heard.closed ??= reason;
  }

  reset(): void {
    const { closed } = this.#heard;
    this.#heard = { ...silent(this.#kind), ...(closed !== undefined && { closed }) };
  }

  drop(): void {
    this.#connection?.drop();
  }

  async listTools(): Promise<ListedTool[]> {
    if (!this.#connection) throw new Error("not connected");
    return this.#connection.listTools();
  }
}

const silent = (kind: ListenerKind): Heard => ({ kind, count: 0, firstMs: 0, lastMs: 0 });
