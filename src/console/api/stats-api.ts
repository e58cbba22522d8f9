import type { CallStats } from "../../audit/audit-stats.ts";
import type { AdminApi } from "./admin-api.ts";
import type { Losses } from "./audit-api.ts";

export type { CallStats } from "../../audit/audit-stats.ts";

export type StatsWindow = "hour" | "day";

/** Of one span of the window. */
export interface SeriesPoint extends CallStats {
  /** When the span began, ISO 8601. */
  at: string;
}

export interface Stats {
  window: StatsWindow;
  since: string;
  until: string;
  total: CallStats;
  tools: (CallStats & { tool: string })[];
  keys: (CallStats & { key: string })[];
  /** Spans in which something was called, the oldest first. */
  series?: { spanSeconds: number; points: SeriesPoint[] };
  /** Whether there were more keys or tools than one answer holds. */
  cut: boolean;
  lost: Losses;
}

export const readStats = (
  api: AdminApi,
  query: { window: StatsWindow; series?: boolean; key?: string; tool?: string },
  signal?: AbortSignal,
): Promise<Stats> => api.ask("GET", "/stats", { query, ...(signal && { signal }) });

/** A client that is connected now. */
export interface Listener {
  kind: "websocket" | "sse" | "get" | "listen";
  keyId: string;
  openedAt: string;
  /** Known once it has initialized or subscribed. */
  revision?: string;
  client?: { name: string; version: string };
  hub: string;
}

export interface Sessions {
  total: number;
  hubs: { hub: string; reached: boolean; sessions: number; awakeSince?: string }[];
  /** The first of them. */
  sessions: Listener[];
}

export const readSessions = (api: AdminApi, query: { key?: string } = {}, signal?: AbortSignal): Promise<Sessions> =>
  api.ask("GET", "/sessions", { query, ...(signal && { signal }) });
