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

export function noteArguments(text: string, mode: ArgumentsMode): Promise<ArgumentsNote> {
  if (mode === "off") return Promise.resolve({});
  const hashed = sha256Hex(text);
  if (mode === "hash") return hashed.then((argumentsSha256) => ({ argumentsSha256 }));
  const shown = markCut(redactJson(text), LIMITS.auditArgumentsChars);
  return hashed.then((argumentsSha256) => ({ argumentsSha256, arguments: shown }));
}
