// What a call sets going that outlives it.

import { REFRESHER } from "../audit/admin-log.ts";
import { LIMITS } from "../lib/limits.ts";
import { LruMap } from "../lib/lru-map.ts";
import { logFailure } from "../telemetry/log.ts";
import type { AfterCall } from "../tools/context.ts";
import { refreshUpstream } from "./refresh-upstream.ts";
import type { RequestScope } from "./scope.ts";

/** When calls of this isolate last had an upstream listed. */
export type UpstreamHints = LruMap<string, number>;

export const createUpstreamHints = (): UpstreamHints => new LruMap(LIMITS.upstreams);

export function createAfterCall({ isolate, env, waitUntil, egress }: RequestScope): AfterCall {
  return {
    fetch: (url, init) => waitUntil(egress(url, init, new AbortController().signal).then(ignore, ignore)),
    refreshUpstream: (upstream) => {
      const nowMs = Date.now();
      if (nowMs - (isolate.upstreamHints.get(upstream) ?? 0) < LIMITS.unknownToolFloorMs) return;
      isolate.upstreamHints.set(upstream, nowMs);
      const scope = { isolate, env, waitUntil, egress, who: REFRESHER, isAsked: false };
      waitUntil(
        refreshUpstream(upstream, scope).catch((error: unknown) =>
          logFailure("upstream_refresh_failed", upstream, error),
        ),
      );
    },
  };
}

const ignore = (): void => undefined;
