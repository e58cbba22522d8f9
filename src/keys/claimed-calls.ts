// The table of calls that are to run once, in a key's object. What is running stays; of what is over, the oldest goes
// first: its answer beyond a number of bytes, the row beyond a number of rows. A key whose clients claim nothing has none.

import { hasClaims } from "./claim-ages.ts";
import type { CallOutcome } from "../audit/call-row.ts";
import { LIMITS } from "../lib/limits.ts";
import { countBytes } from "../lib/utf8.ts";
import type { ClaimAnswer, ClaimRequest, RenewRequest, SettleRequest } from "./claim-contract.ts";

type Row = {
  seq: number;
  call_hash: string;
  claim: string;
  state: "running" | "done" | "lost";
  claimed_at: number;
  ends_at: number;
  outcome: CallOutcome | null;
  result: string | null;
};

/** The bounds that depend on one another's sums; tests give smaller ones. */
export type ClaimBounds = Record<"claimedCalls" | "openClaims" | "keptResultsBytes", number>;

/** `tape` is where an answer begins, had all been written one after the other: how much is kept shows without a sum. */
const create = (sql: SqlStorage): SqlStorageCursor<Record<string, SqlStorageValue>> =>
  sql.exec(`CREATE TABLE claims (seq INTEGER PRIMARY KEY, key_hash TEXT NOT NULL UNIQUE, call_hash TEXT NOT NULL,
      claim TEXT NOT NULL, state TEXT NOT NULL, claimed_at INTEGER NOT NULL, ends_at INTEGER NOT NULL, outcome TEXT,
      tape INTEGER, bytes INTEGER, result TEXT) STRICT;
    CREATE INDEX claims_running ON claims (ends_at) WHERE state = 'running';
    CREATE INDEX claims_kept ON claims (tape) WHERE result IS NOT NULL;`);

/** Claims a call, or says what there is under its key. */
export function claimCall(
  sql: SqlStorage,
  request: ClaimRequest,
  nowMs: number,
  bounds: ClaimBounds = LIMITS,
): ClaimAnswer {
  const { keyHash, callHash, claim, lifeMs } = request;
  if (!hasClaims(sql)) create(sql);
  sql.exec("UPDATE claims SET state = 'lost' WHERE state = 'running' AND ends_at <= ?", nowMs);
  const known = find(sql, keyHash);
  if (known && known.claimed_at > nowMs - LIMITS.claimLifeMs) return answerRepeat(known, request, nowMs);
  const { open } = sql.exec<{ open: number }>("SELECT COUNT(*) AS open FROM claims WHERE state = 'running'").one();
  if (open >= bounds.openClaims) return { v: 1, status: "full" };
  if (known) sql.exec("DELETE FROM claims WHERE seq = ?", known.seq);
  const { seq } = sql
    .exec<{ seq: number }>(
      `INSERT INTO claims (key_hash, call_hash, claim, state, claimed_at, ends_at) VALUES (?, ?, ?, 'running', ?, ?)
        RETURNING seq`,
      keyHash,
      callHash,
      claim,
      nowMs,
      nowMs + lifeMs,
    )
    .one();
  sql.exec("DELETE FROM claims WHERE seq <= ? AND state <> 'running'", seq - bounds.claimedCalls);
  return { v: 1, status: "claimed" };
}

/** Gives a call that runs more time. */
export function renewClaim(sql: SqlStorage, { keyHash, claim, lifeMs }: RenewRequest, nowMs: number): void {
  if (!hasClaims(sql)) return;
  sql.exec(
    "UPDATE claims SET ends_at = MAX(ends_at, ?) WHERE key_hash = ? AND claim = ? AND state = 'running'",
    nowMs + lifeMs,
    keyHash,
    claim,
  );
}

/** Ends a claim, once. What was given up for lost may still come back. */
export function settleCall(
  sql: SqlStorage,
  { keyHash, claim, end }: SettleRequest,
  bounds: Pick<ClaimBounds, "keptResultsBytes"> = LIMITS,
): void {
  const row = hasClaims(sql) ? find(sql, keyHash) : undefined;
  if (row?.claim !== claim || row.state === "done") return;
  if (end.kind === "released") sql.exec("DELETE FROM claims WHERE seq = ?", row.seq);
  else if (end.kind === "lost") sql.exec("UPDATE claims SET state = 'lost' WHERE seq = ?", row.seq);
  else {
    sql.exec("UPDATE claims SET state = 'done', outcome = ? WHERE seq = ?", end.outcome, row.seq);
    if (end.result !== undefined) keepResult(sql, row.seq, end.result, bounds.keptResultsBytes);
  }
}

function answerRepeat(row: Row, { callHash, claim }: ClaimRequest, nowMs: number): ClaimAnswer {
  if (row.call_hash !== callHash) return { v: 1, status: "mismatch" };
  if (row.state === "done") {
    const { outcome, result } = row;
    return { v: 1, status: "done", outcome: outcome ?? "ok", ...(result !== null && { result }) };
  }
  if (row.state === "lost") return { v: 1, status: "unknown" };
  if (row.claim === claim) return { v: 1, status: "claimed" };
  // As long again as it has taken so far.
  const patienceMs = Math.min(nowMs - row.claimed_at, row.ends_at - nowMs, LIMITS.repeatRetryMaxMs);
  return { v: 1, status: "running", retryAfterMs: Math.max(patienceMs, LIMITS.repeatRetryMs) };
}

function keepResult(sql: SqlStorage, seq: number, result: string, keptResultsBytes: number): void {
  const [last] = sql
    .exec<{ end: number }>("SELECT tape + bytes AS end FROM claims WHERE result IS NOT NULL ORDER BY tape DESC LIMIT 1")
    .toArray();
  const tape = last?.end ?? 0;
  const bytes = countBytes(result);
  sql.exec("UPDATE claims SET tape = ?, bytes = ?, result = ? WHERE seq = ?", tape, bytes, result, seq);
  const floor = tape + bytes - keptResultsBytes;
  sql.exec("UPDATE claims SET result = NULL WHERE result IS NOT NULL AND tape < ?", floor);
}

const find = (sql: SqlStorage, keyHash: string): Row | undefined =>
  sql.exec<Row>("SELECT * FROM claims WHERE key_hash = ?", keyHash).toArray()[0];
