// An audit log's tables. Every function is one synchronous step over SQLite.

import type { AuditBatch } from "./audit-contract.ts";
import * as callBlocks from "./call-blocks.ts";
import * as singleRows from "./single-rows.ts";

/** What goes at a time: rows that were stored each by itself, and blocks. */
export interface AtOnce {
  rows: number;
  blocks: number;
}

export function migrate(sql: SqlStorage): void {
  singleRows.migrate(sql);
  callBlocks.migrate(sql);
  sql.exec(`
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
  for (const part of parts) callBlocks.write(sql, part);
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

/** Takes away what is over its time, of rows and blocks so many at a go; whether there is more of it. */
export function prune(
  sql: SqlStorage,
  {
    rowsBeforeMs,
    batchesBeforeMs,
    slotsBefore,
  }: { rowsBeforeMs: number; batchesBeforeMs: number; slotsBefore: number },
  { rows, blocks }: AtOnce,
): boolean {
  sql.exec("DELETE FROM batches WHERE at < ?", batchesBeforeMs);
  sql.exec("DELETE FROM tallies WHERE slot < ?", slotsBefore);
  const moreRows = singleRows.prune(sql, rowsBeforeMs, rows);
  return callBlocks.prune(sql, rowsBeforeMs, blocks) || moreRows;
}

/** Takes away the oldest rows while the database is larger than it may be, and counts them as lost. */
export function trim(sql: SqlStorage, maxBytes: number, { rows, blocks }: AtOnce): void {
  while (sql.databaseSize > maxBytes) {
    const [rowAtMs, blockAtMs] = [singleRows.oldestAtMs(sql), callBlocks.oldestAtMs(sql)];
    // After a rollback, and going forward again, rows by themselves are newer than blocks.
    const isRowOldest = rowAtMs !== undefined && (blockAtMs === undefined || rowAtMs <= blockAtMs);
    const dropped = isRowOldest ? singleRows.dropOldest(sql, rows) : callBlocks.dropOldest(sql, blocks);
    if (dropped === 0) return;
    addLoss(sql, "trimmed", dropped);
  }
}

/** Whether retention has anything left to look after. */
export const holdsRows = (sql: SqlStorage): boolean =>
  singleRows.oldestAtMs(sql) !== undefined ||
  callBlocks.oldestAtMs(sql) !== undefined ||
  sql.exec("SELECT 1 FROM batches LIMIT 1").toArray().length > 0;

function addLoss(sql: SqlStorage, reason: string, rows: number): void {
  if (rows <= 0) return;
  sql.exec(
    "INSERT INTO losses (reason, rows) VALUES (?, ?) ON CONFLICT DO UPDATE SET rows = rows + excluded.rows",
    reason,
    rows,
  );
}
