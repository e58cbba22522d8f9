// `POST /mcp`: key, body, revision, one token, one answer.

import type { Env, WaitUntil } from "../env.ts";
import type { VerifiedKey } from "../keys/key-format.ts";
import { findExcess, isJsonObject } from "../lib/json-value.ts";
import { refuseBatch } from "../protocol/batch.ts";
import { findId, parseMessage, type Message, type Request as RpcRequest } from "../protocol/json-rpc.ts";
import { INVALID_REQUEST, PARSE_ERROR, ProtocolError } from "../protocol/protocol-error.ts";
import { answerError, answerNotAdmitted, answerRequest, bucketOf, type Answer } from "../server/answer-request.ts";
import { egressOf, type Isolate, type RequestScope } from "../server/scope.ts";
import { negotiateFormat, type Format } from "./accept.ts";
import { authenticate, unauthorized } from "./credentials.ts";
import { laneOfRequest, laneOfSession, newSessionId, type Lane } from "./lane.ts";
import { readBody } from "./read-body.ts";

/** A POST on its way through: who sent it, and what its answer needs. */
export interface Exchange {
  isolate: Isolate;
  env: Env;
  waitUntil: WaitUntil;
  request: Request;
  key: VerifiedKey;
}

/** Thrown where the key turns out to be revoked or expired. */
const REFUSED = Symbol("refused key");

interface Reply extends Partial<Answer> {
  httpStatus: number;
  sessionId?: string;
}

const ACCEPTED: Reply = { httpStatus: 202 };

/** The answer to any POST on the MCP endpoint; with `pathKey` for one that came in under `/k/<key>`. */
export async function postMessage(base: Omit<Exchange, "key">, pathKey: string | undefined): Promise<Response> {
  const key = await authenticate(base.isolate.keys, base.env, base.request, pathKey);
  if (!key) return unauthorized();
  let format: Format = "json";
  try {
    format = negotiateFormat(base.request.headers.get("accept"));
    return toResponse(await replyTo(parseBody(await readBody(base.request)), { ...base, key }), format);
  } catch (error) {
    return error === REFUSED ? unauthorized() : toResponse(answerError(null, error), format);
  }
}

function parseBody(body: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new ProtocolError(PARSE_ERROR, "Parse error: the body must be JSON", 400);
  }
  const excess = findExcess(value);
  if (excess !== undefined) throw new ProtocolError(INVALID_REQUEST, `Invalid request: ${excess}`, 400);
  return value;
}

async function replyTo(value: unknown, exchange: Exchange): Promise<Reply> {
  if (Array.isArray(value)) return replyToBatch(value, exchange);
  try {
    const message = parseMessage(value);
    if (message.kind === "request") return await replyToRequest(message, exchange);
    return await acknowledge(message, exchange);
  } catch (error) {
    if (error === REFUSED) throw error;
    return answerError(findId(value), error);
  }
}

async function replyToRequest(message: RpcRequest, exchange: Exchange): Promise<Reply> {
  const lane = await laneOfRequest(message, exchange.request.headers, exchange.env, exchange.key.keyId);
  const answer = await answerInLane(message, lane, exchange);
  if (!lane.handshake || answer.httpStatus !== 200) return answer;
  return { ...answer, sessionId: await startSession(lane, exchange) };
}

async function answerInLane(message: RpcRequest, lane: Lane, exchange: Exchange): Promise<Answer> {
  const { isolate, env, waitUntil, request, key } = exchange;
  const admission = await isolate.keys.admit(env, key, bucketOf(message.method), waitUntil);
  if (admission.status === "refused") throw REFUSED;
  if (admission.status !== "admitted") return answerNotAdmitted(message.id, admission);
  const scope: RequestScope = {
    isolate,
    env,
    waitUntil,
    signal: request.signal,
    facts: admission.facts,
    revision: lane.revision,
    client: lane.client,
    hearsChanges: false,
    egress: egressOf(env, new URL(request.url).host),
    ...(lane.revision.era === "modern" && { headers: request.headers }),
  };
  return answerRequest(message, scope);
}

/** A session that can't learn the version it starts from counts from 0: it may be told of a change too many. */
async function startSession(lane: Lane, { isolate, env, waitUntil, key }: Exchange): Promise<string> {
  const version = await isolate.snapshot.readForCall(env, waitUntil).then(
    (catalogue) => catalogue.version,
    () => 0,
  );
  return newSessionId(env, key.keyId, lane, version);
}

/** 202 for a notification or a response; the modern era has no responses from clients. */
async function acknowledge(message: Message, { isolate, env, waitUntil, request, key }: Exchange): Promise<Reply> {
  const { revision } = await laneOfSession(request.headers, env, key.keyId);
  if (message.kind === "response" && revision.era === "modern") {
    throw new ProtocolError(INVALID_REQUEST, `Invalid request: ${revision.name} has no responses from clients`, 400);
  }
  const admission = await isolate.keys.admit(env, key, "control", waitUntil);
  if (admission.status === "refused") throw REFUSED;
  return admission.status === "admitted" ? ACCEPTED : answerNotAdmitted(null, admission);
}

async function replyToBatch(items: unknown[], exchange: Exchange): Promise<Reply> {
  const lane = await laneOfSession(exchange.request.headers, exchange.env, exchange.key.keyId);
  const refusal = refuseBatch(items, lane.revision);
  if (refusal) throw refusal;
  const replies = await Promise.all(items.map((item) => replyToItem(item, lane, exchange)));
  // A notification has no answer, not even an error: only a batch of nothing else is refused, and as a whole.
  const bodies = replies.flatMap(({ body }, index) => (isNotification(items[index]) ? [] : (body ?? [])));
  if (bodies.length > 0) return { httpStatus: 200, body: `[${bodies.join(",")}]` };
  return replies.find(({ httpStatus }) => httpStatus !== ACCEPTED.httpStatus) ?? ACCEPTED;
}

const isNotification = (item: unknown): boolean => isJsonObject(item) && "method" in item && !("id" in item);

async function replyToItem(item: unknown, lane: Lane, exchange: Exchange): Promise<Reply> {
  try {
    const message = parseMessage(item);
    return message.kind === "request"
      ? await answerInLane(message, lane, exchange)
      : await acknowledge(message, exchange);
  } catch (error) {
    if (error === REFUSED) throw error;
    return answerError(findId(item), error);
  }
}

function toResponse({ body, httpStatus, retryAfterSeconds, sessionId }: Reply, format: Format): Response {
  const headers = new Headers({ "cache-control": "no-store" });
  if (retryAfterSeconds !== undefined) headers.set("retry-after", String(retryAfterSeconds));
  if (sessionId !== undefined) headers.set("mcp-session-id", sessionId);
  if (body === undefined) return new Response(null, { status: httpStatus, headers });
  headers.set("content-type", format === "json" ? "application/json" : "text/event-stream");
  if (format === "sse") headers.set("x-accel-buffering", "no");
  return new Response(format === "json" ? body : toEvent(body), { status: httpStatus, headers });
}

/** One message as one event; JSON has no bare line feed, and the other line ends of Unicode are escaped for lax parsers. */
const toEvent = (body: string): string =>
  `event: message\ndata: ${body.replace(/[\u0085\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n\n`;
