// What passes beside a call: an upstream's progress, logs and requests, and the news that nobody wants its answer any more.

import { isJsonObject, type JsonObject } from "../../lib/json-value.ts";
import { LIMITS } from "../../lib/limits.ts";
import { LOG_LEVELS } from "../../protocol/log-level.ts";
import { METHOD_NOT_FOUND } from "../../protocol/protocol-error.ts";
import type { UpstreamCall } from "./compile-upstream-tool.ts";
import { encodeNotification, sessionHeaders, type UpstreamSession } from "./connect.ts";
import { sendLater } from "./exchange.ts";
import { cleanLine } from "./upstream-error.ts";

/** Takes messages that come on a call's stream and are not its response. Requests beyond a number are passed over. */
export function createHearing(
  call: UpstreamCall,
  session: UpstreamSession,
  token: string,
): (message: JsonObject) => void {
  let requests = 0;
  return (message) => {
    const { method, id } = message;
    const params = isJsonObject(message["params"]) ? message["params"] : {};
    if (id !== undefined) {
      if (requests++ < LIMITS.upstreamRequests) answer(call, session, message);
    } else if (method === "notifications/progress") reportProgress(call, token, params);
    else if (method === "notifications/message") passLog(call, params);
    else if (method === "notifications/tools/list_changed") call.ctx.afterCall.refreshUpstream(call.source.upstream);
  };
}

/**
 * Tells a legacy server that the call is off (2025-11-25, basic/utilities/cancellation); a modern one learns it from the
 * connection that is closed.
 */
export function sendCancellation({ target, link }: UpstreamCall, session: UpstreamSession, requestId: string): void {
  if (session.era === "modern") return;
  const params = { requestId, reason: "the caller cancelled the call, or its time is up" };
  const timeoutMs = LIMITS.upstreamHandshakeMs;
  sendLater(target, link, { ...encodeNotification(session, "notifications/cancelled", params), timeoutMs });
}

function reportProgress({ ctx, target }: UpstreamCall, token: string, params: JsonObject): void {
  const { progressToken, message } = params;
  // A number that is a secret is none any more.
  const [progress, total] = [params["progress"], params["total"]].map(target.redactor.json);
  if (progressToken !== token || typeof progress !== "number") return;
  const said = typeof message === "string" ? cleanLine(message, target.redactor) : undefined;
  ctx.reportProgress(progress, typeof total === "number" ? total : undefined, said);
}

function passLog({ ctx, source, target: { redactor } }: UpstreamCall, { level, data, logger }: JsonObject): void {
  const known = LOG_LEVELS.find((name) => name === level);
  if (!known) return;
  const name = typeof logger === "string" ? `${source.upstream}/${cleanLine(logger, redactor)}` : source.upstream;
  ctx.log(known, redactor.json(data), name);
}

/** Nothing was declared that it could ask for but a sign of life. */
function answer({ target, link }: UpstreamCall, session: UpstreamSession, { id, method }: JsonObject): void {
  if (typeof method !== "string") return;
  const refusal = { code: METHOD_NOT_FOUND, message: "Method not found" };
  const message = { jsonrpc: "2.0", id, ...(method === "ping" ? { result: {} } : { error: refusal }) };
  sendLater(target, link, { message, headers: sessionHeaders(session), timeoutMs: LIMITS.upstreamHandshakeMs });
}
