// What hubs are still to be told: the roster with what each acknowledged, the latest changes, and closures. Every
// function is one synchronous step over SQLite.

import { LIMITS } from "../lib/limits.ts";
import type { Change, Closure } from "../sessions/hub-contract.ts";
import { readNumber, writeMeta } from "./meta-store.ts";

/** A hub's place on the roster; the epoch tells this stay from an earlier one. */
export interface RosterPlace {
  hub: string;
  epoch: number;
  /** The version and the last closure that the hub was told of. */
  acknowledged: number;
  closed: number;
}

export function migrateOutbox(sql: SqlStorage): void {
  sql.exec(`
    CREATE TABLE IF NOT EXISTS roster (hub TEXT PRIMARY KEY, epoch INTEGER NOT NULL, acknowledged INTEGER NOT NULL,
      closed INTEGER NOT NULL, sockets INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS recent_changes (version INTEGER PRIMARY KEY, tools TEXT, at INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS closures (seq INTEGER PRIMARY KEY AUTOINCREMENT, tag TEXT NOT NULL,
      at INTEGER NOT NULL) STRICT;
  `);
  // Of the first release's.
  const columns = sql.exec<{ name: string }>("SELECT name FROM pragma_table_info('roster')").toArray();
  if (columns.some(({ name }) => name === "sockets")) return;
  sql.exec("ALTER TABLE roster ADD COLUMN sockets INTEGER NOT NULL DEFAULT 0");
  sql.exec("DROP TABLE IF EXISTS changes");
}

/** Puts a hub on the roster, which counts as told of a version, or renews its place. */
export function joinRoster(sql: SqlStorage, hub: string, version: number): number {
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
  return epoch;
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
  { version, closures, sockets }: { version: number; closures: readonly Closure[]; sockets: number },
  nowMs: number,
): void {
  sql.exec(
    `UPDATE roster SET acknowledged = MAX(acknowledged, ?), closed = MAX(closed, ?), sockets = ?
      WHERE hub = ? AND epoch = ?`,
    version,
    closures.at(-1)?.seq ?? 0,
    sockets,
    hub,
    epoch,
  );
  dropKnownClosures(sql, nowMs);
}

/** Hubs that have not been told of the newest version that may be told, or of every closure. */
export const readLateHubs = (sql: SqlStorage): RosterPlace[] =>
  sql
    .exec<RosterPlace & Record<string, SqlStorageValue>>(
      "SELECT hub, epoch, acknowledged, closed FROM roster WHERE acknowledged < ? OR closed < ?",
      readPublished(sql),
      readLastClosure(sql),
    )
    .toArray();

/** Sockets and streams at all hubs, as each told when it was told something last. */
export const countAudience = (sql: SqlStorage): number =>
  sql.exec<{ sockets: number }>("SELECT COALESCE(SUM(sockets), 0) AS sockets FROM roster").one().sockets;

/** The newest version that clients may be told of: no reader of the catalogue can be behind it any more. */
export const readPublished = (sql: SqlStorage): number => readNumber(sql, "published");

export const writePublished = (sql: SqlStorage, version: number): void => writeMeta(sql, "published", version);

/** What one version changed: some tools, or with `undefined` it may be any. */
export function writeChange(
  sql: SqlStorage,
  version: number,
  tools: readonly string[] | undefined,
  nowMs: number,
): void {
  const told = tools && tools.length <= LIMITS.changedToolsTold ? JSON.stringify(tools) : null;
  sql.exec("INSERT INTO recent_changes (version, tools, at) VALUES (?, ?, ?)", version, told, nowMs);
  sql.exec("DELETE FROM recent_changes WHERE version <= ?", version - LIMITS.changesTold);
}

/** The latest changes up to a version, oldest first. */
export const readChanges = (sql: SqlStorage, version: number, nowMs: number): Change[] =>
  sql
    .exec<{ version: number; tools: string | null; at: number }>(
      "SELECT version, tools, at FROM recent_changes WHERE version <= ? ORDER BY version",
      version,
    )
    .toArray()
    .map(({ version: changed, tools, at }) => ({
      version: changed,
      agoMs: Math.max(0, nowMs - at),
      ...(tools !== null && { tools: JSON.parse(tools) as string[] }),
    }));

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
