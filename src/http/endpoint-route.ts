// `GET` and `DELETE` on the endpoint: a WebSocket session, a legacy session's stream, a legacy session's end.

import { registryStub } from "../env.ts";
import { CONTROL } from "../keys/key-cache.ts";
import { encodeError } from "../protocol/json-rpc.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import type { Answer } from "../server/answer-request.ts";
import { sessionTag } from "../sessions/hub-contract.ts";
import { authenticate, readSubprotocols, unauthorized } from "./credentials.ts";
import { admit, answerFault, checkSessionLives, REFUSED, socketSessionOf } from "./exchange.ts";
import type { Base, Exchange } from "./exchange.ts";
import { openAtHub } from "./hub-bridge.ts";
import { headerRevision, laneOfSession, sessionNotFound } from "./lane.ts";
import { openSessionStream } from "./listen-route.ts";
import { setRateLimitFields } from "./rate-limit-fields.ts";

/** GET: an upgrade, or the stream of a legacy session; 405 where there is no session to stream for. */
export const getEndpoint = (base: Base, pathKey: string | undefined): Promise<Response> =>
  withKey(base, pathKey, (exchange) => {
    const { headers } = exchange.request;
    if (headers.get("upgrade")?.toLowerCase() === "websocket") return openWebSocket(exchange);
    return isSessionRequest(headers) ? openSessionStream(exchange) : withoutSession(NO_STREAM);
  });

/** DELETE ends a legacy session for good: a note where the key's leases come from, and the end of its streams. */
export const deleteSession = (base: Base, pathKey: string | undefined): Promise<Response> =>
  withKey(base, pathKey, async (exchange) => {
    const { request, env, isolate, key } = exchange;
    if (!isSessionRequest(request.headers)) return withoutSession(NO_END);
    const lane = await laneOfSession(exchange);
    const admission = await admit(exchange, CONTROL, null);
    if ("refusal" in admission) return admission.refusal;
    checkSessionLives(lane, exchange);
    if (!lane.session) throw sessionNotFound();
    const { sessionId, expiresAtMs } = lane.session;
    // Streams first: with the note written a second try would find no session, and leave them.
    await registryStub(env).closeSockets(sessionTag(sessionId));
    const noted = await isolate.keys.writeNote(env, key, { sessionId, ended: true, expiresAtMs });
    if (!noted) throw new ProtocolError(429, "Too many sessions of this key have ended early", 429);
    return new Response(null, { status: 204 });
  });

export const methodNotAllowed = (allowed: readonly string[]): Response =>
  new Response(null, { status: 405, headers: { allow: allowed.join(", ") } });

const METHODS = ["POST", "GET", "DELETE"];

const NO_STREAM =
  "GET opens a session's stream: it needs the Mcp-Session-Id that initialize, sent by POST, was answered with. " +
  "Revision 2026-07-28 has no sessions: send subscriptions/listen by POST";
const NO_END = "DELETE ends a session: it needs its Mcp-Session-Id. Revision 2026-07-28 has no sessions";

/**
 * 405, not 400: what is offered no stream is told so by that alone (2025-11-25, "Listening for Messages from the Server"),
 * and clients that ask before `initialize` go on.
 */
function withoutSession(reason: string): Response {
  const { status, headers } = methodNotAllowed(METHODS);
  headers.set("content-type", "application/json");
  return new Response(encodeError(null, new ProtocolError(405, `Method not allowed: ${reason}`)), { status, headers });
}

/** A modern client has no sessions, whatever its headers carry. */
const isSessionRequest = (headers: Headers): boolean =>
  headers.has("mcp-session-id") && headerRevision(headers)?.era !== "modern";

async function openWebSocket(exchange: Exchange): Promise<Response | Answer> {
  const echo = readSubprotocols(exchange.request.headers).includes("mcp");
  const opened = await openAtHub(
    exchange,
    null,
    (facts) => ({ kind: "websocket", session: socketSessionOf(exchange, facts), tags: [] }),
    echo,
  );
  if ("refusal" in opened) return opened.refusal;
  const { response } = opened;
  // What a hub answered can't be changed; a 101 never can.
  return response.webSocket ? response : new Response(response.body, response);
}

/** Runs a route for the holder of a good key, and tells its errors as JSON-RPC errors. */
export async function withKey(
  base: Base,
  pathKey: string | undefined,
  answer: (exchange: Exchange) => Promise<Response | Answer> | Response,
): Promise<Response> {
  const key = await authenticate(base.isolate, base.env, base.headers, pathKey);
  if (key instanceof Response) return key;
  const exchange: Exchange = { ...base, key, toll: {} };
  try {
    const response = toResponse(await attempt(exchange, answer));
    if (!response.webSocket) setRateLimitFields(response.headers, exchange.toll.entrance, Date.now());
    return response;
  } catch (error) {
    if (error !== REFUSED) throw error;
    return unauthorized();
  }
}

async function attempt(
  exchange: Exchange,
  answer: (exchange: Exchange) => Promise<Response | Answer> | Response,
): Promise<Response | Answer> {
  try {
    return await answer(exchange);
  } catch (error) {
    if (error === REFUSED) throw error;
    return answerFault(null, error, exchange);
  }
}

function toResponse(answer: Response | Answer): Response {
  if (answer instanceof Response) return answer;
  const headers = new Headers({ "content-type": "application/json" });
  if (answer.retryAfterSeconds !== undefined) headers.set("retry-after", String(answer.retryAfterSeconds));
  return new Response(answer.body, { status: answer.httpStatus, headers });
}
