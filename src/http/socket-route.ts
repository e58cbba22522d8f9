// `GET /mcp`: a WebSocket session, or 405 as long as there is no stream to give.

import type { Env, WaitUntil } from "../env.ts";
import type { Isolate } from "../server/scope.ts";
import { openSocket } from "../sessions/open-socket.ts";
import { authenticate, readSubprotocols, unauthorized } from "./credentials.ts";

const METHODS = "POST, GET";

export const methodNotAllowed = (): Response =>
  new Response(null, { status: 405, headers: { allow: METHODS, "cache-control": "no-store" } });

/** The upgrade of an authenticated client, handed to the hub of its region. */
export async function openSession(
  { isolate, env, waitUntil, request }: { isolate: Isolate; env: Env; waitUntil: WaitUntil; request: Request },
  pathKey: string | undefined,
): Promise<Response> {
  const key = await authenticate(isolate.keys, env, request, pathKey);
  if (!key) return unauthorized();
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") return methodNotAllowed();
  const admission = await isolate.keys.admit(env, key, "control", waitUntil);
  if (admission.status === "refused") return unauthorized();
  if (admission.status === "limited") return tooEarly(429, admission.retryAfterMs);
  if (admission.status === "unavailable") return tooEarly(503, 0);
  const { keyId, digest } = key;
  const session = { v: 1, keyId, digest, host: new URL(request.url).host } as const;
  return openSocket(env, request, session, readSubprotocols(request.headers).includes("mcp"));
}

const tooEarly = (status: number, retryAfterMs: number): Response =>
  new Response(null, { status, headers: { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) } });
