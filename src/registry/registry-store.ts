// The registry's tables, tools and its outbox aside. Every function is one synchronous step over SQLite.

import type { Region } from "../lib/region.ts";
import { migrateMeta, readMeta, writeMeta } from "./meta-store.ts";
import { migrateOutbox } from "./outbox-store.ts";
import type { KeyPage, KeyRow } from "./registry-contract.ts";
import { migrateSecrets } from "./secrets-store.ts";
import { migrateTools } from "./tool-store.ts";
import { migrateUpstreams } from "./upstream-store.ts";

export function migrate(sql: SqlStorage): void {
  migrateMeta(sql);
  migrateOutbox(sql);
  migrateTools(sql);
  migrateSecrets(sql);
  migrateUpstreams(sql);
  sql.exec(`
    CREATE TABLE IF NOT EXISTS keys (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS regions (region TEXT PRIMARY KEY, seen_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `);
}

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
