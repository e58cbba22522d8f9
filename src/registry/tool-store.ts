// Tools in the registry: what operators decided about those in the code, and those that came as data, with their modules
// and what they were before. Every function is one synchronous step over SQLite.

import { LIMITS } from "../lib/limits.ts";
import { readNumber, readVersion, writeMeta } from "./meta-store.ts";
import { writeChange } from "./outbox-store.ts";
import type { RowChange, Snapshot, ToolRow, ToolVersion } from "./registry-contract.ts";

export function migrateTools(sql: SqlStorage): void {
  sql.exec(`
    CREATE TABLE IF NOT EXISTS tool_rows (name TEXT PRIMARY KEY, row TEXT, version INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS tool_rows_by_version ON tool_rows (version);
    CREATE TABLE IF NOT EXISTS modules (hash TEXT PRIMARY KEY, module TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS tool_history (name TEXT NOT NULL, version INTEGER NOT NULL, at INTEGER NOT NULL,
      who TEXT NOT NULL, row TEXT, PRIMARY KEY (name, version)) STRICT, WITHOUT ROWID;
  `);
  const [old] = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'tools'").toArray();
  if (!old) return;
  // Of the first release's.
  sql.exec("INSERT OR IGNORE INTO tool_rows (name, row, version) SELECT name, record, ? FROM tools", readVersion(sql));
  sql.exec("DROP TABLE tools");
}

/** Rows that change under one version, and by whom. */
export interface RowCommit {
  rows: ReadonlyMap<string, ToolRow | null>;
  who: string;
  atMs: number;
}

/** Writes rows under the next version, which it answers. Call it in a transaction. */
export function commitRows(sql: SqlStorage, { rows, who, atMs }: RowCommit): number {
  const version = readVersion(sql) + 1;
  committed.delete(sql);
  writeMeta(sql, "version", version);
  // The first version is news to nobody.
  if (version > 1) writeChange(sql, version, rows.size > 0 ? [...rows.keys()] : undefined, atMs);
  for (const [name, row] of rows) {
    const text = row && JSON.stringify(row);
    sql.exec("INSERT OR REPLACE INTO tool_rows (name, row, version) VALUES (?, ?, ?)", name, text, version);
    sql.exec(
      "INSERT INTO tool_history (name, version, at, who, row) VALUES (?, ?, ?, ?, ?)",
      name,
      version,
      atMs,
      who,
      text,
    );
    sql.exec(
      `DELETE FROM tool_history WHERE name = ?1 AND version <= (SELECT version FROM tool_history WHERE name = ?1
        ORDER BY version DESC LIMIT 1 OFFSET ?2)`,
      name,
      LIMITS.toolVersions,
    );
  }
  forgetMarks(sql);
  return version;
}

/**
 * The version that was committed last, where it was asked for since: what every list wants to know. It is taken out, not
 * replaced, when the next one is written: a transaction may be undone.
 */
const committed = new WeakMap<SqlStorage, number>();

/** The catalogue for who is at version `have`. Not to be called in a transaction. */
export function readSnapshot(sql: SqlStorage, have: number): Snapshot {
  const version = committed.get(sql) ?? readVersion(sql);
  committed.set(sql, version);
  if (have === version) return { v: 1, version };
  const isKnown = have >= readNumber(sql, "marks_floor") && have < version && have > 0;
  return isKnown
    ? { v: 1, version, since: have, rows: readChanges(sql, "version > ?", have) }
    : { v: 1, version, rows: readChanges(sql, "row IS NOT NULL") };
}

export function readRow(sql: SqlStorage, name: string): ToolRow | undefined {
  const [found] = sql.exec<{ row: string | null }>("SELECT row FROM tool_rows WHERE name = ?", name).toArray();
  return typeof found?.row === "string" ? (JSON.parse(found.row) as ToolRow) : undefined;
}

/** How many rows there are, and the characters of all together. */
export const measureRows = (sql: SqlStorage): { rows: number; chars: number } =>
  sql
    .exec<{ rows: number; chars: number }>(
      "SELECT COUNT(row) AS rows, COALESCE(SUM(LENGTH(row)), 0) AS chars FROM tool_rows",
    )
    .one();

export const readHistory = (sql: SqlStorage, name: string): ToolVersion[] =>
  sql
    .exec<{ version: number; at: number; who: string; row: string | null }>(
      "SELECT version, at, who, row FROM tool_history WHERE name = ? ORDER BY version DESC",
      name,
    )
    .toArray()
    .map(({ version, at, who, row }) => ({ version, atMs: at, who, row: row === null ? null : JSON.parse(row) }));

export const readModule = (sql: SqlStorage, hash: string): string | undefined =>
  sql.exec<{ module: string }>("SELECT module FROM modules WHERE hash = ?", hash).toArray()[0]?.module;

export const writeModule = (sql: SqlStorage, hash: string, module: string): void => {
  sql.exec("INSERT OR IGNORE INTO modules (hash, module) VALUES (?, ?)", hash, module);
};

/** Takes away modules that neither a tool nor its history has. */
export const dropUnusedModules = (sql: SqlStorage): void => {
  sql.exec(`DELETE FROM modules WHERE hash NOT IN (
    SELECT json_extract(row, '$.record.source.hash') FROM tool_rows
      WHERE json_extract(row, '$.record.source.hash') IS NOT NULL
    UNION SELECT json_extract(row, '$.record.source.hash') FROM tool_history
      WHERE json_extract(row, '$.record.source.hash') IS NOT NULL)`);
};

const readChanges = (sql: SqlStorage, where: string, ...bound: number[]): RowChange[] =>
  sql
    .exec<{ name: string; row: string | null; version: number }>(
      `SELECT name, row, version FROM tool_rows WHERE ${where} ORDER BY name`,
      ...bound,
    )
    .toArray()
    .map(({ name, row, version }) => ({ name, version, row: row === null ? null : (JSON.parse(row) as ToolRow) }));

/** Marks of tools that are gone tell readers who are not far behind; the oldest go, and who is further behind reads all. */
function forgetMarks(sql: SqlStorage): void {
  const [oldest] = sql
    .exec<{ version: number }>(
      "SELECT version FROM tool_rows WHERE row IS NULL ORDER BY version DESC LIMIT 1 OFFSET ?",
      LIMITS.deletedTools,
    )
    .toArray();
  if (!oldest) return;
  sql.exec("DELETE FROM tool_rows WHERE row IS NULL AND version <= ?", oldest.version);
  writeMeta(sql, "marks_floor", oldest.version);
}
