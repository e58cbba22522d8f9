// What is told of requests as spans and measurements, where an operator configured a collector: nothing at all otherwise,
// and in any case after the answer. A part of the Worker that may be left out.

import { findTraceparent } from "../audit/call-draft.ts";
import { flushMsOf } from "../audit/audit-recorder.ts";
import type { CallDraft, CallOutcome } from "../audit/call-row.ts";
import { INTERNAL_ERROR, ProtocolError } from "../protocol/protocol-error.ts";
import { CatalogueUnavailable } from "../registry/snapshot-cache.ts";
import type { Operation } from "../telemetry/operation.ts";
import type { OtlpExporter } from "../telemetry/otlp-exporter.ts";
import { isOtlpOn, sampleShareOf } from "../telemetry/otlp-settings.ts";
import { openSpan } from "../telemetry/trace-context.ts";
import { CallCancelled } from "../tools/run-tool.ts";
import type { Background, Observer, Served } from "./observer.ts";

export const createObserver = (exporter: OtlpExporter): Observer => {
  const tell = (operation: Operation, { env, waitUntil }: Background): void =>
    exporter.record(operation, flushMsOf(env), env, waitUntil);
  return {
    openCall: (call, id, env) => {
      if (!isOtlpOn(env)) return;
      call.span = openSpan(call.traceparent, sampleShareOf(env));
      // A text may be anything.
      if (typeof id === "number") call.requestId = id;
    },
    noteError: (call, error) => {
      if (call.span) call.errorCode = errorCodeOf(error);
    },
    tellCall: (call, background) => {
      const operation = operationOf(call);
      if (operation) tell(operation, background);
    },
    tellRequest: (served, error) => {
      if (isOtlpOn(served.scope.env)) tell(describeRequest(served, error), served.scope);
    },
  };
};

function operationOf(call: CallDraft): Operation | undefined {
  const { span, outcome = "failed", requestId, errorCode, tool, keyId, startedAtMs, endedAtMs, revision } = call;
  if (!span) return undefined;
  const code = errorCode ?? REFUSALS.get(outcome);
  return {
    span,
    startedAtMs,
    endedAtMs,
    method: "tools/call",
    ...(call.known && { tool }),
    revision,
    transport: call.transport === "websocket" ? "websocket" : "http",
    outcome,
    keyId,
    ...(code !== undefined && { errorCode: code }),
    ...(code === undefined && TOOL_ERRORS.has(outcome) && { isToolError: true }),
    ...(requestId !== undefined && { requestId }),
  };
}

function describeRequest({ request, startedAtMs, isKnown, scope }: Served, error: unknown): Operation {
  const { env, revision, facts, headers, isSocket } = scope;
  const traceparent = findTraceparent(request.params["_meta"], headers?.get("traceparent") ?? null);
  const code = error === undefined ? undefined : errorCodeOf(error);
  return {
    span: openSpan(traceparent, sampleShareOf(env)),
    startedAtMs,
    endedAtMs: Date.now(),
    method: isKnown ? request.method : undefined,
    revision: revision.name,
    transport: isSocket ? "websocket" : "http",
    keyId: facts.keyId,
    ...(code !== undefined && { errorCode: code }),
    ...(typeof request.id === "number" && { requestId: request.id }),
  };
}

/** The code that an error is answered with; `undefined` for a cancellation, which has no answer. */
function errorCodeOf(error: unknown): number | undefined {
  if (error instanceof CallCancelled) return undefined;
  if (error instanceof CatalogueUnavailable) return UNAVAILABLE;
  return error instanceof ProtocolError ? error.code : INTERNAL_ERROR;
}

const UNAVAILABLE = 503;

/** Outcomes of calls that were refused before there was an error to look at. */
const REFUSALS: ReadonlyMap<CallOutcome, number> = new Map([
  ["unauthorized", 401],
  ["limited", 429],
  ["unavailable", UNAVAILABLE],
]);

/** Outcomes whose answer is a result that says `isError`. */
const TOOL_ERRORS: ReadonlySet<CallOutcome> = new Set([
  "tool_error",
  "invalid_arguments",
  "unknown_tool",
  "timeout",
  "failed",
]);
