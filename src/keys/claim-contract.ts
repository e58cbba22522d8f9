// What the edge and a key's object tell each other of calls that are to run once.

import type { CallOutcome } from "../audit/call-row.ts";

export interface ClaimRequest {
  v: 1;
  /** SHA-256 of the client's idempotency key, hex. */
  keyHash: string;
  /** SHA-256 of the tool's name and the arguments in canonical form, hex. */
  callHash: string;
  /** Names the claim: who asks again under that name, not having heard the answer, is given it again. */
  claim: string;
  /** How long the call may take: when it has not ended by then, nobody knows what came of it. */
  lifeMs: number;
}

export type ClaimAnswer = { v: 1 } & (
  | { status: "claimed" }
  /** The call ran before; `result` is its result's JSON, unless that is not kept. */
  | { status: "done"; outcome: CallOutcome; result?: string }
  | { status: "running"; retryAfterMs: number }
  /** It may or may not have run. */
  | { status: "unknown" }
  /** The key was for another call. */
  | { status: "mismatch" }
  /** As many of the API key's claimed calls run as may. */
  | { status: "full" }
);

/** The call goes on, and may take this long from now. */
export type RenewRequest = Pick<ClaimRequest, "v" | "keyHash" | "claim" | "lifeMs">;

export interface SettleRequest {
  v: 1;
  keyHash: string;
  claim: string;
  end: ClaimEnd;
}

/** What came of a claimed call. `released` is one of which nothing ran that counts. */
export type ClaimEnd =
  | { kind: "done"; outcome: CallOutcome; result?: string }
  | { kind: "released" }
  | { kind: "lost" };
