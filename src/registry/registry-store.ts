// The registry's tables, its outbox aside. Every function is one synchronous step over SQLite.

import type { Region } from "../lib/region.ts";
import { migrateMeta, readMeta, readVersion, writeMeta } from "./meta-store.ts";
import { migrateOutbox, writeChange } from "./outbox-store.ts";
import type { KeyPage, KeyRow, ToolRow } from "./registry-contract.ts";
import { migrateSecrets } from "./secrets-store.ts";

export function migrate(sql: SqlStorage): void {
  migrateMeta(sql);
  migrateOutbox(sql);
  migrateSecrets(sql);
  sql.exec(`
    CREATE TABLE IF NOT EXISTS tools (name TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS keys (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS regions (region TEXT PRIMARY KEY, seen_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `);
}

/** Writes a row, if there is one, under the next version. Call it in a transaction. */
export function commit(sql: SqlStorage, row: ToolRow | undefined, nowMs: number): number {
  const version = readVersion(sql) + 1;
  writeMeta(sql, "version", version);
  // The first version is news to nobody.
  if (version > 1) writeChange(sql, version, row && [row.name], nowMs);
  if (row) {
    sql.exec("INSERT OR REPLACE INTO tools (name, record) VALUES (?, ?)", row.name, JSON.stringify(row));
  }
  return version;
}

export const readRows = (sql: SqlStorage): ToolRow[] =>
  sql
    .exec<{ record: string }>("SELECT record FROM tools ORDER BY name")
    .toArray()
    .map(parseRecord<ToolRow>);

export const readRow = (sql: SqlStorage, name: string): ToolRow | undefined =>
  sql
    .exec<{ record: string }>("SELECT record FROM tools WHERE name = ?", name)
    .toArray()
    .map(parseRecord<ToolRow>)[0];

export const readBuild = (sql: SqlStorage): unknown => readMeta(sql, "build");

export const writeBuild = (sql: SqlStorage, build: string): void => writeMeta(sql, "build", build);

export const countKeys = (sql: SqlStorage): number =>
  sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM keys").one().count;

export const writeKey = (sql: SqlStorage, row: KeyRow): void => {
  sql.exec("INSERT OR REPLACE INTO keys (id, record) VALUES (?, ?)", row.id, JSON.stringify(row));
};

export const readKey = (sql: SqlStorage, id: string): KeyRow | undefined =>
  sql
    .exec<{ record: string }>("SELECT record FROM keys WHERE id = ?", id)
    .toArray()
    .map(parseRecord<KeyRow>)[0];

/** Keys after an id, in the order of ids. */
export function readKeys(sql: SqlStorage, after: string, limit: number): KeyPage {
  const rows = sql
    .exec<{ record: string }>("SELECT record FROM keys WHERE id > ? ORDER BY id LIMIT ?", after, limit + 1)
    .toArray()
    .map(parseRecord<KeyRow>);
  const keys = rows.slice(0, limit);
  const last = keys.at(-1);
  return rows.length > limit && last ? { keys, next: last.id } : { keys };
}

const parseRecord = <T>({ record }: { record: string }): T => JSON.parse(record) as T;

/** Regions that asked for the catalogue after a time, and when. */
export const readRegions = (sql: SqlStorage, sinceMs: number): [Region, number][] =>
  sql
    .exec<{ region: string; seen_at: number }>("SELECT region, seen_at FROM regions WHERE seen_at > ?", sinceMs)
    .toArray()
    .map(({ region, seen_at }) => [region as Region, seen_at]);

export const writeRegion = (sql: SqlStorage, region: Region, nowMs: number): void => {
  sql.exec("INSERT OR REPLACE INTO regions (region, seen_at) VALUES (?, ?)", region, nowMs);
};
