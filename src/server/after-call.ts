// What a call sets going that outlives it.

import { REFRESHER } from "../audit/admin-act.ts";
import { LIMITS } from "../lib/limits.ts";
import { LruMap } from "../lib/lru-map.ts";
import { logFailure } from "../telemetry/log.ts";
import type { AfterCall } from "../tools/context.ts";
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
      const refresh = async (): Promise<unknown> =>
        (await import("./refresh-upstream.ts")).refreshUpstream(upstream, scope);
      waitUntil(refresh().catch((error: unknown) => logFailure("upstream_refresh_failed", upstream, error)));
    },
  };
}

const ignore = (): void => undefined;
