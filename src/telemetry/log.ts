// One JSON line an event, with everything escaped that people don't see or terminals obey: no value can forge a line, hide
// in one or turn it around.

import { markCut } from "../lib/cut-text.ts";

const VALUE_CHARS = 256;
const STACK_CHARS = 2_000;

type Level = "info" | "warn" | "error";
type Fields = Record<string, string | number | boolean | undefined>;

/** Writes `{"level", "event", …fields}` to the Worker's log; texts are cut at 256 characters, stacks at 2,000. */
export function logEvent(level: Level, event: string, fields: Fields = {}): void {
  const line = JSON.stringify({ level, event, ...fields }, (name, value: unknown) =>
    typeof value === "string" ? markCut(value, name === "stack" ? STACK_CHARS : VALUE_CHARS) : value,
  );
  const safe = line.replace(UNSEEN, escape);
  if (level === "error") console.error(safe);
  else if (level === "warn") console.warn(safe);
  else console.log(safe);
}

/** Logs an unexpected error with the reference that its caller was given. */
export function logFailure(event: string, ref: string, error: unknown, fields: Fields = {}): void {
  logEvent("error", event, { ref, ...fields, ...describe(error) });
}

/** What is thrown may be anything, and looking at it may throw again. */
function describe(error: unknown): { error: string; stack?: string } {
  try {
    if (!(error instanceof Error)) return { error: String(error) };
    return { error: `${error.name}: ${error.message}`, stack: String(error.stack) };
  } catch {
    return { error: "something that can't be shown" };
  }
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Each UTF-16 unit, as JSON has it. */
const escape = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
