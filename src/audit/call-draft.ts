// A call's row while the call runs. On the answer's path this is one small object; what costs more waits for the batch.

import type { Env, WaitUntil } from "../env.ts";
import { isJsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { countBytes } from "../lib/utf8.ts";
import { UNKNOWN_CLIENT } from "../protocol/meta.ts";
import { parseTraceId } from "../telemetry/trace-context.ts";
import { argumentsModeOf, noteArguments, type ArgumentsMode } from "./arguments-note.ts";
import type { ArgumentsNote, CallDraft, CallRow, Transport } from "./call-row.ts";
import { redactText } from "./redaction.ts";

const NOTHING_REMOVED: Readonly<Record<string, number>> = Object.freeze({});

export interface CallStart {
  /** As the client named the tool. */
  name: unknown;
  args: unknown;
  /** The message's `_meta`. */
  meta: unknown;
  keyId: string;
  transport: Transport;
  /** The request's own, where it has headers. */
  traceparent: string | null;
}

/** The draft of a call that begins now. Arguments are serialized before a tool can change them. */
export function beginDraft(
  { name, args, meta, keyId, transport, traceparent }: CallStart,
  env: Env,
  waitUntil: WaitUntil,
): CallDraft {
  const text = JSON.stringify(args ?? {});
  const mode = argumentsModeOf(env);
  const isHeld = mode !== "off" && text.length <= LIMITS.auditHeldChars;
  const draft: CallDraft = {
    startedAtMs: Date.now(),
    endedAtMs: 0,
    ended: false,
    keyId,
    tool: shortName(name),
    known: false,
    version: 0,
    outcome: undefined,
    argumentsBytes: countBytes(text),
    argumentsText: isHeld ? text : undefined,
    described: undefined,
    describing: undefined,
    resultBytes: 0,
    client: UNKNOWN_CLIENT,
    revision: "unknown",
    transport,
    traceparent: findTraceparent(meta, traceparent),
    removed: NOTHING_REMOVED,
  };
  if (mode !== "off" && !isHeld) waitUntil((draft.describing = describe(draft, text, mode)));
  return draft;
}

/** What the row of a call says of its arguments. */
export function noteOf(
  { described, argumentsText }: CallDraft,
  mode: ArgumentsMode,
): ArgumentsNote | Promise<ArgumentsNote> {
  return described ?? (argumentsText === undefined ? {} : noteArguments(argumentsText, mode));
}

/** The row of a call that has ended. */
export function toRow(draft: CallDraft, note: ArgumentsNote): CallRow {
  const { keyId, known, version, outcome = "failed", argumentsBytes, resultBytes } = draft;
  const traceId =
    draft.span?.traceId ?? (draft.traceparent === undefined ? undefined : parseTraceId(draft.traceparent));
  return {
    key: keyId,
    tool: redactText(draft.tool),
    known,
    version,
    outcome,
    durationMs: draft.endedAtMs - draft.startedAtMs,
    argumentsBytes,
    resultBytes,
    ...note,
    client: { name: redactText(draft.client.name), version: redactText(draft.client.version) },
    revision: draft.revision,
    transport: draft.transport,
    ...(traceId !== undefined && { traceId }),
    ...(draft.replayed && { replayed: true }),
    removed: draft.removed,
  };
}

async function describe(draft: CallDraft, text: string, mode: ArgumentsMode): Promise<void> {
  draft.described = await noteArguments(text, mode);
}

/** Longer names are copied: a slice would keep all of what it was cut from in memory. */
function shortName(name: unknown): string {
  if (typeof name !== "string") return "";
  return name.length <= LIMITS.toolNameChars ? name : Array.from(name.slice(0, LIMITS.toolNameChars)).join("");
}

/** Whose trace it is. What the message says of itself comes before what its request says: a batch has one request for many. */
export function findTraceparent(meta: unknown, header: string | null): string | undefined {
  const own = isJsonObject(meta) ? meta["traceparent"] : undefined;
  const traceparent = typeof own === "string" ? own : header;
  return traceparent !== null && traceparent.length <= LIMITS.auditTraceparentChars ? traceparent : undefined;
}
