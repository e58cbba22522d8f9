// The table of session notes in a key's object. A note goes when its session would have ended by itself.

import { LIMITS } from "../lib/limits.ts";
import type { SessionNote } from "./key-record.ts";

type Row = { seq: number; session_id: string; ended: number; level: string | null; expires_at: number };

const create = (sql: SqlStorage): SqlStorageCursor<Record<string, SqlStorageValue>> =>
  sql.exec(`CREATE TABLE IF NOT EXISTS notes (seq INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL UNIQUE,
    ended INTEGER NOT NULL, level TEXT, expires_at INTEGER NOT NULL) STRICT`);

/** Notes after `seen`, oldest first. A key whose clients note nothing has no table. */
export function readNotes(sql: SqlStorage, seen: number, nowMs: number): SessionNote[] {
  if (!exists(sql)) return [];
  const rows = sql.exec<Row>("SELECT * FROM notes WHERE seq > ? AND expires_at > ? ORDER BY seq", seen, nowMs);
  return rows.toArray().map(toNote);
}

/** Adds to what is known of a session: an end is never taken back, a level stays until there is another. */
export function writeNote(
  sql: SqlStorage,
  { sessionId, ended, level, expiresAtMs }: Omit<SessionNote, "seq">,
  nowMs: number,
): SessionNote | undefined {
  create(sql);
  sql.exec("DELETE FROM notes WHERE expires_at <= ?", nowMs);
  const { count } = sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM notes").one();
  const known = sql.exec<Row>("SELECT * FROM notes WHERE session_id = ?", sessionId).toArray()[0];
  if (count >= LIMITS.sessionNotes && !known) return undefined;
  const row = sql.exec<Row>(
    "INSERT OR REPLACE INTO notes (session_id, ended, level, expires_at) VALUES (?, ?, ?, ?) RETURNING *",
    sessionId,
    Math.max(Number(ended), known?.ended ?? 0),
    level ?? known?.level ?? null,
    expiresAtMs,
  );
  return toNote(row.one());
}

const exists = (sql: SqlStorage): boolean =>
  sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'notes'").toArray().length > 0;

const toNote = ({ seq, session_id, ended, level, expires_at }: Row): SessionNote => ({
  seq,
  sessionId: session_id,
  ended: ended === 1,
  ...(level !== null && { level }),
  expiresAtMs: expires_at,
});
