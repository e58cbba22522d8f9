// `POST /mcp`: key, body, revision, one token, one answer.

import { callRelayStub } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { settlesSoon } from "../lib/settles-soon.ts";
import { encodeBatch, refuseBatch } from "../protocol/batch.ts";
import { decodeQuestionId } from "../protocol/event-id.ts";
import { IDEMPOTENCY_KEY } from "../protocol/idempotency-key.ts";
import { findId, parseMessage, type Id, type Message, type Request as RpcRequest } from "../protocol/json-rpc.ts";
import { parseText } from "../protocol/parse-text.ts";
import { INVALID_REQUEST, ProtocolError } from "../protocol/protocol-error.ts";
import { CONTROL } from "../keys/key-cache.ts";
import { answerError, answerRequest, textOf, type Answer } from "../server/answer-request.ts";
import { auditRequest, noteClient } from "../server/call-audit.ts";
import { priceOf } from "../server/price.ts";
import { silentPeer } from "../server/scope.ts";
import { acceptanceOf, checkAcceptable, type Acceptance, type Format } from "./accept.ts";
import { CallStream } from "./call-stream.ts";
import { authenticate, recallKey, unauthorized } from "./credentials.ts";
import { escapeLineEnds } from "./event-stream.ts";
import { admit, answerFault, checkSessionLives, REFUSED, scopeOf, type Base, type Exchange } from "./exchange.ts";
import { guard, GUARDS } from "./guards.ts";
import { laneOfRequest, laneOfSession, newSessionId, type Lane } from "./lane.ts";
import { rateLimitFields, setFields, type RateLimitFields } from "./rate-limit-fields.ts";
import { readBody } from "./read-body.ts";

interface PostExchange extends Exchange {
  accepts: Acceptance;
}

/** A finished answer, or a stream that is on its way already. */
type Reply = FinishedReply | { stream: Response };

interface FinishedReply extends Partial<Answer> {
  httpStatus: number;
  sessionId?: string;
}

/** JSON for whom neither format will do, to say so in. */
const formatOf = ({ accepts }: PostExchange): Format => accepts.format ?? "json";

const ACCEPTED: FinishedReply = { httpStatus: 202 };
/** Nobody is there to read it: the client cancelled. */
const CANCELLED: FinishedReply = { httpStatus: 499 };

/** The answer to any POST on the MCP endpoint; with `pathKey` for one that came in under `/k/<key>`. */
export async function postMessage(base: Base, pathKey: string | undefined): Promise<Response> {
  const { isolate, env, waitUntil, request, headers } = base;
  const known = pathKey === undefined ? recallKey(isolate, headers) : undefined;
  const key = known ?? (await authenticate(isolate, env, headers, pathKey));
  if (key instanceof Response) return guard(key);
  const accepts = acceptanceOf(headers.get("accept"));
  const exchange: PostExchange = { isolate, env, waitUntil, request, headers, key, toll: {}, accepts, call: undefined };
  try {
    const reply = await replyToText(exchange);
    const fields = rateLimitFields(exchange.toll.entrance, Date.now());
    return "stream" in reply ? guard(withFields(reply.stream, fields)) : toResponse(reply, exchange, fields);
  } catch (error) {
    if (error !== REFUSED) throw error;
    return guard(unauthorized());
  }
}

async function replyToText(exchange: PostExchange): Promise<Reply> {
  let value: unknown;
  try {
    checkAcceptable(exchange.accepts);
    value = parseText(await readBody(exchange.request));
  } catch (error) {
    return answerFault(null, error, exchange);
  }
  try {
    return await replyTo(value, exchange);
  } catch (error) {
    if (error === REFUSED) throw error;
    return answerFault(findId(value), error, exchange);
  }
}

function replyTo(value: unknown, exchange: PostExchange): Promise<Reply> {
  if (Array.isArray(value)) return replyToBatch(value, exchange);
  const message = parseMessage(value);
  return message.kind === "request" ? audited(message, exchange, replyToRequest) : acknowledge(message, exchange);
}

/** A request on its way to an answer, with a row if it is a call. */
const audited = <T>(
  message: RpcRequest,
  exchange: PostExchange,
  reply: (message: RpcRequest, exchange: PostExchange) => Promise<T>,
): Promise<T> => {
  const { key, headers } = exchange;
  const transport = formatOf(exchange) === "json" ? "http-json" : "http-stream";
  const origin = { keyId: key.keyId, transport, headers } as const;
  return auditRequest(message, origin, exchange, (call) => {
    exchange.call = call;
    return reply(message, exchange);
  });
};

