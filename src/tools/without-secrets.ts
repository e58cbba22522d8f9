import type { Redactor } from "../sanitize/secrets.ts";
import { ToolError } from "./tool-error.ts";

/** The same failure, to be told or logged without what a call knows of secrets: itself where it says nothing of them. */
export function withoutSecrets(error: unknown, redactor: Redactor): Error {
  try {
    return redactError(error, redactor);
  } catch {
    // What is thrown may be anything, and looking at it may throw again.
    return new Error("something that can't be shown");
  }
}

function redactError(error: unknown, { text }: Redactor): Error {
  const known = error instanceof Error ? error : new Error(String(error));
  const { message } = known;
  if (known instanceof ToolError) return text(message) === message ? known : new ToolError(text(message));
  const [said, stack] = [`${known.name}: ${message}`, known.stack ?? ""];
  if (text(said) === said && text(stack) === stack) return known;
  return Object.assign(new Error(text(said)), { stack: text(stack) });
}
