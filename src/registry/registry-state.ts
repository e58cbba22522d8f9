// How the registry is, for an operator who asks: counts that cost a scan of small tables at most.

import { readVersion } from "./meta-store.ts";
import { countAudience, readHubs, readLateHubs, readPublished } from "./outbox-store.ts";
import type { RegistryState } from "./registry-contract.ts";
import { countKeys } from "./registry-store.ts";
import { measureRows } from "./tool-store.ts";
import { readUpstreams } from "./upstream-store.ts";

export function readRegistryState(sql: SqlStorage): RegistryState {
  const upstreams = readUpstreams(sql);
  return {
    v: 1,
    version: readVersion(sql),
    published: readPublished(sql),
    toolRows: measureRows(sql).rows,
    keys: countKeys(sql),
    hubs: readHubs(sql).length,
    lateHubs: readLateHubs(sql).length,
    sockets: countAudience(sql),
    upstreams: upstreams.length,
    failingUpstreams: upstreams.filter(({ status }) => status.state === "failing").length,
    databaseBytes: sql.databaseSize,
  };
}
