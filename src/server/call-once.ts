// A call under an idempotency key runs once: it is claimed at the API key's object before its tool runs, and what came of
// it is stored there before the answer goes out. What is lost in between is never run again.

import { apiKeyStub, type ApiKeyStub } from "../env.ts";
import type { ClaimAnswer, ClaimEnd } from "../keys/claim-contract.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { withDeadline } from "../lib/deadline.ts";
import type { JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { askAgain, isOverloaded } from "../lib/out-of-reach.ts";
import { randomText } from "../lib/random.ts";
import { sha256Hex } from "../lib/signing.ts";
import { isLongerThan } from "../lib/utf8.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import { logFailure } from "../telemetry/log.ts";
import type { ToolResult } from "../tools/content.ts";
import { CallCancelled, CallInterrupt, type CallScope, type RunEnd } from "../tools/run-tool.ts";
import type { RequestScope } from "./scope.ts";

/** A call and the client's name for it. */
export interface OnceCall {
  key: string;
  toolName: string;
  args: JsonObject;
  timeoutMs: number;
}

/** What came of a run, and its serialized answer. */
export interface Told extends RunEnd {
  body: string;
}

export interface Watch extends Pick<CallScope, "onCancelled"> {
  /** Told whenever the call begins to wait for its client's user, for whom its deadline stands still. */
  onWaiting: () => void;
}

/**
 * Runs a call unless one was under its key before, whose result `replay` answers then. Throws `ProtocolError`: 409 while
 * that one runs, or when its answer is not to be had; 422 when it was another call; 429 or 503 when nothing can be claimed.
 */
export function callOnce(
  call: OnceCall,
  scope: RequestScope,
  run: (watch: Watch) => Promise<Told>,
  replay: (end: RunEnd) => string,
): Promise<string> {
  const answered = claimAndRun(call, scope, run, replay);
  // A client that hangs up must not take the end of its call with it.
  scope.waitUntil(answered.then(ignore, ignore));
  return answered;
}

async function claimAndRun(
  call: OnceCall,
  scope: RequestScope,
  run: (watch: Watch) => Promise<Told>,
  replay: (end: RunEnd) => string,
): Promise<string> {
  const claim = new CallClaim(scope, await sha256Hex(call.key));
  const answer = await claim.open(await sha256Hex(canonicalJson([call.toolName, call.args])), call.timeoutMs);
  if (answer.status !== "claimed") return replay(endOfEarlier(answer));
  let late: Promise<RunEnd> | undefined;
  const onCancelled = (end: Promise<RunEnd>): void => {
    late = end;
    // The call may end by something else that happened at the same moment.
    end.catch(ignore);
  };
  try {
    const told = await run({ onCancelled, onWaiting: () => scope.waitUntil(claim.renew(call.timeoutMs)) });
    await claim.settle(told.outcome === "invalid_arguments" ? { kind: "released" } : doneWith(told));
    return told.body;
  } catch (error) {
    if (error instanceof CallCancelled && late) scope.waitUntil(settleLate(claim, late, call.timeoutMs));
    else await claim.settle(endOfFailure(error));
    throw error;
  }
}

/** One claim, and what is said of it to the API key's object. Each thing may be said again, and then changes nothing. */
class CallClaim {
  readonly #scope: RequestScope;
  readonly #keyHash: string;
  readonly #claim = randomText(16);

  constructor(scope: RequestScope, keyHash: string) {
    this.#scope = scope;
    this.#keyHash = keyHash;
  }

  /** Throws 503 when the object can't be asked: what it may have claimed nevertheless is let go in the background. */
  async open(callHash: string, timeoutMs: number): Promise<ClaimAnswer> {
    const lifeMs = lifeOf(timeoutMs);
    const request = { v: 1, keyHash: this.#keyHash, callHash, claim: this.#claim, lifeMs } as const;
    try {
      return await this.#ask("claim", (stub) => stub.claimCall(request));
    } catch (error) {
      logFailure("claim_failed", this.#scope.facts.keyId, error);
      this.#scope.waitUntil(this.settle({ kind: "released" }));
      const message = "Temporarily unavailable: the idempotency key can't be looked up right now; nothing ran";
      throw new ProtocolError(503, message, 503, { retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS });
    }
  }

  /** Never rejects: a call that is taken for lost may still come back. */
  async renew(timeoutMs: number): Promise<void> {
    const lifeMs = LIMITS.inputTimeoutMs + lifeOf(timeoutMs);
    const request = { v: 1, keyHash: this.#keyHash, claim: this.#claim, lifeMs } as const;
    try {
      await this.#ask("renewal", (stub) => stub.renewClaim(request));
    } catch (error) {
      logFailure("renew_failed", this.#scope.facts.keyId, error);
    }
  }

  /** Never rejects: what can't be stored is lost to a repeat, not to who waits for the answer now. */
  async settle(end: ClaimEnd): Promise<void> {
    const request = { v: 1, keyHash: this.#keyHash, claim: this.#claim, end } as const;
    try {
      await this.#ask("settlement", (stub) => stub.settleCall(request));
    } catch (error) {
      logFailure("settle_failed", this.#scope.facts.keyId, error, { end: end.kind });
    }
  }

  #ask<T>(what: string, step: (stub: ApiKeyStub) => Promise<T>): Promise<T> {
    const { env, facts } = this.#scope;
    const ask = (): Promise<T> => withDeadline(step(apiKeyStub(env, facts.keyId)), LIMITS.claimTimeoutMs, what);
    return askAgain(ask, (error) => !isOverloaded(error));
  }
}

/** Of a call that waits for nobody. */
const lifeOf = (timeoutMs: number): number => Math.min(timeoutMs, LIMITS.toolTimeoutMaxMs) + LIMITS.claimMarginMs;

/** The end of the call that had the key before. Throws where there is none to be had. */
function endOfEarlier(answer: Exclude<ClaimAnswer, { status: "claimed" }>): RunEnd {
  switch (answer.status) {
    case "done": {
      const { result, outcome } = answer;
      if (result === undefined)
        throw notRepeated("completed", "The first call ran to its end, but its answer is not kept");
      return { result: JSON.parse(result) as ToolResult, outcome: outcome as RunEnd["outcome"] };
    }
    case "running": {
      const retryAfterSeconds = Math.ceil(answer.retryAfterMs / 1000);
      const message = `The first call under this idempotency key is still running. Retry in ${retryAfterSeconds} s`;
      throw new ProtocolError(409, message, 409, { idempotency: "running", retryAfterSeconds });
    }
    case "unknown":
      throw notRepeated("unknown", "It is not known whether the first call ran to its end: find out");
    case "mismatch": {
      const message = "This idempotency key was given to another tool or other arguments: take a new one for each call";
      throw new ProtocolError(422, message, 422, { idempotency: "mismatch" });
    }
    case "full": {
      const message = `Too many calls under idempotency keys: at most ${LIMITS.openClaims} of an API key may run at once`;
      throw new ProtocolError(429, message, 429, { retryAfterSeconds: LIMITS.repeatRetryMs / 1000 });
    }
  }
}

const notRepeated = (idempotency: string, why: string): ProtocolError =>
  new ProtocolError(409, `${why}. A call is not run again under the same idempotency key`, 409, { idempotency });

/** A call that ended without a result asked its client or was refused before its tool ran; else nobody knows. */
const endOfFailure = (error: unknown): ClaimEnd =>
  error instanceof CallInterrupt || error instanceof ProtocolError ? { kind: "released" } : { kind: "lost" };

async function settleLate(claim: CallClaim, late: Promise<RunEnd>, timeoutMs: number): Promise<void> {
  await claim.settle(await withDeadline(late, timeoutMs, "a cancelled call").then(doneWith, endOfFailure));
}

function doneWith({ result, outcome }: RunEnd): ClaimEnd {
  const text = keptText(result);
  return { kind: "done", outcome, ...(text !== undefined && { result: text }) };
}

function keptText(result: ToolResult): string | undefined {
  const text = JSON.stringify(result);
  return isLongerThan(text, LIMITS.keptResultBytes) ? undefined : text;
}

const UNAVAILABLE_RETRY_SECONDS = 2;
const ignore = (): void => undefined;
