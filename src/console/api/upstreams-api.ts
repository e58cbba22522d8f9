import type { Verdict } from "../../lint/verdict.ts";
import { pathOf, type AdminApi } from "./admin-api.ts";

/** What an operator says of an upstream. */
export interface UpstreamRecord {
  url: string;
  headers?: Record<string, string>;
  include?: string[];
  exclude?: string[];
  timeoutMs?: number;
  enabled?: boolean;
}

export interface UpstreamView extends UpstreamRecord {
  name: string;
  enabled: boolean;
  status: {
    /** `new` until it was tried, `off` while it is disabled. */
    state: "new" | "ok" | "failing" | "off";
    since: string;
    triedAt?: string;
    refreshedAt?: string;
    reason?: string;
    revision?: string;
    /** How many of its tools are served. */
    tools: number;
    skipped: { tool: string; reason: string }[];
    /** Those that `include` and `exclude` leave out. */
    excluded: string[];
    warnings: Verdict[];
  };
}

/** What a change answers, after listing its tools. */
export type UpstreamAnswer = UpstreamView & { version?: number; unsetSecrets?: string[] };

export const listUpstreams = (
  api: AdminApi,
  signal?: AbortSignal,
): Promise<{ version: number; upstreams: UpstreamView[] }> =>
  api.ask("GET", "/upstreams", { ...(signal && { signal }) });

export const showUpstream = (api: AdminApi, name: string): Promise<UpstreamView & { version: number }> =>
  api.ask("GET", pathOf("upstreams", name));

/** `version` is the catalogue's that the edit is from: what changed since is not written over. */
export const putUpstream = (
  api: AdminApi,
  name: string,
  record: UpstreamRecord,
  version: number | undefined,
): Promise<UpstreamAnswer> =>
  api.ask("PUT", pathOf("upstreams", name), { body: record, ...(version !== undefined && { ifMatch: version }) });

export const refreshUpstream = (api: AdminApi, name: string): Promise<UpstreamAnswer> =>
  api.ask("POST", `${pathOf("upstreams", name)}/refresh`);

export const deleteUpstream = (
  api: AdminApi,
  name: string,
  version: number | undefined,
): Promise<{ version: number }> =>
  api.ask("DELETE", pathOf("upstreams", name), { ...(version !== undefined && { ifMatch: version }) });
