// The registry's tables. Every function is one synchronous step over SQLite.

import { LIMITS } from "../lib/limits.ts";
import type { Closure } from "../sessions/hub-contract.ts";
import type { KeyPage, KeyRow, ToolRow } from "./registry-contract.ts";

/** A hub's place on the roster; the epoch tells this stay from an earlier one. */
export interface RosterPlace {
  hub: string;
  epoch: number;
  /** The version and the last closure that the hub was told of. */
  acknowledged: number;
  closed: number;
}

export function migrate(sql: SqlStorage): void {
  sql.exec(`
    CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS tools (name TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS keys (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS roster (hub TEXT PRIMARY KEY, epoch INTEGER NOT NULL, acknowledged INTEGER NOT NULL,
      closed INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS changes (version INTEGER PRIMARY KEY, tool TEXT) STRICT;
    CREATE TABLE IF NOT EXISTS closures (seq INTEGER PRIMARY KEY AUTOINCREMENT, tag TEXT NOT NULL,
      at INTEGER NOT NULL) STRICT;
  `);
}

export const readVersion = (sql: SqlStorage): number => readNumber(sql, "version");

/** Writes a row, if there is one, under the next version. Call it in a transaction. */
export function commit(sql: SqlStorage, row: ToolRow | undefined): number {
  const version = readVersion(sql) + 1;
  writeMeta(sql, "version", version);
  sql.exec("INSERT INTO changes (version, tool) VALUES (?, ?)", version, row?.name ?? null);
  sql.exec("DELETE FROM changes WHERE version <= ?", version - LIMITS.changesKept);
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

export function joinRoster(sql: SqlStorage, hub: string): { version: number; epoch: number } {
  const version = readVersion(sql);
  const epoch = readNumber(sql, "epoch") + 1;
  writeMeta(sql, "epoch", epoch);
  // A hub that joins twice at once may have a change still to hear of from the first time.
  sql.exec(
    `INSERT INTO roster (hub, epoch, acknowledged, closed) VALUES (?, ?, ?, ?) ON CONFLICT (hub) DO UPDATE SET
      epoch = excluded.epoch, acknowledged = MIN(acknowledged, excluded.acknowledged), closed = MIN(closed, excluded.closed)`,
    hub,
    epoch,
    version,
    readLastClosure(sql),
  );
  return { version, epoch };
}

export const readHubs = (sql: SqlStorage): string[] =>
  sql
    .exec<{ hub: string }>("SELECT hub FROM roster ORDER BY hub")
    .toArray()
    .map(({ hub }) => hub);

/** Only this stay's place: the hub may have joined again since. */
export const leaveRoster = (sql: SqlStorage, { hub, epoch }: RosterPlace, nowMs: number): void => {
  sql.exec("DELETE FROM roster WHERE hub = ? AND epoch = ?", hub, epoch);
  dropKnownClosures(sql, nowMs);
};

/** What a hub has been told of, up to a version and a closure. Closures that all hubs know of go. */
export function acknowledge(
  sql: SqlStorage,
  { hub, epoch }: RosterPlace,
  { version, closures }: { version: number; closures: readonly Closure[] },
  nowMs: number,
): void {
  sql.exec(
    "UPDATE roster SET acknowledged = MAX(acknowledged, ?), closed = MAX(closed, ?) WHERE hub = ? AND epoch = ?",
    version,
    closures.at(-1)?.seq ?? 0,
    hub,
    epoch,
  );
  dropKnownClosures(sql, nowMs);
}

/** Hubs that have not been told of the newest version or of every closure. */
export const readLateHubs = (sql: SqlStorage): RosterPlace[] =>
  sql
    .exec<RosterPlace & Record<string, SqlStorageValue>>(
      "SELECT hub, epoch, acknowledged, closed FROM roster WHERE acknowledged < ? OR closed < ?",
      readVersion(sql),
      readLastClosure(sql),
    )
    .toArray();

/** The tools that changed after a version; `undefined` when that is not known of all, or was the whole catalogue. */
export function readChangedTools(sql: SqlStorage, after: number): string[] | undefined {
  const rows = sql.exec<{ tool: string | null }>("SELECT tool FROM changes WHERE version > ?", after).toArray();
  const tools = rows.flatMap(({ tool }) => tool ?? []);
  return tools.length === readVersion(sql) - after ? [...new Set(tools)] : undefined;
}

/** Puts a closure into the outbox. It stays for a while even when no hub is there: one may join on an old lease. */
export function writeClosure(sql: SqlStorage, tag: string, nowMs: number): void {
  sql.exec("INSERT INTO closures (tag, at) VALUES (?, ?)", tag, nowMs);
  sql.exec("DELETE FROM closures WHERE seq <= ?", readLastClosure(sql) - LIMITS.closures);
  dropKnownClosures(sql, nowMs);
}

/** Closures that a hub which joins now must know of. */
export const readLateClosures = (sql: SqlStorage, nowMs: number): Closure[] =>
  sql
    .exec<Closure & Record<string, SqlStorageValue>>(
      "SELECT seq, tag FROM closures WHERE at > ? ORDER BY seq",
      nowMs - LIMITS.closureKeptMs,
    )
    .toArray();

/** Closures after the one that a hub was told of last, oldest first. */
export const readClosures = (sql: SqlStorage, { closed }: RosterPlace): Closure[] =>
  sql
    .exec<Closure & Record<string, SqlStorageValue>>(
      "SELECT seq, tag FROM closures WHERE seq > ? ORDER BY seq LIMIT ?",
      closed,
      LIMITS.publishClosures,
    )
    .toArray();

const readLastClosure = (sql: SqlStorage): number =>
  sql.exec<{ seq: number }>("SELECT COALESCE(MAX(seq), 0) AS seq FROM closures").one().seq;

/** Every hub on the roster was told of them, and they are old enough for those that were not on it. */
const dropKnownClosures = (sql: SqlStorage, nowMs: number): void => {
  sql.exec(
    "DELETE FROM closures WHERE at <= ? AND seq <= COALESCE((SELECT MIN(closed) FROM roster), seq)",
    nowMs - LIMITS.closureKeptMs,
  );
};

/** Counts a round of publication in which a hub was not reached; answers how many in a row that makes. */
export function countFailure(sql: SqlStorage): number {
  const failures = readNumber(sql, "failures") + 1;
  writeMeta(sql, "failures", failures);
  return failures;
}

export function clearFailures(sql: SqlStorage): 0 {
  sql.exec("DELETE FROM meta WHERE name = 'failures'");
  return 0;
}

/** When the next publication is due, in milliseconds since 1970; 0 when none is. */
export const readPublicationDue = (sql: SqlStorage): number => readNumber(sql, "due");

export const writePublicationDue = (sql: SqlStorage, dueMs: number): void => writeMeta(sql, "due", dueMs);

const readMeta = (sql: SqlStorage, name: string): unknown =>
  sql.exec<{ value: number | string }>("SELECT value FROM meta WHERE name = ?", name).toArray()[0]?.value;

const readNumber = (sql: SqlStorage, name: string): number => Number(readMeta(sql, name) ?? 0);

const writeMeta = (sql: SqlStorage, name: string, value: number | string): void => {
  sql.exec("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", name, value);
};

const parseRecord = <T>({ record }: { record: string }): T => JSON.parse(record) as T;
