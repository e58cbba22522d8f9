// The registry's table of upstreams: their records, what came of listing them, and when that is due again. Every function is
// one synchronous step over SQLite.

import { LIMITS } from "../lib/limits.ts";
import { jitterAround } from "../lib/random.ts";
import type { Upstream } from "../tools/upstream/upstream-record.ts";
import { readNumber, writeMeta } from "./meta-store.ts";
import type { UpstreamRow, UpstreamStatus, UpstreamWritten } from "./upstream-contract.ts";

export const migrateUpstreams = (sql: SqlStorage): void => {
  sql.exec(`
    CREATE TABLE IF NOT EXISTS upstreams (
      name TEXT PRIMARY KEY, edition INTEGER NOT NULL, record TEXT NOT NULL, status TEXT NOT NULL,
      due_at INTEGER
    ) STRICT, WITHOUT ROWID
  `);
};

export function writeUpstream(sql: SqlStorage, name: string, record: Upstream, nowMs: number): UpstreamWritten {
  const [old] = readUpstreams(sql, [name]);
  const { count } = sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM upstreams").one();
  if (!old && count >= LIMITS.upstreams) return { v: 1, outcome: "full" };
  const edition = readNumber(sql, "upstreams_edition") + 1;
  writeMeta(sql, "upstreams_edition", edition);
  const status = old?.status ?? { state: "new", sinceMs: nowMs, tools: 0, skipped: [], warnings: [] };
  sql.exec(
    "INSERT OR REPLACE INTO upstreams (name, edition, record, status, due_at) VALUES (?, ?, ?, ?, ?)",
    name,
    edition,
    JSON.stringify(record),
    JSON.stringify(status),
    record.enabled === false ? null : dueAfter(nowMs),
  );
  return { v: 1, outcome: "written", edition, created: !old };
}

/** Writes what came of a list; the next one is due an interval from now. */
export const writeStatus = (sql: SqlStorage, name: string, status: UpstreamStatus, nowMs: number): void => {
  sql.exec(
    "UPDATE upstreams SET status = ?, due_at = CASE WHEN due_at IS NULL THEN NULL ELSE ? END WHERE name = ?",
    JSON.stringify(status),
    dueAfter(nowMs),
    name,
  );
};

/** Nothing for one that is switched off. */
export const hasten = (sql: SqlStorage, name: string, atMs: number): void => {
  sql.exec("UPDATE upstreams SET due_at = MIN(due_at, ?) WHERE name = ? AND due_at IS NOT NULL", atMs, name);
};

export const deleteUpstream = (sql: SqlStorage, name: string): void => {
  sql.exec("DELETE FROM upstreams WHERE name = ?", name);
};

export const readUpstreams = (sql: SqlStorage, names?: string[]): UpstreamRow[] =>
  sql
    .exec<{ name: string; edition: number; record: string; status: string }>(
      `SELECT name, edition, record, status FROM upstreams
       WHERE ?1 IS NULL OR name IN (SELECT value FROM json_each(?1)) ORDER BY name`,
      names ? JSON.stringify(names) : null,
    )
    .toArray()
    .map(({ name, edition, record, status }) => ({
      name,
      edition,
      record: JSON.parse(record) as Upstream,
      status: JSON.parse(status) as UpstreamStatus,
    }));

/** When the next list is due; `undefined` where there is none. */
export const readNextDue = (sql: SqlStorage): number | undefined =>
  sql.exec<{ due: number | null }>("SELECT MIN(due_at) AS due FROM upstreams").one().due ?? undefined;

/** The upstreams that are due. Each is due again an interval later, so that one whose list is lost is not forgotten. */
export function claimDue(sql: SqlStorage, nowMs: number): string[] {
  const names = sql
    .exec<{ name: string }>("SELECT name FROM upstreams WHERE due_at <= ? ORDER BY due_at", nowMs)
    .toArray()
    .map(({ name }) => name);
  for (const name of names) sql.exec("UPDATE upstreams SET due_at = ? WHERE name = ?", dueAfter(nowMs), name);
  return names;
}

/** The names of an upstream's tools. */
export const readToolNames = (sql: SqlStorage, upstream: string): string[] =>
  sql
    .exec<{ name: string }>(
      "SELECT name FROM tool_rows WHERE json_extract(row, '$.record.source.upstream') = ? ORDER BY name",
      upstream,
    )
    .toArray()
    .map(({ name }) => name);

const dueAfter = (nowMs: number): number =>
  nowMs + jitterAround(LIMITS.upstreamIntervalMs, LIMITS.upstreamIntervalJitterShare);
