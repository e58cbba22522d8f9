// An audit log's tables. Every function is one synchronous step over SQLite.

import { LIMITS } from "../lib/limits.ts";
import type { AuditBatch, AuditPosition } from "./audit-contract.ts";

/** The primary key is the order in which rows are read and go: no index besides it, one row written a call. */
export function migrate(sql: SqlStorage): void {
  sql.exec(`
    CREATE TABLE IF NOT EXISTS calls (at INTEGER NOT NULL, id TEXT NOT NULL, key TEXT NOT NULL, tool TEXT NOT NULL,
      outcome TEXT NOT NULL, row TEXT NOT NULL, PRIMARY KEY (at, id)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS batches (isolate TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
      PRIMARY KEY (isolate, seq)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS tallies (slot INTEGER NOT NULL, key TEXT NOT NULL, tool TEXT NOT NULL,
      outcome TEXT NOT NULL, bucket INTEGER NOT NULL, calls INTEGER NOT NULL,
      PRIMARY KEY (slot, key, tool, outcome, bucket)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS losses (reason TEXT PRIMARY KEY, rows INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `);
}

/** Writes a batch unless it was written before; whether it was new. Call it in a transaction. */
export function writeBatch(
  sql: SqlStorage,
  { isolate, seq, parts, tallies, lost }: AuditBatch,
  nowMs: number,
): boolean {
  const insert = "INSERT OR IGNORE INTO batches (isolate, seq, at) VALUES (?, ?, ?) RETURNING seq";
  if (sql.exec(insert, isolate, seq, nowMs).toArray().length === 0) return false;
  for (const part of parts) {
    sql.exec(
      `INSERT OR IGNORE INTO calls (at, id, key, tool, outcome, row)
        SELECT json_extract(value, '$[1]'), json_extract(value, '$[0]'), json_extract(value, '$[2].key'),
          json_extract(value, '$[2].tool'), json_extract(value, '$[2].outcome'), json_extract(value, '$[2]')
        FROM json_each(?)`,
      part,
    );
  }
  sql.exec(
    `INSERT INTO tallies (slot, key, tool, outcome, bucket, calls)
      SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
        json_extract(value, '$[3]'), json_extract(value, '$[4]'), json_extract(value, '$[5]')
      FROM json_each(?) WHERE true
      ON CONFLICT DO UPDATE SET calls = calls + excluded.calls`,
    tallies,
  );
  for (const [reason, rows] of Object.entries(lost)) addLoss(sql, reason, rows);
  return true;
}

/** Takes away what is over its time, rows at most `maxRows` at a go; whether there is more of it. */
export function prune(
  sql: SqlStorage,
  {
    rowsBeforeMs,
    batchesBeforeMs,
    slotsBefore,
  }: { rowsBeforeMs: number; batchesBeforeMs: number; slotsBefore: number },
  maxRows: number,
): boolean {
  sql.exec("DELETE FROM batches WHERE at < ?", batchesBeforeMs);
  sql.exec("DELETE FROM tallies WHERE slot < ?", slotsBefore);
  const more = readPosition(sql, "at < ? ORDER BY at, id", maxRows, [rowsBeforeMs]);
  sql.exec("DELETE FROM calls WHERE (at, id) < (?, ?)", more?.atMs ?? rowsBeforeMs, more?.id ?? "");
  return more !== undefined;
}

/** Takes away the oldest rows while the database is larger than it may be, and counts them as lost. */
export function trim(sql: SqlStorage, maxBytes: number, rowsAtOnce: number = LIMITS.auditTrimRows): void {
  while (sql.databaseSize > maxBytes) {
    const next = readPosition(sql, "true ORDER BY at, id", rowsAtOnce, []);
    const { atMs, id } = next ?? { atMs: Number.MAX_SAFE_INTEGER, id: "" };
    sql.exec("DELETE FROM calls WHERE (at, id) < (?, ?)", atMs, id);
    const { rows } = sql.exec<{ rows: number }>("SELECT changes() AS rows").one();
    if (rows === 0) return;
    addLoss(sql, "trimmed", rows);
  }
}

/** Whether retention has anything left to look after. */
export const holdsRows = (sql: SqlStorage): boolean =>
  sql.exec("SELECT 1 FROM calls LIMIT 1").toArray().length +
    sql.exec("SELECT 1 FROM batches LIMIT 1").toArray().length >
  0;

/** The row so many rows further on. */
export function readPosition(
  sql: SqlStorage,
  where: string,
  skip: number,
  bindings: SqlStorageValue[],
): AuditPosition | undefined {
  return sql
    .exec<{ atMs: number; id: string }>(
      `SELECT at AS atMs, id FROM calls WHERE ${where} LIMIT 1 OFFSET ${skip}`,
      ...bindings,
    )
    .toArray()[0];
}

function addLoss(sql: SqlStorage, reason: string, rows: number): void {
  if (rows <= 0) return;
  sql.exec(
    "INSERT INTO losses (reason, rows) VALUES (?, ?) ON CONFLICT DO UPDATE SET rows = rows + excluded.rows",
    reason,
    rows,
  );
}
