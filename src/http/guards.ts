// What every answer says, whichever way it took.

import { randomText } from "../lib/random.ts";
import { logFailure } from "../telemetry/log.ts";

/**
 * Unless an answer says otherwise: that it is what its type says, no page, for nobody to keep, and that its address, which
 * may hold a key, must not travel on.
 */
export const GUARDS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** Sets those that are not there. */
export function guard(response: Response): Response {
  const { headers } = response;
  for (const [name, value] of Object.entries(GUARDS)) if (!headers.has(name)) headers.set(name, value);
  return response;
}

/** The answer to what nobody foresaw: its cause is in the log alone. */
export function answerUnexpected(error: unknown): Response {
  const ref = randomText(12);
  logFailure("request_failed", ref, error);
  return guard(new Response(`Internal error (ref ${ref})\n`, { status: 500 }));
}
