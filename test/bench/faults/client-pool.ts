// One client a transport for the holder of a key, opened when it is needed and again when its connection is gone.

import { openSocketClient, openSseClient, type DuplexClient } from "./duplex-clients.ts";
import { modernClient, openSession, sessionClient, type KeyPair, type Surroundings } from "./http-clients.ts";
import type { Client } from "./wire.ts";

const REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25"];

type Opener = (around: Surroundings, key: KeyPair) => Promise<Client | undefined>;

const OPENERS = {
  "2026-07-28": async (around, key) => modernClient(around, key),
  "a session": async (around, key) => {
    const session = await openSession(around, key, around.random.pick(REVISIONS));
    return session && sessionClient(around, session);
  },
  "a WebSocket session": (around, key) => openSocketClient(around, key, "legacy"),
  "a WebSocket, 2026-07-28": (around, key) => openSocketClient(around, key, "modern"),
  "/sse": openSseClient,
} satisfies Record<string, Opener>;

export type Transport = keyof typeof OPENERS;
export const TRANSPORTS = Object.keys(OPENERS) as Transport[];
/** Those of which every request has a connection of its own. */
export const HTTP_TRANSPORTS: Transport[] = ["2026-07-28", "a session"];
export const MODERN_TRANSPORTS: Transport[] = ["2026-07-28", "a WebSocket, 2026-07-28"];

export class ClientPool {
  readonly #around: Surroundings;
  readonly #key: KeyPair;
  readonly #clients = new Map<Transport, Client>();

  constructor(around: Surroundings, key: KeyPair) {
    this.#around = around;
    this.#key = key;
  }

  /** Nothing where a connection can't be had just now. */
  async find(transport: Transport): Promise<Client | undefined> {
    const held = this.#clients.get(transport);
    if (held && isOpen(held)) return held;
    const opened = await OPENERS[transport](this.#around, this.#key);
    const meanwhile = this.#clients.get(transport);
    // Another call of this key may have opened one at the same time.
    if (opened && meanwhile && meanwhile !== held && isOpen(meanwhile)) {
      opened.close();
      return meanwhile;
    }
    if (opened) this.#clients.set(transport, opened);
    else this.#around.witness.count("connections refused");
    return opened;
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }
}

const isOpen = (client: Client): boolean => !("isOpen" in client) || (client as DuplexClient).isOpen();
