// Single values of the registry: its catalogue version and what else there is one of.

export function migrateMeta(sql: SqlStorage): void {
  sql.exec("CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID");
}

export const readVersion = (sql: SqlStorage): number => readNumber(sql, "version");

export const readMeta = (sql: SqlStorage, name: string): unknown =>
  sql.exec<{ value: number | string }>("SELECT value FROM meta WHERE name = ?", name).toArray()[0]?.value;

export const readNumber = (sql: SqlStorage, name: string): number => Number(readMeta(sql, name) ?? 0);

export const writeMeta = (sql: SqlStorage, name: string, value: number | string): void => {
  sql.exec("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", name, value);
};
