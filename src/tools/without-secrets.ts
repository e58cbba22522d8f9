import type { Redactor } from "../sanitize/secrets.ts";
import { ToolError } from "./tool-error.ts";

/** The same failure, to be told or logged without what a call knows of secrets. */
export function withoutSecrets(error: unknown, redactor: Redactor): Error {
  if (error instanceof ToolError) return new ToolError(redactor.text(error.message));
  const known = error instanceof Error ? error : new Error(String(error));
  const clean = new Error(redactor.text(`${known.name}: ${known.message}`));
  clean.stack = redactor.text(known.stack ?? "");
  return clean;
}
