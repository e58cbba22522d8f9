// Every `tools/call` has one row, whatever becomes of it: begun when its message was read, ended once, by whoever ends it.

import type { Env, WaitUntil } from "../env.ts";
import type { CallDraft, CallOutcome, Transport } from "../audit/call-row.ts";
import { beginDraft } from "../audit/call-draft.ts";
import { countBytes } from "../lib/utf8.ts";
import type { Request } from "../protocol/json-rpc.ts";
import type { ClientInfo } from "../protocol/meta.ts";
import { INTERNAL_ERROR, MISSING_CLIENT_CAPABILITY, ProtocolError } from "../protocol/protocol-error.ts";
import type { Revision } from "../protocol/revisions.ts";
import { CatalogueUnavailable } from "../registry/snapshot-cache.ts";
import { CallCancelled } from "../tools/run-tool.ts";
import { CALL_TOOL, isReservedName } from "../tools/reserved-names.ts";
import { targetOf } from "./discovery-tools.ts";
import type { Isolate } from "./scope.ts";

/** What a call's row needs besides the call. */
export interface AuditScope {
  isolate: Isolate;
  env: Env;
  waitUntil: WaitUntil;
}

export interface CallOrigin {
  keyId: string;
  transport: Transport;
  headers: Headers | undefined;
}

/**
 * Runs what answers a request. A call gets a draft, which `answer` hands on to `answerRequest`; what is thrown before
 * that ends it here.
 */
export function auditRequest<T>(
  { id, method, params }: Request,
  { keyId, transport, headers }: CallOrigin,
  { env, waitUntil, isolate }: AuditScope,
  answer: (call: CallDraft | undefined) => Promise<T>,
): Promise<T> {
  if (method !== "tools/call") return answer(undefined);
  const traceparent = headers?.get("traceparent") ?? null;
  // Whose key it is will be known later: where it has no such tool, `callTool` says what was called.
  const isTaken = isolate.snapshot.held?.byName.has(CALL_TOOL) ?? false;
  const { name, args } = isTaken ? { name: params["name"], args: params["arguments"] } : targetOf(params);
  const call = beginDraft({ name, args, meta: params["_meta"], keyId, transport, traceparent }, env, waitUntil);
  isolate.observer?.openCall(call, id, env);
  return answer(call).catch((error: unknown) => {
    failCall(call, error, { isolate, env, waitUntil });
    throw error;
  });
}

/** Notes who calls, once that is known. */
export function noteClient(call: CallDraft | undefined, lane: { revision: Revision; client: ClientInfo }): void {
  if (!call) return;
  call.revision = lane.revision.name;
  call.client = lane.client;
}

/** Ends a call's row, unless something has; an outcome that was noted before counts. `result` is its serialized result. */
export function endCall(
  call: CallDraft | undefined,
  outcome: CallOutcome,
  { isolate, env, waitUntil }: AuditScope,
  result?: string,
): void {
  if (!call || call.ended) return;
  call.ended = true;
  call.endedAtMs = Date.now();
  call.outcome ??= outcome;
  if (result !== undefined) call.resultBytes = countBytes(result);
  const { held } = isolate.snapshot;
  if (call.version === 0) {
    call.version = held?.version ?? 0;
    call.known = isReservedName(call.tool) || (held?.byName.has(call.tool) ?? false);
  }
  isolate.audit.record(call, env, waitUntil);
  isolate.observer?.tellCall(call, { env, waitUntil });
}

/** The same for a call that was answered with an error. */
export function failCall(call: CallDraft | undefined, error: unknown, scope: AuditScope): void {
  if (call) scope.isolate.observer?.noteError(call, error);
  endCall(call, outcomeOf(error), scope);
}

const OUTCOMES: ReadonlyMap<number, CallOutcome> = new Map([
  [MISSING_CLIENT_CAPABILITY, "client_unable"],
  [401, "unauthorized"],
  [403, "forbidden"],
  [409, "not_repeated"],
  [422, "not_repeated"],
  [429, "limited"],
  [503, "unavailable"],
]);

/** What an error makes of a call. */
export function outcomeOf(error: unknown): CallOutcome {
  if (error instanceof CallCancelled) return "cancelled";
  if (error instanceof CatalogueUnavailable) return "unavailable";
  if (!(error instanceof ProtocolError) || error.code === INTERNAL_ERROR) return "failed";
  return OUTCOMES.get(error.code) ?? "invalid_request";
}
