// A tool of an upstream's as a function: a call in a session of this isolate's, whose news come back while it runs. What
// ends it here ends it there. The caller's key stays here.

import { isJsonObject, type JsonObject } from "../../lib/json-value.ts";
import { randomText } from "../../lib/random.ts";
import {
  HEADER_MISMATCH,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  UNSUPPORTED_PROTOCOL_VERSION,
} from "../../protocol/protocol-error.ts";
import { createRedactor } from "../../sanitize/secrets.ts";
import type { ToolResult } from "../content.ts";
import type { ToolContext } from "../context.ts";
import type { JsonSchema } from "../define-tool.ts";
import { readSecrets } from "../read-secrets.ts";
import { toResult } from "../tool-result.ts";
import { withoutSecrets } from "../without-secrets.ts";
import { encodeRequest, initialize, MODERN_SESSION, type UpstreamSession } from "./connect.ts";
import { exchange, resultOf, type Reply, type UpstreamLink, type UpstreamTarget } from "./exchange.ts";
import { paramHeaders } from "./header-value.ts";
import { createHearing, sendCancellation } from "./call-news.ts";
import type { SessionCache } from "./session-cache.ts";
import { UpstreamError } from "./upstream-error.ts";
import { fillHeaders, headerSecrets, type UpstreamSource } from "./upstream-record.ts";

export interface UpstreamToolOptions {
  sessions: SessionCache;
  inputSchema: JsonSchema;
  timeoutMs: number;
}

export type RunUpstreamTool = (args: Record<string, unknown>, ctx: ToolContext) => Promise<ToolResult>;

/** One call of one tool. */
export interface UpstreamCall extends UpstreamToolOptions {
  source: UpstreamSource;
  target: UpstreamTarget;
  link: UpstreamLink;
  args: Record<string, unknown>;
  ctx: ToolContext;
}

/** Makes the function. */
export function compileUpstreamTool(source: UpstreamSource, options: UpstreamToolOptions): RunUpstreamTool {
  const names = headerSecrets(source.headers);
  return async (args, ctx) => {
    const secrets = await readSecrets(names, ctx.readSecret);
    const redactor = createRedactor([...secrets.values()]);
    const headers = fillHeaders(source.headers, secrets);
    const target = { name: source.upstream, url: source.url, headers, redactor };
    const link = { fetch: ctx.fetch, fetchLater: ctx.afterCall.fetch };
    const call = { ...options, source, target, link, args, ctx };
    try {
      const reply = await callInSession(call);
      if (isOutdated(source, reply)) ctx.afterCall.refreshUpstream(source.upstream);
      return readResult(call, resultOf(target, reply));
    } catch (error) {
      ctx.signal.throwIfAborted();
      throw withoutSecrets(error, redactor);
    }
  };
}

/** A session that is known from earlier calls may have ended there: a call that was not carried out for it is made anew. */
async function callInSession(call: UpstreamCall): Promise<Reply> {
  const { source, target, link, sessions } = call;
  if (source.era === "modern") return sendCall(call, MODERN_SESSION);
  const known = sessions.get(target);
  const session = known ?? sessions.set(target, await initialize(target, link));
  const reply = await sendCall(call, session);
  if (!isSessionOver(reply)) return reply;
  sessions.drop(target, session);
  if (!known || !maySendAgain(source, session, reply)) return reply;
  return sendCall(call, sessions.set(target, await initialize(target, link)));
}

/** 404 (2025-11-25, basic/transports, "Session Management"); many servers that forgot their sessions say 400. */
const isSessionOver = ({ status, isTakenUp }: Reply): boolean => !isTakenUp && (status === 404 || status === 400);

/**
 * Only 404 to a session's id says that nothing was done (2025-11-25, basic/transports). Since 400 may come of anything,
 * it lets a call be made again only where that does no harm.
 */
function maySendAgain({ annotations = {} }: UpstreamSource, { sessionId }: UpstreamSession, { status }: Reply) {
  if (status === 404 && sessionId !== undefined) return true;
  return annotations.readOnlyHint === true || annotations.idempotentHint === true;
}

async function sendCall(call: UpstreamCall, session: UpstreamSession): Promise<Reply> {
  const { source, target, link, args, ctx, timeoutMs, inputSchema } = call;
  const progressToken = randomText(12);
  const trace = source.traceContext && ctx.traceparent !== undefined ? { traceparent: ctx.traceparent } : {};
  const params = { name: source.tool, arguments: args, _meta: { progressToken, ...trace } };
  const { message, headers } = encodeRequest(session, "tools/call", params);
  const mirrored = session.era === "modern" ? paramHeaders(inputSchema, args) : {};
  const cancel = (): void => sendCancellation(call, session, message.id);
  ctx.signal.addEventListener("abort", cancel, { once: true });
  try {
    const hear = createHearing(call, session, progressToken);
    return await exchange(target, link, { message, headers: { ...headers, ...mirrored, ...trace }, timeoutMs, hear });
  } finally {
    ctx.signal.removeEventListener("abort", cancel);
  }
}

/** What says that the upstream is not what it was when its tools were listed. */
const CHANGED: readonly unknown[] = [METHOD_NOT_FOUND, INVALID_PARAMS, UNSUPPORTED_PROTOCOL_VERSION, HEADER_MISMATCH];

/** Arguments that keep to the schema are refused when it is an old one; a tool that is gone may be told as a result. */
function isOutdated({ tool }: UpstreamSource, { status, message = {} }: Reply): boolean {
  const { error, result } = message;
  if (isJsonObject(error)) return CHANGED.includes(error["code"]);
  if (status === 400 || status === 404) return true;
  if (!isJsonObject(result) || result["isError"] !== true || !Array.isArray(result["content"])) return false;
  const [first] = result["content"] as unknown[];
  const said = isJsonObject(first) && typeof first["text"] === "string" ? first["text"].slice(0, 500) : "";
  return said.includes(tool) && /unknown tool|not found|no such tool/i.test(said);
}

function readResult(
  { source, target: { redactor } }: UpstreamCall,
  { resultType, _meta, ...result }: JsonObject,
): ToolResult {
  const upstream = `Upstream ${source.upstream}`;
  if (resultType !== undefined && resultType !== "complete") {
    throw new UpstreamError(`${upstream} asks for input, which is not passed on.`);
  }
  try {
    return toResult(redactor.json(isJsonObject(_meta) ? { ...result, _meta } : result), true);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UpstreamError(
      `${upstream} answered with a result that is not MCP's, or holds a secret where none can be.`,
    );
  }
}
