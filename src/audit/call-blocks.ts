// Rows of calls as a log stores them: what an isolate writes at once is one row of SQLite, a block, with a JSON list of
// `[id, atMs, row]`. It costs less than a row for each call does, and is billed as one. A block has its place
// by its newest row and spans only so much time, so that a reader who goes back knows which blocks may hold what it is at.

import { LIMITS } from "../lib/limits.ts";
import type { AuditPage, AuditPosition, AuditQuery, StoredRow } from "./audit-contract.ts";
import { compare, takePage } from "./audit-page.ts";
import type { CallRow } from "./call-row.ts";

type Item = [id: string, atMs: number, row: CallRow];

const FILTERS = ["key", "tool", "outcome"] as const;

export const migrate = (sql: SqlStorage): unknown =>
  sql.exec(`
    CREATE TABLE IF NOT EXISTS blocks (newest_at INTEGER NOT NULL, newest_id TEXT NOT NULL, oldest_at INTEGER NOT NULL,
      rows INTEGER NOT NULL, part TEXT NOT NULL, PRIMARY KEY (newest_at, newest_id)) STRICT, WITHOUT ROWID;
  `);

/** Writes a part of a batch: a JSON list of items. */
export function write(sql: SqlStorage, part: string): void {
  const items = (JSON.parse(part) as Item[]).toSorted(([idA, atMsA], [idB, atMsB]) =>
    compare({ atMs: atMsB, id: idB }, { atMs: atMsA, id: idA }),
  );
  const blocks = cutBySpan(items);
  for (const block of blocks) {
    const [newest, oldest] = [block.at(-1), block[0]];
    if (!newest || !oldest) continue;
    sql.exec(
      "INSERT OR IGNORE INTO blocks (newest_at, newest_id, oldest_at, rows, part) VALUES (?, ?, ?, ?, ?)",
      newest[1],
      newest[0],
      oldest[1],
      block.length,
      blocks.length === 1 ? part : JSON.stringify(block),
    );
  }
}

/** Items, the oldest first, in groups that each span so much time at most. */
function cutBySpan(items: readonly Item[]): Item[][] {
  const groups: Item[][] = [];
  for (const item of items) {
    const group = groups.at(-1);
    if (group?.[0] && item[1] - group[0][1] <= LIMITS.auditBlockSpanMs) group.push(item);
    else groups.push([item]);
  }
  return groups;
}

/** A page of what is older than `from`, found in the blocks that one page may look at. */
export function read(sql: SqlStorage, query: AuditQuery, from: AuditPosition, scanRows: number): AuditPage {
  const { sinceMs = 0, limit } = query;
  const blocks = sql.exec<{ atMs: number; id: string; rows: number; part: string }>(
    `SELECT newest_at AS atMs, newest_id AS id, rows, part FROM blocks
      WHERE newest_at >= ? AND newest_at <= ? AND oldest_at <= ? ORDER BY newest_at DESC, newest_id DESC`,
    sinceMs,
    from.atMs + LIMITS.auditBlockSpanMs,
    from.atMs,
  );
  // No more of them than a page can tell of, or tell that there are: many blocks may lie over each other.
  let found: FoundRow[] = [];
  let looked = 0;
  for (const { rows, part, ...newest } of blocks) {
    const last = found.at(limit);
    // Blocks that reach beyond `from` are few, and read whatever they hold: no page could end among them. All that the
    // others hold is as old as their newest row, or older.
    if (compare(newest, from) > 0) {
      const isEnough = looked >= scanRows || (last !== undefined && compare(last, newest) < 0);
      if (isEnough) return toPage(found, limit, newest);
      looked += rows;
    }
    const isNear = (row: FoundRow): boolean => last === undefined || compare(row, last) < 0;
    const matching = findIn(part, query).filter((row) => compare(row, from) > 0 && row.atMs >= sinceMs && isNear(row));
    if (matching.length > 0) found = [...found, ...matching].toSorted(compare).slice(0, limit + 1);
  }
  return toPage(found, limit);
}

interface FoundRow extends AuditPosition {
  value: CallRow;
}

/** The rows of a block that the filters let by. */
function findIn(part: string, query: AuditQuery): FoundRow[] {
  const filters = FILTERS.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]] as const]));
  // As text first: most blocks need not be parsed.
  if (!filters.every(([name, value]) => part.includes(`"${name}":${JSON.stringify(value)}`))) return [];
  return (JSON.parse(part) as Item[])
    .filter(([, , row]) => filters.every(([name, value]) => row[name] === value))
    .map(([id, atMs, value]) => ({ atMs, id, value }));
}

/** `unread` is the newest row that was not looked at: what is found and older may not be all. */
function toPage(found: readonly FoundRow[], limit: number, unread?: AuditPosition): AuditPage {
  const complete = unread ? found.filter((row) => compare(row, unread) < 0) : found;
  const rows = complete.map(({ atMs, id, value }): StoredRow => ({ atMs, id, row: JSON.stringify(value) }));
  return takePage(rows, limit, unread && justAfter(unread));
}

/** The place between a row and the next newer one: whoever goes on from there finds that row first. */
const justAfter = ({ atMs, id }: AuditPosition): AuditPosition => ({ atMs, id: `${id} ` });

/** Takes away the blocks of which every row is older than that, so many at most; whether there are more of them. */
export function prune(sql: SqlStorage, beforeMs: number, most: number): boolean {
  const more = findOldest(sql, most);
  const bound = more && more.atMs < beforeMs ? more : { atMs: beforeMs, id: "" };
  sql.exec("DELETE FROM blocks WHERE (newest_at, newest_id) < (?, ?)", bound.atMs, bound.id);
  return bound === more;
}

/** Takes away the oldest, so many at most; how many rows they held. */
export function dropOldest(sql: SqlStorage, most: number): number {
  const { atMs, id } = findOldest(sql, most) ?? { atMs: Number.MAX_SAFE_INTEGER, id: "" };
  const dropped = sql.exec<{ rows: number }>(
    "DELETE FROM blocks WHERE (newest_at, newest_id) < (?, ?) RETURNING rows",
    atMs,
    id,
  );
  return [...dropped].reduce((sum, { rows }) => sum + rows, 0);
}

/** How old the oldest block is: its newest row's time. Nothing where there is none. */
export const oldestAtMs = (sql: SqlStorage): number | undefined => findOldest(sql, 0)?.atMs;

/** The newest row of the block before which so many others are. */
const findOldest = (sql: SqlStorage, skip: number): AuditPosition | undefined =>
  sql
    .exec<{ atMs: number; id: string }>(
      "SELECT newest_at AS atMs, newest_id AS id FROM blocks ORDER BY newest_at, newest_id LIMIT 1 OFFSET ?",
      skip,
    )
    .toArray()[0];
