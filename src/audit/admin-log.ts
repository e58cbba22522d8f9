// The admin actions, in the object that carries them out: each row is written in the transaction of the change that it
// records and holds a hash over the one before, so that none can be changed, taken out or moved unnoticed. When the
// oldest go, the last of them stays as the anchor that the chain hangs on.

import { sha256 } from "@noble/hashes/sha2.js";
import { LIMITS } from "../lib/limits.ts";
import { shorten, type AdminAct } from "./admin-act.ts";
import type { AuditPage, AuditQuery, StoredRow } from "./audit-contract.ts";
import { takePage } from "./audit-page.ts";

/** A link of the chain: the row with this number has this hash. */
export interface ChainLink {
  seq: number;
  hash: string;
}

/** A page of rows and the chain's two ends: the last row that is gone, and the newest. */
export interface AdminPage extends AuditPage {
  anchor: ChainLink;
  head: ChainLink;
}

const GENESIS: ChainLink = { seq: 0, hash: "0".repeat(64) };

export function migrateAdminLog(sql: SqlStorage): void {
  sql.exec(`
    CREATE TABLE IF NOT EXISTS admin_log (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, id TEXT NOT NULL,
      who TEXT NOT NULL, action TEXT NOT NULL, target TEXT NOT NULL, outcome TEXT NOT NULL, row TEXT NOT NULL,
      hash TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS admin_anchor (seq INTEGER PRIMARY KEY, hash TEXT NOT NULL) STRICT;
  `);
}

/** Adds a row to the chain. Call it in the transaction of what it records. */
export function recordAdmin(
  sql: SqlStorage,
  act: AdminAct,
  nowMs: number,
  maxRows: number = LIMITS.adminLogRows,
): void {
  const head = readHead(sql);
  const seq = head.seq + 1;
  // Rows are read by time: a clock that goes back must not put one before its forerunner.
  const atMs = Math.max(nowMs, readTime(sql, head.seq));
  const { who, action, target, outcome, version, detail } = act;
  const row = canonicalJson({
    seq,
    at: new Date(atMs).toISOString(),
    who,
    action,
    target,
    outcome,
    version,
    ...(detail && { detail: shorten(detail) }),
  });
  sql.exec(
    "INSERT INTO admin_log (seq, at, id, who, action, target, outcome, row, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    seq,
    atMs,
    `admin.${String(seq).padStart(15, "0")}`,
    who,
    action,
    target,
    outcome,
    row,
    link(head.hash, row),
  );
  dropOld(sql, { upToSeq: seq - maxRows, beforeMs: nowMs - LIMITS.adminLogMs });
}

export function readAdminLog(sql: SqlStorage, query: AuditQuery): AdminPage {
  const { before, sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER, key, tool, outcome, limit } = query;
  const [fromAt, fromId] = before && before.atMs < untilMs ? [before.atMs, before.id] : [untilMs, ""];
  const filters: [string, string[]][] = [
    ["AND (who = ? OR (action LIKE 'key.%' AND target = ?))", key === undefined ? [] : [key, key]],
    ["AND action LIKE 'tool.%' AND target = ?", tool === undefined ? [] : [tool]],
    ["AND outcome = ?", outcome === undefined ? [] : [outcome]],
  ];
  const used = filters.filter(([, values]) => values.length > 0);
  const rows = sql.exec<StoredRow & Record<string, SqlStorageValue>>(
    `SELECT at AS atMs, id, json_set(row, '$.hash', hash) AS row FROM admin_log
      WHERE (at, id) < (?, ?) AND at >= ? ${used.map(([clause]) => clause).join(" ")}
      ORDER BY at DESC, id DESC LIMIT ?`,
    fromAt,
    fromId,
    sinceMs,
    ...used.flatMap(([, values]) => values),
    limit + 1,
  );
  return { ...takePage(rows, limit), anchor: readAnchor(sql), head: readHead(sql) };
}

/** The hash of a row: SHA-256, hex, over the hash before it, a line feed and the row's canonical JSON. */
const link = (previous: string, row: string): string => sha256(new TextEncoder().encode(`${previous}\n${row}`)).toHex();

/** JSON with the members of every object in the order of their names. */
const canonicalJson = (value: object): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

function dropOld(sql: SqlStorage, { upToSeq, beforeMs }: { upToSeq: number; beforeMs: number }): void {
  const isOld = ({ seq, at }: { seq: number; at: number }): boolean => seq <= upToSeq || at < beforeMs;
  const oldestFirst = sql.exec<ChainLink & { at: number } & Record<string, SqlStorageValue>>(
    "SELECT seq, at, hash FROM admin_log ORDER BY seq",
  );
  let last: ChainLink | undefined;
  for (const row of oldestFirst) {
    if (!isOld(row)) break;
    last = row;
  }
  if (!last) return;
  sql.exec("DELETE FROM admin_anchor");
  sql.exec("INSERT INTO admin_anchor (seq, hash) VALUES (?, ?)", last.seq, last.hash);
  sql.exec("DELETE FROM admin_log WHERE seq <= ?", last.seq);
}

const readLink = (sql: SqlStorage, table: "admin_log" | "admin_anchor"): ChainLink | undefined =>
  sql
    .exec<ChainLink & Record<string, SqlStorageValue>>(`SELECT seq, hash FROM ${table} ORDER BY seq DESC LIMIT 1`)
    .toArray()[0];

const readAnchor = (sql: SqlStorage): ChainLink => readLink(sql, "admin_anchor") ?? GENESIS;

const readHead = (sql: SqlStorage): ChainLink => readLink(sql, "admin_log") ?? readAnchor(sql);

const readTime = (sql: SqlStorage, seq: number): number =>
  sql.exec<{ at: number }>("SELECT at FROM admin_log WHERE seq = ?", seq).toArray()[0]?.at ?? 0;
