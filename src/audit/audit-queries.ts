// What is read of one log: by operators alone.

import { LIMITS } from "../lib/limits.ts";
import type { AuditPage, AuditQuery, LossCounts, SpanQuery, SpanTally, Tally } from "./audit-contract.ts";
import { NO_LOSSES } from "./audit-contract.ts";
import { mergePages } from "./audit-page.ts";
import * as callBlocks from "./call-blocks.ts";
import * as singleRows from "./single-rows.ts";

export function readLosses(sql: SqlStorage): LossCounts {
  const counted = sql.exec<{ reason: string; rows: number }>("SELECT reason, rows FROM losses").toArray();
  return { ...NO_LOSSES, ...Object.fromEntries(counted.map(({ reason, rows }) => [reason, rows])) };
}

/** A page, found in what one page may look at. */
export function readCalls(sql: SqlStorage, query: AuditQuery, scanRows: number = LIMITS.auditScanRows): AuditPage {
  const { before, untilMs = Number.MAX_SAFE_INTEGER } = query;
  const from = before && before.atMs < untilMs ? before : { atMs: untilMs, id: "" };
  const pages = [callBlocks, singleRows].map((rows) => rows.read(sql, query, from, scanRows));
  return mergePages(pages, query.limit);
}

/** Calls since a slot, summed up. */
export const readTallies = (sql: SqlStorage, sinceSlot: number): Tally[] => [
  ...sql
    .exec(
      `SELECT MIN(slot), key, tool, outcome, bucket, SUM(calls) AS calls FROM tallies WHERE slot >= ?
        GROUP BY key, tool, outcome, bucket ORDER BY calls DESC LIMIT ?`,
      sinceSlot,
      LIMITS.statsTallies + 1,
    )
    .raw<Tally>(),
];

/** Calls since a slot, by span. */
export const readSpans = (sql: SqlStorage, { sinceSlot, key, tool }: SpanQuery): SpanTally[] => [
  ...sql
    .exec(
      `SELECT slot, outcome, bucket, SUM(calls) FROM tallies
        WHERE slot >= ?1 AND key = coalesce(?2, key) AND tool = coalesce(?3, tool) GROUP BY slot, outcome, bucket`,
      sinceSlot,
      key ?? null,
      tool ?? null,
    )
    .raw<SpanTally>(),
];
