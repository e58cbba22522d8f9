// One request, sent again where that can do no harm: an idempotent method, and an upstream that was not there or said that
// it is overloaded (RFC 9110, 9.2.2 and 10.2.3).

import { LIMITS } from "../../lib/limits.ts";
import type { pause } from "../../lib/pause.ts";
import { jitterAround } from "../../lib/random.ts";
import type { EgressInit, EgressResponse, ToolContext } from "../context.ts";
import { DestinationUnreachable } from "../egress.ts";

const IDEMPOTENT = ["GET", "HEAD", "PUT", "DELETE"];
const OVERLOADED = [502, 503, 504];

export interface RetryOptions {
  /** When the call must be over. */
  endsAtMs: number;
  pause: typeof pause;
}

type Outcome = { response: EgressResponse } | { failure: DestinationUnreachable };

/** As `ctx.fetch`, with at most `LIMITS.httpRetries` more tries. A pause that would outlast the call ends it at once. */
export async function fetchWithRetries(
  url: string,
  init: EgressInit & { method: string },
  { fetch, signal }: Pick<ToolContext, "fetch" | "signal">,
  { endsAtMs, pause }: RetryOptions,
): Promise<EgressResponse> {
  const retries = IDEMPOTENT.includes(init.method) ? LIMITS.httpRetries : 0;
  for (let retry = 0; ; retry++) {
    const outcome = await attempt(() => fetch(url, init));
    const pauseMs = retry < retries ? pauseAfter(outcome, retry) : undefined;
    if (pauseMs === undefined || Date.now() + pauseMs >= endsAtMs) {
      if ("failure" in outcome) throw outcome.failure;
      return outcome.response;
    }
    await pause(pauseMs, signal);
  }
}

async function attempt(send: () => Promise<EgressResponse>): Promise<Outcome> {
  try {
    return { response: await send() };
  } catch (error) {
    if (error instanceof DestinationUnreachable) return { failure: error };
    throw error;
  }
}

function pauseAfter(outcome: Outcome, retry: number): number | undefined {
  if ("response" in outcome && !OVERLOADED.includes(outcome.response.status)) return undefined;
  const asked = "response" in outcome ? parseRetryAfter(outcome.response.headers, Date.now()) : undefined;
  return asked ?? jitterAround(LIMITS.httpRetryMs * 2 ** retry, 0.5);
}

/** `Retry-After` in milliseconds from now; `undefined` when there is none that can be read. */
export function parseRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const atMs = /[A-Za-z]{3}, \d/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