const replyToRequest = (message: RpcRequest, exchange: PostExchange): Promise<Reply> =>
  message.method === "tools/call" ? replyToCall(message, exchange) : replyToOther(message, exchange);

async function replyToOther(message: RpcRequest, exchange: PostExchange): Promise<Reply> {
  const lane = await laneOfRequest(message, exchange);
  if (message.method === "subscriptions/listen" && lane.revision.era === "modern") {
    const { listenForChanges } = await import("./listen-route.ts");
    return listenForChanges(message, lane, exchange);
  }
  const answer = await answerInLane(message, lane, exchange);
  if (!lane.handshake || answer.httpStatus !== 200) return answer;
  return { ...answer, sessionId: await startSession(lane, exchange) };
}

/** A request whose answer is one message. */
async function answerInLane(message: RpcRequest, lane: Lane, exchange: PostExchange): Promise<FinishedReply> {
  noteClient(exchange.call, lane);
  const admission = await admit(exchange, priceOf(message, exchange), message.id);
  if ("refusal" in admission) return admission.refusal;
  try {
    checkSessionLives(lane, exchange);
    const scope = scopeOf(lane, exchange, admission.facts, silentPeer(exchange.request));
    return (await answerRequest(message, scope)) ?? CANCELLED;
  } finally {
    admission.leave?.();
  }
}

/** A call, whose answer becomes a stream when it has more to say or takes its time. */
async function replyToCall(message: RpcRequest, exchange: PostExchange): Promise<Reply> {
  const found = laneOfRequest(message, exchange);
  const lane = found instanceof Promise ? await found : found;
  noteClient(exchange.call, lane);
  const admission = await admit(exchange, priceOf(message, exchange), message.id);
  if ("refusal" in admission) return admission.refusal;
  const { facts, leave } = admission;
  checkSessionLives(lane, exchange, leave);
  const stream = createCallStream(message.id, lane, exchange);
  const answered = answerRequest(message, scopeOf(lane, exchange, facts, stream));
  if (leave) void answered.then(leave, leave);
  if ((await settlesSoon(answered)) && !stream.isBegun) return (await answered) ?? CANCELLED;
  return replyInTime(answered, stream, exchange);
}

async function replyInTime(
  answered: Promise<Answer | undefined>,
  stream: CallStream,
  exchange: PostExchange,
): Promise<Reply> {
  void stream.opened.then(() => exchange.call && (exchange.call.transport = "http-stream"));
  const timer = setTimeout(() => stream.open(), LIMITS.streamAfterMs);
  const first = await Promise.race([
    stream.opened.then((response) => ({ response })),
    answered.then((answer) => ({ answer })),
  ]);
  clearTimeout(timer);
  exchange.waitUntil(answered.then((answer) => stream.finish(answer)));
  if ("answer" in first) return first.answer ?? CANCELLED;
  return { stream: first.response };
}

function createCallStream(requestId: Id, { revision, session }: Lane, exchange: PostExchange): CallStream {
  const { env, request, key, waitUntil, accepts } = exchange;
  const call = session && { keyId: key.keyId, sessionId: session.sessionId, requestId };
  return new CallStream({
    request,
    requestId,
    revision,
    streams: accepts.streams,
    relay: call && (() => callRelayStub(env, call)),
    waitUntil,
  });
}

/**
 * A session counts from the newest version at hand that clients were told of, which may be half a minute old, or from 0 where
 * there is none: the handshake asks nobody. So its first stream may tell of a change too many, and never of one too few.
 */
async function startSession(lane: Lane, exchange: PostExchange): Promise<string> {
  const { isolate, env, waitUntil, toll } = exchange;
  const version = await isolate.snapshot.readForCall(env, waitUntil).then(
    () => isolate.snapshot.published,
    () => 0,
  );
  const { changes = 0 } = toll.entrance?.status === "admitted" ? toll.entrance.facts : {};
  return newSessionId(exchange, lane, { version, changes });
}

