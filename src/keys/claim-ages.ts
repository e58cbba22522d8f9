// When the rows of claimed calls are past their age, apart from all else that is done with them: most keys have none.

import { LIMITS } from "../lib/limits.ts";

/** Takes away the oldest rows that are past their age, within a bound. */
export function pruneClaims(sql: SqlStorage, nowMs: number): void {
  if (!hasClaims(sql)) return;
  sql.exec(
    "DELETE FROM claims WHERE seq IN (SELECT seq FROM claims ORDER BY seq LIMIT ?) AND claimed_at <= ?",
    LIMITS.claimPruneRows,
    nowMs - LIMITS.claimLifeMs,
  );
}

/** When there is something to prune: never sooner than a row's age, and seldom. `undefined` where there are no rows. */
export function nextPruneMs(sql: SqlStorage): number | undefined {
  if (!hasClaims(sql)) return undefined;
  const [oldest] = sql.exec<{ claimed_at: number }>("SELECT claimed_at FROM claims ORDER BY seq LIMIT 1").toArray();
  if (!oldest) return undefined;
  return Math.ceil((oldest.claimed_at + LIMITS.claimLifeMs) / LIMITS.claimPruneMs) * LIMITS.claimPruneMs;
}

/** Whether a call was ever claimed here: only then there is a table. */
export const hasClaims = (sql: SqlStorage): boolean =>
  sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'claims'").toArray().length > 0;
