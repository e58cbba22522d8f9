// What is read of one log: by operators alone.

import { LIMITS } from "../lib/limits.ts";
import type { AuditPage, AuditQuery, LossCounts, SpanQuery, SpanTally, StoredRow, Tally } from "./audit-contract.ts";
import { NO_LOSSES } from "./audit-contract.ts";
import { takePage } from "./audit-page.ts";
import { readPosition } from "./audit-store.ts";

export function readLosses(sql: SqlStorage): LossCounts {
  const counted = sql.exec<{ reason: string; rows: number }>("SELECT reason, rows FROM losses").toArray();
  return { ...NO_LOSSES, ...Object.fromEntries(counted.map(({ reason, rows }) => [reason, rows])) };
}

/** A page, found in what one page may look at. */
export function readCalls(sql: SqlStorage, query: AuditQuery, scanRows: number = LIMITS.auditScanRows): AuditPage {
  const { before, sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER, key, tool, outcome, limit } = query;
  const [fromAt, fromId] = before && before.atMs < untilMs ? [before.atMs, before.id] : [untilMs, ""];
  // The last row to look at: what does not match is passed over, but not without an end.
  const floor = readPosition(sql, "(at, id) < (?, ?) AND at >= ? ORDER BY at DESC, id DESC", scanRows - 1, [
    fromAt,
    fromId,
    sinceMs,
  ]);
  const filters = Object.entries({ key, tool, outcome }).filter(([, value]) => value !== undefined);
  const rows = sql.exec<StoredRow & Record<string, SqlStorageValue>>(
    `SELECT at AS atMs, id, row FROM calls WHERE (at, id) < (?, ?) AND (at, id) >= (?, ?)
      ${filters.map(([name]) => `AND ${name} = ?`).join(" ")} ORDER BY at DESC, id DESC LIMIT ?`,
    fromAt,
    fromId,
    floor?.atMs ?? sinceMs,
    floor?.id ?? "",
    ...filters.map(([, value]) => value ?? ""),
    limit + 1,
  );
  return takePage(rows, limit, floor);
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