/** 202 for a notification or a response, once the call that it is about has heard of it. */
async function acknowledge(message: Exclude<Message, RpcRequest>, exchange: PostExchange): Promise<FinishedReply> {
  const lane = await laneOfSession(exchange);
  if (message.kind === "response" && lane.revision.era === "modern") {
    throw new ProtocolError(
      INVALID_REQUEST,
      `Invalid request: ${lane.revision.name} has no responses from clients`,
      400,
    );
  }
  const admission = await admit(exchange, CONTROL, null);
  if ("refusal" in admission) return admission.refusal;
  checkSessionLives(lane, exchange);
  await passOn(message, lane, exchange);
  return ACCEPTED;
}

/** What a client says about a running call goes to the call's relay, whichever isolate runs it. */
async function passOn(
  message: Exclude<Message, RpcRequest>,
  { session }: Lane,
  { env, key }: PostExchange,
): Promise<void> {
  if (!session) return;
  const { keyId } = key;
  const { sessionId } = session;
  if (message.kind === "response") {
    const { requestId, question } = decodeQuestionId(message.id) ?? {};
    if (requestId === undefined || question === undefined) return;
    const event = { v: 1, kind: "answered", question, response: message.response } as const;
    await callRelayStub(env, { keyId, sessionId, requestId }).deliver(event);
  } else if (message.method === "notifications/cancelled") {
    const requestId = findId({ id: message.params["requestId"] });
    if (requestId !== null)
      await callRelayStub(env, { keyId, sessionId, requestId }).deliver({ v: 1, kind: "cancelled" });
  }
}

async function replyToBatch(items: unknown[], exchange: PostExchange): Promise<FinishedReply> {
  const lane = await laneOfSession(exchange);
  const refusal = refuseBatch(items, lane.revision) ?? refuseSharedKey(exchange.headers);
  if (refusal) throw refusal;
  const replies = await Promise.all(items.map((item) => replyToItem(item, lane, exchange)));
  checkSessionLives(lane, exchange);
  const body = encodeBatch(
    items,
    replies.map((reply) => (reply.body === undefined ? undefined : textOf(reply.body))),
  );
  if (body !== undefined) return { httpStatus: 200, body };
  // Only a batch to which nothing is to be said is refused as a whole.
  return replies.find(({ httpStatus }) => httpStatus !== ACCEPTED.httpStatus) ?? ACCEPTED;
}

/** One key can't stand for several calls, and which it was meant for nobody can tell. */
const refuseSharedKey = (headers: Headers): ProtocolError | undefined =>
  headers.has("idempotency-key")
    ? new ProtocolError(
        INVALID_REQUEST,
        `Invalid request: in a batch each call names its own key in _meta["${IDEMPOTENCY_KEY}"], not in Idempotency-Key`,
        400,
      )
    : undefined;

async function replyToItem(item: unknown, lane: Lane, exchange: PostExchange): Promise<FinishedReply> {
  try {
    const message = parseMessage(item);
    return message.kind === "request"
      ? await audited(message, { ...exchange }, (request, own) => answerInLane(request, lane, own))
      : await acknowledge(message, exchange);
  } catch (error) {
    if (error === REFUSED) throw error;
    return answerError(findId(item), error);
  }
}

function toResponse(
  { body, httpStatus, retryAfterSeconds, sessionId }: FinishedReply,
  exchange: PostExchange,
  fields: RateLimitFields | undefined,
): Response {
  const response = toBody(body, httpStatus, formatOf(exchange));
  if (retryAfterSeconds !== undefined) response.headers.set("retry-after", String(retryAfterSeconds));
  if (sessionId !== undefined) response.headers.set("mcp-session-id", sessionId);
  return withFields(response, fields);
}

// Copied by the runtime as they are: a record would be turned into headers for each answer.
const NO_BODY = new Headers(GUARDS);
const JSON_BODY = new Headers({ ...GUARDS, "content-type": "application/json" });
const EVENT_BODY = new Headers({ ...GUARDS, "content-type": "text/event-stream", "x-accel-buffering": "no" });

function toBody(body: FinishedReply["body"], status: number, format: Format): Response {
  if (body === undefined) return new Response(null, { status, headers: NO_BODY });
  if (format === "json") return new Response(body, { status, headers: JSON_BODY });
  const event = `event: message\ndata: ${escapeLineEnds(textOf(body))}\n\n`;
  return new Response(event, { status, headers: EVENT_BODY });
}

function withFields(response: Response, fields: RateLimitFields | undefined): Response {
  if (fields) setFields(response.headers, fields);
  return response;
}
