import type * as v from "valibot";

// What takes few values may tell which it was given; a text or number in the place of another thing may be a secret.
const OPEN_TYPES = ["string", "number", "boolean", "array", "record", "strict_object"];

/** What valibot says of a value, which it quotes: of a wrong type, with the type in place of the value. */
export function issueMessage({ kind, type, expected, received, input, message }: v.BaseIssue<unknown>): string {
  const isWrongType = kind === "schema" && (OPEN_TYPES.includes(type) ? expected !== "never" : expected === "Object");
  if (!isWrongType || (typeof input !== "string" && typeof input !== "number")) return message;
  return message.replace(`received ${received}`, () => `received a ${typeof input}`);
}

/** The same for the log, which is to have nothing of what callers send and are given: with the type in place of the value. */
export const withoutReceived = (message: string): string =>
  message.replace(/(?<=received )(?:(")[^]*|-?\d[^]*)$/, (_, quote) => (quote === undefined ? "a number" : "a string"));
