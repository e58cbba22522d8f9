// All that a request brings besides its message. Made anew for each; nothing of it lives at module scope.

import type { Env, WaitUntil } from "../env.ts";
import { splitList } from "../lib/split-list.ts";
import type { KeyCache } from "../keys/key-cache.ts";
import type { KeyFacts } from "../keys/key-record.ts";
import type { ClientInfo } from "../protocol/meta.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { SnapshotCache } from "../registry/snapshot-cache.ts";
import { createEgress, type Egress } from "../tools/egress.ts";
import type { ListBodies } from "./list-tools.ts";

/** What one isolate keeps for all requests: caches of what objects store, nothing that belongs to a request. */
export interface Isolate {
  keys: KeyCache;
  snapshot: SnapshotCache;
  listBodies: ListBodies;
}

export interface RequestScope {
  isolate: Isolate;
  env: Env;
  waitUntil: WaitUntil;
  /** Fires when the client goes away. */
  signal: AbortSignal;
  facts: KeyFacts;
  revision: Revision;
  client: ClientInfo;
  /** Whether `list_changed` can reach this client the way it is connected. */
  hearsChanges: boolean;
  egress: Egress;
  /** The request's headers, where there are any that mirror the body. */
  headers?: Headers;
}

/** The guarded way out for a request that came in at `host`; made when a tool first uses it. */
export const egressOf =
  ({ EGRESS_ALLOW = "", ALLOWED_HOSTS = "" }: Env, host: string): Egress =>
  (url, init, signal) =>
    createEgress({ allow: EGRESS_ALLOW, ownHosts: [host, ...splitList(ALLOWED_HOSTS)] })(url, init, signal);
