// What a row says of a call's arguments: their hash by default, their text only where an operator asked for it.

import { markCut } from "../lib/cut-text.ts";
import type { Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { sha256Hex } from "../lib/signing.ts";
import type { ArgumentsNote } from "./call-row.ts";
import { redactJson } from "./redaction.ts";

export type ArgumentsMode = "hash" | "clear" | "off";

/** `AUDIT_ARGUMENTS`; anything unknown is the default, which shows nothing. */
export const argumentsModeOf = ({ AUDIT_ARGUMENTS }: Pick<Env, "AUDIT_ARGUMENTS">): ArgumentsMode =>
  AUDIT_ARGUMENTS === "clear" || AUDIT_ARGUMENTS === "off" ? AUDIT_ARGUMENTS : "hash";

export async function noteArguments(text: string, mode: ArgumentsMode): Promise<ArgumentsNote> {
  if (mode === "off") return {};
  const argumentsSha256 = await sha256Hex(text);
  return mode === "hash"
    ? { argumentsSha256 }
    : { argumentsSha256, arguments: markCut(redactJson(text), LIMITS.auditArgumentsChars) };
}
