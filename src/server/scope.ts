// All that a request brings besides its message. Made anew for each; nothing of it lives at module scope.

import type { AuditRecorder } from "../audit/audit-recorder.ts";
import type { CallDraft } from "../audit/call-row.ts";
import type { Env, WaitUntil } from "../env.ts";
import { HOPS_HEADER } from "../lib/hops-header.ts";
import { splitList } from "../lib/split-list.ts";
import type { KeyCache } from "../keys/key-cache.ts";
import type { KeyFacts } from "../keys/key-record.ts";
import type { Strangers } from "../keys/strangers.ts";
import type { JsonObject } from "../lib/json-value.ts";
import type { LruMap } from "../lib/lru-map.ts";
import type { Abilities } from "../protocol/abilities.ts";
import type { LogLevel } from "../protocol/log-level.ts";
import type { ClientInfo } from "../protocol/meta.ts";
import type { SealedSession } from "../protocol/session-id.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { SnapshotCache } from "../registry/snapshot-cache.ts";
import type { SecretCache } from "../secrets/secret-cache.ts";
import type { Egress } from "../tools/egress.ts";
import type { ListBodies } from "./list-tools.ts";
import type { UpstreamHints } from "./after-call.ts";
import type { Observer } from "./observer.ts";
import type { ToolSearch } from "./tool-search.ts";

/** What one isolate keeps for all requests: caches of what objects store, nothing that belongs to a request. */
export interface Isolate {
  keys: KeyCache;
  strangers: Strangers;
  /** Legacy sessions by their ids, once the MAC of one was found good. */
  sessions: LruMap<string, SealedSession>;
  snapshot: SnapshotCache;
  listBodies: ListBodies;
  /** Made with the first search. */
  search?: ToolSearch;
  secrets: SecretCache;
  audit: AuditRecorder;
  upstreamHints: UpstreamHints;
  /** Where the Worker has one. */
  observer?: Observer | undefined;
}

/** The way back to the client while its request runs. */
export interface Peer {
  /** Fires when the client cancels the request. */
  readonly cancelled: AbortSignal;
  /** Sends a message that belongs to the request, where the connection can carry one. */
  send(message: string): void;
  /** Sends a request of the server's own and waits for the response; absent where no answer could come back. */
  readonly ask?: ((method: string, params: object, signal: AbortSignal) => Promise<JsonObject>) | undefined;
  /** Lets go of the connection, where the client can come back for the rest. */
  release(): void;
}

/** A peer that can be told nothing before the answer, and cancels by leaving. */
export const silentPeer = (request: Pick<Request, "signal">): Peer => ({
  get cancelled() {
    return request.signal;
  },
  send: () => undefined,
  release: () => undefined,
});

export interface RequestScope {
  isolate: Isolate;
  env: Env;
  waitUntil: WaitUntil;
  peer: Peer;
  facts: KeyFacts;
  revision: Revision;
  client: ClientInfo;
  abilities: Abilities;
  /** The least severe log messages that the client wants; none without it. */
  logLevel: LogLevel | undefined;
  /** Keeps a legacy client's log level for its later requests. */
  setLogLevel?: ((level: LogLevel) => Promise<void>) | undefined;
  egress: Egress;
  /** Whether it came as a frame of a WebSocket. */
  isSocket?: boolean;
  /** The row of a `tools/call`. */
  call?: CallDraft | undefined;
  /** `Idempotency-Key`, where the request has one. */
  idempotencyHeader?: string | undefined;
  /** Whether a server of this kind asks. */
  isFellow?: boolean;
  /** The request's headers, where there are any that mirror the body. */
  headers?: Headers | undefined;
}

/**
 * The guarded way out for a request that came in at a host. All of it is loaded and read at a tool's first fetch: most tools
 * have none, and a bad `EGRESS_ALLOW` fails that fetch, not the request.
 */
export const egressOf =
  ({ EGRESS_ALLOW = "", ALLOWED_HOSTS = "" }: Env, readHost: () => string, readHops = () => 0): Egress =>
  async (url, init, signal) => {
    const { createEgress } = await import("../tools/egress.ts");
    const own = ownHosts(readHost(), ALLOWED_HOSTS);
    return createEgress({ allow: EGRESS_ALLOW, ownHosts: own, hops: readHops() })(url, init, signal);
  };

/** The `toolgate-hops` of a request: of how many such servers' tools it is a request already. */
export function hopsOf(headers: Headers): number {
  const value = headers.get(HOPS_HEADER);
  return value === null ? 0 : Math.max(1, Math.trunc(Number(value)) || 1);
}

/**
 * The server's hosts for the egress guard: where a request came in, and the other names that it is served under. Those
 * without a port are served at the same one.
 */
export function ownHosts(host: string, allowedHosts = ""): string[] {
  const port = /:\d+$/.exec(host)?.[0] ?? "";
  return [host, ...splitList(allowedHosts).flatMap((name) => (/:\d+$/.test(name) ? [name] : [name, name + port]))];
}
