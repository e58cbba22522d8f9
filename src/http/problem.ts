// Errors of the admin API: RFC 9457 problem details with a stable `code`.

import { markCut } from "../lib/cut-text.ts";
import { LIMITS } from "../lib/limits.ts";
import { isOutOfReach } from "../lib/out-of-reach.ts";
import { randomText } from "../lib/random.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import { logFailure } from "../telemetry/log.ts";

export type ProblemCode =
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "invalid_body"
  | "invalid_query"
  | "version_mismatch"
  | "builtin_tool"
  | "catalogue_full"
  | "too_many_keys"
  | "too_many_secrets"
  | "too_many_upstreams"
  | "key_revoked"
  | "invalid_name"
  | "secrets_off"
  | "rate_limited"
  | "unavailable"
  | "internal";

/** An error for an operator; `detail` says what was expected and what came. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  readonly code: ProblemCode;
  readonly headers: Record<string, string>;

  constructor(status: number, code: ProblemCode, detail: string, headers: Record<string, string> = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

const TITLES: Record<ProblemCode, string> = {
  unauthorized: "Unauthorized",
  forbidden: "Forbidden",
  not_found: "Not found",
  invalid_body: "Invalid body",
  invalid_query: "Invalid query",
  version_mismatch: "Version mismatch",
  builtin_tool: "Built-in tool",
  catalogue_full: "Catalogue full",
  too_many_keys: "Too many keys",
  too_many_secrets: "Too many secrets",
  too_many_upstreams: "Too many upstreams",
  key_revoked: "Key is revoked",
  invalid_name: "Invalid name",
  secrets_off: "Secrets are off",
  rate_limited: "Rate limited",
  unavailable: "Temporarily unavailable",
  internal: "Internal error",
};

/** The response; a detail that would be long, as it names all that is wrong, is cut. */
export function problem({ status, code, message, headers }: HttpError): Response {
  const detail = markCut(message, LIMITS.problemChars);
  return new Response(JSON.stringify({ type: "about:blank", title: TITLES[code], status, code, detail }), {
    status,
    headers: { ...headers, "content-type": "application/problem+json" },
  });
}

/** Any error of an admin route as a response. */
export function problemOf(error: unknown): Response {
  if (error instanceof HttpError) return problem(error);
  if (error instanceof ProtocolError) return problem(new HttpError(error.httpStatus, "invalid_body", error.message));
  const ref = randomText(12);
  logFailure("admin_failed", ref, error);
  if (isOutOfReach(error)) return problem(new HttpError(503, "unavailable", OUT_OF_REACH, { "retry-after": "2" }));
  return problem(new HttpError(500, "internal", `Internal error (ref ${ref})`));
}

const OUT_OF_REACH =
  "A part of the server that this needs can't be reached right now. A change may have been made all the same: look before you make it again";
