// What goes wrong between this server and an upstream. Every text of the upstream's is cleaned, and cut, before it is told.

import { markCut } from "../../lib/cut-text.ts";
import { LIMITS } from "../../lib/limits.ts";
import { removeHidden } from "../../sanitize/clean-output.ts";
import type { Redactor } from "../../sanitize/secrets.ts";
import { DestinationUnreachable } from "../egress.ts";
import { ToolError } from "../tool-error.ts";

export class UpstreamError extends ToolError {}

/** A failure of egress, in words about the upstream. Anything else is thrown on as it is. */
export function toUpstreamError(upstream: string, error: unknown): unknown {
  if (error instanceof UpstreamError) return error;
  if (error instanceof DestinationUnreachable) {
    return new UpstreamError(`Upstream ${upstream} can't be reached.`);
  }
  return error instanceof ToolError ? new UpstreamError(`Upstream ${upstream}: ${error.message}`) : error;
}

/** One line without anything invisible, which could hide a secret, and without secrets, of which a cut could leave a part. */
export function cleanLine(text: string, redactor: Redactor): string {
  const line = redactor.text(removeHidden(text).replace(/\s+/g, " ").trim());
  return markCut(line, LIMITS.httpErrorChars);
}
