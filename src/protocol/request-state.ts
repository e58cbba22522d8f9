// `requestState`: what earlier rounds of a call were answered, sealed for the caller, the tool and its arguments, for a
// short time. MCP 2026-07-28, basic/patterns/mrtr, "Server Requirements".

import * as v from "valibot";
import type { JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomText } from "../lib/random.ts";
import { openText, sealText } from "../lib/sealed-text.ts";
import { sha256Hex, type SigningSecrets } from "../lib/signing.ts";
import { INVALID_PARAMS, ProtocolError } from "./protocol-error.ts";

const StateSchema = v.object({
  keyId: v.string(),
  call: v.string(),
  expiresAtMs: v.number(),
  // Entries, because a question may have any name, and an object can't.
  answers: v.array(v.tuple([v.string(), v.unknown()])),
});

/** Which call a state belongs to: one key calling one tool with the same arguments. */
export interface CallIdentity {
  keyId: string;
  toolName: string;
  args: JsonObject;
}

const digestOf = ({ toolName, args }: CallIdentity): Promise<string> => sha256Hex(JSON.stringify([toolName, args]));

/** Seals the answers so far. The nonce makes every round's state another. */
export async function sealRequestState(
  secrets: SigningSecrets,
  call: CallIdentity,
  answers: ReadonlyMap<string, unknown>,
  nowMs: number,
): Promise<string> {
  const expiresAtMs = nowMs + LIMITS.inputTimeoutMs;
  const identity = { keyId: call.keyId, call: await digestOf(call) };
  const state = { ...identity, expiresAtMs, answers: [...answers], nonce: randomText(8) };
  return sealText(secrets, "request-state", state);
}

/** The answers of earlier rounds. Throws −32602 for a state that is altered, over, or another call's. */
export async function openRequestState(
  secrets: SigningSecrets,
  call: CallIdentity,
  state: unknown,
  nowMs: number,
): Promise<ReadonlyMap<string, unknown>> {
  if (state === undefined) return new Map();
  const short = typeof state === "string" && state.length <= LIMITS.requestStateChars;
  const opened = v.safeParse(StateSchema, short ? await openText(secrets, "request-state", state) : undefined);
  if (!opened.success) throw invalid("requestState is not one that this server gave");
  const { keyId, call: digest, expiresAtMs, answers } = opened.output;
  if (keyId !== call.keyId || digest !== (await digestOf(call))) throw invalid("requestState belongs to another call");
  if (expiresAtMs <= nowMs) throw invalid("requestState is over: call the tool again without it");
  return new Map(answers);
}

const invalid = (reason: string): ProtocolError => new ProtocolError(INVALID_PARAMS, `Invalid params: ${reason}`);
