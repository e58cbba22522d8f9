// One request in, one JSON-RPC message out, whatever happens on the way.

import type { Entrance } from "../keys/key-cache.ts";
import { globOf, type AccountState, type KeyFacts } from "../keys/key-record.ts";
import { isOutOfReach } from "../lib/out-of-reach.ts";
import { randomText } from "../lib/random.ts";
import { encodeError, encodeResult, type Request } from "../protocol/json-rpc.ts";
import { INTERNAL_ERROR, METHOD_NOT_FOUND, ProtocolError } from "../protocol/protocol-error.ts";
import { CatalogueUnavailable } from "../registry/snapshot-cache.ts";
import { CallCancelled } from "../tools/run-tool.ts";
import { logFailure } from "../telemetry/log.ts";
import { endCall, failCall } from "./call-audit.ts";
import { findMethod } from "./methods.ts";
import type { RequestScope } from "./scope.ts";
import { countOf } from "../lib/count-of.ts";

export interface Answer {
  /** Bytes are UTF-8. */
  body: string | Uint8Array<ArrayBuffer>;
  httpStatus: number;
  /** Whole seconds, where the answer is that it is too early. */
  retryAfterSeconds?: number;
}

/** Throws 403 for a key that was minted for the admin API alone. */
export function checkMcpScope({ scopes }: KeyFacts): void {
  if (!scopes.includes("mcp")) throw new ProtocolError(403, "Forbidden: this key lacks the scope mcp", 403);
}

const decoder = new TextDecoder();

/** A body for who needs it as text. */
export const textOf = (body: Answer["body"]): string => (typeof body === "string" ? body : decoder.decode(body));

/** Runs an admitted request. Never rejects; `undefined` when the client cancelled it, who then wants no answer. */
export async function answerRequest(request: Request, scope: RequestScope): Promise<Answer | undefined> {
  const method = findMethod(scope.revision.era, request.method);
  const served = scope.call ? undefined : { request, scope, startedAtMs: Date.now(), isKnown: method !== undefined };
  try {
    if (!method) throw methodNotFound(request.method, scope);
    const result = await method(request.params, scope);
    if (served) scope.isolate.observer?.tellRequest(served);
    if (typeof result !== "string") return { body: result.encode(request.id), httpStatus: 200 };
    endCall(scope.call, "ok", scope, result);
    return { body: encodeResult(request.id, result), httpStatus: 200 };
  } catch (error) {
    failCall(scope.call, error, scope);
    if (served) scope.isolate.observer?.tellRequest(served, error);
    return error instanceof CallCancelled ? undefined : answerError(request.id, error);
  }
}

/** Any error as the answer to a request; what is not the client's doing is told by reference only. */
export function answerError(id: Request["id"] | null, error: unknown): Answer {
  if (error instanceof ProtocolError) return encodeProtocolError(id, error);
  if (error instanceof CatalogueUnavailable) return unavailable(id, error.message);
  const ref = randomText(12);
  logFailure("request_failed", ref, error);
  if (isOutOfReach(error)) return unavailable(id, "a part of the server that this needs can't be reached right now");
  return answerError(id, new ProtocolError(INTERNAL_ERROR, `Internal error (ref ${ref})`, 500));
}

/** `data.retryAfterSeconds` is told as a header too, where there are headers. */
function encodeProtocolError(id: Request["id"] | null, error: ProtocolError): Answer {
  const retryAfterSeconds = error.data?.["retryAfterSeconds"];
  const retry = typeof retryAfterSeconds === "number" ? { retryAfterSeconds } : {};
  return { body: encodeError(id, error), httpStatus: error.httpStatus, ...retry };
}

/** The answer to a request that was not admitted, other than a refused key. */
export function answerNotAdmitted(
  id: Request["id"] | null,
  entrance: Exclude<Entrance, { status: "admitted" | "refused" }>,
): Answer {
  if (entrance.status === "unavailable") return unavailable(id, "the API key can't be checked right now");
  const { account, retryAfterMs } = entrance.denial;
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const data = { retryAfterSeconds, limit: { ...account.limit }, ...scopeOf(account.name) };
  const message = `Rate limit exceeded: this key may ${describeLimit(account)}. Retry in ${retryAfterSeconds} s`;
  return encodeProtocolError(id, new ProtocolError(429, message, 429, data));
}

function describeLimit({ name, limit }: AccountState): string {
  if ("perDay" in limit) return `make calls for ${limit.perDay} a day, which begins at 00:00 UTC`;
  if ("concurrent" in limit) return `run ${countOf(limit.concurrent, "call")} at the same time`;
  const glob = globOf(name);
  const what = glob === undefined ? "of these requests" : `calls of ${glob}`;
  return `make ${limit.perMinute} ${what} a minute, ${limit.burst} at once`;
}

/** Whose limit it is: the key's own, or that of a part of what it does. */
function scopeOf(account: string): { scope: string; tools?: string } {
  const tools = globOf(account);
  if (tools !== undefined) return { scope: "tool", tools };
  return { scope: account === "calls" ? "key" : account };
}

const UNAVAILABLE_RETRY_SECONDS = 2;

const unavailable = (id: Request["id"] | null, reason: string): Answer =>
  encodeProtocolError(
    id,
    new ProtocolError(503, `Temporarily unavailable: ${reason}`, 503, { retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS }),
  );

/** 404 in the modern era (2026-07-28, streamable-http, "Protocol Version Header"); a plain error before. */
const methodNotFound = (method: string, { revision }: RequestScope): ProtocolError =>
  new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`, revision.era === "modern" ? 404 : 200);
