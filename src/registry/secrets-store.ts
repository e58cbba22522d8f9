// The registry's table of secrets, sealed as they came. Every function is one synchronous step over SQLite.

import { LIMITS } from "../lib/limits.ts";
import { readNumber, writeMeta } from "./meta-store.ts";
import type { SecretRow, SecretWritten } from "./registry-contract.ts";

export const migrateSecrets = (sql: SqlStorage): void => {
  sql.exec(`
    CREATE TABLE IF NOT EXISTS secrets (
      name TEXT PRIMARY KEY, version INTEGER NOT NULL, set_at INTEGER NOT NULL, sealed TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
  `);
};

/** Writes a secret under a version that no other write had, so that one set again is not taken for the old one. */
export function writeSecret(sql: SqlStorage, name: string, sealed: string, atMs: number): SecretWritten {
  const isNew = readSecrets(sql, [name]).length === 0;
  const { count } = sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM secrets").one();
  if (isNew && count >= LIMITS.secrets) return { v: 1, outcome: "full" };
  const version = readNumber(sql, "secrets_version") + 1;
  writeMeta(sql, "secrets_version", version);
  sql.exec(
    "INSERT OR REPLACE INTO secrets (name, version, set_at, sealed) VALUES (?, ?, ?, ?)",
    name,
    version,
    atMs,
    sealed,
  );
  return { v: 1, outcome: "written", version };
}

export const resealSecret = (sql: SqlStorage, name: string, version: number, sealed: string): boolean =>
  sql.exec("UPDATE secrets SET sealed = ? WHERE name = ? AND version = ?", sealed, name, version).rowsWritten > 0;

export const deleteSecret = (sql: SqlStorage, name: string): boolean =>
  sql.exec("DELETE FROM secrets WHERE name = ?", name).rowsWritten > 0;

export const readSecrets = (sql: SqlStorage, names?: string[]): SecretRow[] =>
  sql
    .exec<{ name: string; version: number; set_at: number; sealed: string }>(
      `SELECT name, version, set_at, sealed FROM secrets
       WHERE ?1 IS NULL OR name IN (SELECT value FROM json_each(?1)) ORDER BY name`,
      names ? JSON.stringify(names) : null,
    )
    .toArray()
    .map(({ name, version, set_at, sealed }) => ({ name, version, setAtMs: set_at, sealed }));
