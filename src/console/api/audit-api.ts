import type { LossCounts } from "../../audit/audit-contract.ts";
import type { CallRow as StoredCall } from "../../audit/call-row.ts";
import type { AdminApi } from "./admin-api.ts";

export type { CallOutcome } from "../../audit/call-row.ts";
export type Losses = LossCounts;

interface Placed {
  id: string;
  /** ISO 8601: when a call began. */
  at: string;
}

export type CallRow = StoredCall & Placed & { kind: "call" };

export interface AdminRow extends Placed {
  kind: "admin";
  seq: number;
  who: string;
  /** Such as `tool.change`. */
  action: string;
  target: string;
  outcome: string;
  /** The catalogue's version after it. */
  version: number;
  detail?: unknown;
  hash: string;
}

export type AuditRow = CallRow | AdminRow;

/** The row with this number has this hash. */
export interface ChainLink {
  seq: number;
  hash: string;
}

/** The last row that is gone, and the newest. */
export interface Chain {
  anchor: ChainLink;
  head: ChainLink;
}

export interface AuditPage {
  /** The newest first. */
  rows: AuditRow[];
  nextCursor?: string;
  lost: Losses;
  chain?: Chain;
}

export type AuditFilter = Partial<
  Record<"kind" | "key" | "tool" | "outcome" | "since" | "until" | "cursor", string> & { limit: number }
>;

export const readAudit = (api: AdminApi, query: AuditFilter, signal?: AbortSignal): Promise<AuditPage> =>
  api.ask("GET", "/audit", { query: { ...query }, ...(signal && { signal }) });

/** Calls alone: the registry, which has the admin actions, is not asked. */
export const readCalls = async (
  api: AdminApi,
  query: AuditFilter,
  signal?: AbortSignal,
): Promise<Omit<AuditPage, "rows"> & { rows: CallRow[] }> => {
  const page = await readAudit(api, { ...query, kind: "call" }, signal);
  return { ...page, rows: page.rows.filter((row) => row.kind === "call") };
};

/** Admin actions alone, and the ends of their chain. */
export const readActions = async (
  api: AdminApi,
  query: AuditFilter,
  signal?: AbortSignal,
): Promise<Omit<AuditPage, "rows"> & { rows: AdminRow[] }> => {
  const page = await readAudit(api, { ...query, kind: "admin" }, signal);
  return { ...page, rows: page.rows.filter((row) => row.kind === "admin") };
};

/** Rows as JSON, a line each; the last line has the kind `end`. */
export const openExport = (api: AdminApi, query: AuditFilter, signal: AbortSignal): Promise<Response> =>
  api.fetch("GET", "/audit", { query: { ...query, format: "ndjson" }, signal });
