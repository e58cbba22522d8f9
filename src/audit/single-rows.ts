// Rows of calls as they were stored before there were blocks, each by itself. This code adds none, older code after a rollback
// does; those that are there are read until they are over their time.

import type { AuditPage, AuditPosition, AuditQuery, StoredRow } from "./audit-contract.ts";
import { takePage } from "./audit-page.ts";

/** The primary key is the order in which rows are read and go. */
export const migrate = (sql: SqlStorage): unknown =>
  sql.exec(`
    CREATE TABLE IF NOT EXISTS calls (at INTEGER NOT NULL, id TEXT NOT NULL, key TEXT NOT NULL, tool TEXT NOT NULL,
      outcome TEXT NOT NULL, row TEXT NOT NULL, PRIMARY KEY (at, id)) STRICT, WITHOUT ROWID;
  `);

/** A page of what is older than `from`, found in what one page may look at. */
export function read(sql: SqlStorage, query: AuditQuery, from: AuditPosition, scanRows: number): AuditPage {
  const { sinceMs = 0, key, tool, outcome, limit } = query;
  // The last row to look at: what does not match is passed over, but not without an end.
  const floor = findPosition(sql, "(at, id) < (?, ?) AND at >= ? ORDER BY at DESC, id DESC", scanRows - 1, [
    from.atMs,
    from.id,
    sinceMs,
  ]);
  const filters = Object.entries({ key, tool, outcome }).filter(([, value]) => value !== undefined);
  const rows = sql.exec<StoredRow & Record<string, SqlStorageValue>>(
    `SELECT at AS atMs, id, row FROM calls WHERE (at, id) < (?, ?) AND (at, id) >= (?, ?)
      ${filters.map(([name]) => `AND ${name} = ?`).join(" ")} ORDER BY at DESC, id DESC LIMIT ?`,
    from.atMs,
    from.id,
    floor?.atMs ?? sinceMs,
    floor?.id ?? "",
    ...filters.map(([, value]) => value ?? ""),
    limit + 1,
  );
  return takePage(rows, limit, floor);
}

/** Takes away what is older than that, so many at most; whether there is more of it. */
export function prune(sql: SqlStorage, beforeMs: number, most: number): boolean {
  const more = findPosition(sql, "at < ? ORDER BY at, id", most, [beforeMs]);
  sql.exec("DELETE FROM calls WHERE (at, id) < (?, ?)", more?.atMs ?? beforeMs, more?.id ?? "");
  return more !== undefined;
}

/** Takes away the oldest, so many at most; how many they were. */
export function dropOldest(sql: SqlStorage, most: number): number {
  const { atMs, id } = findPosition(sql, "true ORDER BY at, id", most, []) ?? { atMs: Number.MAX_SAFE_INTEGER, id: "" };
  sql.exec("DELETE FROM calls WHERE (at, id) < (?, ?)", atMs, id);
  return sql.exec<{ rows: number }>("SELECT changes() AS rows").one().rows;
}

/** How old the oldest row is. Nothing where there is none. */
export const oldestAtMs = (sql: SqlStorage): number | undefined =>
  findPosition(sql, "true ORDER BY at, id", 0, [])?.atMs;

/** The row so many rows further on. */
const findPosition = (
  sql: SqlStorage,
  where: string,
  skip: number,
  bindings: SqlStorageValue[],
): AuditPosition | undefined =>
  sql
    .exec<{ atMs: number; id: string }>(
      `SELECT at AS atMs, id FROM calls WHERE ${where} LIMIT 1 OFFSET ${skip}`,
      ...bindings,
    )
    .toArray()[0];
