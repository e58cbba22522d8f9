// What is kept of one `tools/call`: as it is filled while the call runs, and as it is stored and shown.

import type { SpanContext } from "../telemetry/trace-context.ts";

/** What came of a call. Every call has exactly one of them. */
export const CALL_OUTCOMES = [
  "ok",
  /** The tool said that it failed: an `isError` result of its own. */
  "tool_error",
  "invalid_arguments",
  /** Not there, disabled, or hidden from the key. */
  "unknown_tool",
  "cancelled",
  "timeout",
  /** Failed in a way that the caller was told of by reference only. */
  "failed",
  "input_required",
  /** The tool needs what this client can't do. */
  "client_unable",
  "invalid_request",
  /** Its idempotency key was for another call, or for one whose answer can't be given (again). */
  "not_repeated",
  "limited",
  "forbidden",
  "unauthorized",
  "unavailable",
] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** Refusals that cost their caller nothing: only so many of them get a row. */
export const FREE_REFUSALS: ReadonlySet<CallOutcome> = new Set(["limited", "unauthorized", "unavailable"]);

export type Transport = "http-json" | "http-stream" | "websocket" | "sse";

/** A call's row as it is stored, besides its time and id. */
export interface CallRow {
  key: string;
  /** As the client wrote it, cut to size. */
  tool: string;
  /** Whether the catalogue had a tool of that name. */
  known: boolean;
  /** The catalogue's version that the call ran on, or that its refusal was given under; 0 when none was at hand. */
  version: number;
  outcome: CallOutcome;
  durationMs: number;
  argumentsBytes: number;
  /** Of the serialized result; 0 without one. */
  resultBytes: number;
  /** SHA-256 of the arguments' JSON, hex. */
  argumentsSha256?: string;
  /** The arguments' JSON, redacted and cut: only where an operator asked for it. */
  arguments?: string;
  client: { name: string; version: string };
  revision: string;
  transport: Transport;
  traceId?: string;
  /** The answer, and `outcome`, are those of an earlier call under the same idempotency key: nothing ran. */
  replayed?: true;
  /** What was removed from the result, by kind. */
  removed: Readonly<Record<string, number>>;
}

/** A call while it runs: plain, small, and free of anything that belongs to its request. */
export interface CallDraft {
  startedAtMs: number;
  endedAtMs: number;
  ended: boolean;
  keyId: string;
  tool: string;
  known: boolean;
  version: number;
  /** Set by whoever knows first. */
  outcome: CallOutcome | undefined;
  argumentsBytes: number;
  /** The arguments' JSON until it is hashed; absent when that is done or not wanted. */
  argumentsText: string | undefined;
  /** Set where the arguments were too long to be held. */
  described: ArgumentsNote | undefined;
  /** Settles when `described` is there. */
  describing: Promise<void> | undefined;
  resultBytes: number;
  client: { name: string; version: string };
  revision: string;
  transport: Transport;
  traceparent: string | undefined;
  /** Its place in a trace, where spans are exported. */
  span?: SpanContext;
  /** The JSON-RPC id, where it is a number and there is a span. */
  requestId?: number;
  /** The code of the JSON-RPC error that answered it. */
  errorCode?: number | undefined;
  replayed?: true;
  removed: Readonly<Record<string, number>>;
}

export type ArgumentsNote = Pick<CallRow, "argumentsSha256" | "arguments">;
