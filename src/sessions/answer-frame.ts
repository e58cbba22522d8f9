// One frame of a WebSocket session → what to send back. Runs in the stateless entrypoint, never in the hub.

import type { CallDraft } from "../audit/call-row.ts";
import type { Env, WaitUntil } from "../env.ts";
import { CONTROL } from "../keys/key-cache.ts";
import type { KeyFacts } from "../keys/key-record.ts";
import { settlesSoon } from "../lib/settles-soon.ts";
import { encodeBatch, refuseBatch } from "../protocol/batch.ts";
import { parseInitialize } from "../protocol/initialize.ts";
import { NO_ABILITIES } from "../protocol/abilities.ts";
import {
  encodeError,
  findId,
  isSilent,
  parseMessage,
  type Id,
  type Message,
  type Request,
} from "../protocol/json-rpc.ts";
import { DEFAULT_LOG_LEVEL, type LogLevel } from "../protocol/log-level.ts";
import { declaredVersion, parseMeta, UNKNOWN_CLIENT } from "../protocol/meta.ts";
import { encodeAcknowledged } from "../protocol/notifications.ts";
import { parseText } from "../protocol/parse-text.ts";
import { INVALID_REQUEST, PARSE_ERROR, ProtocolError } from "../protocol/protocol-error.ts";
import { ASSUMED_REVISION, findRevision } from "../protocol/revisions.ts";
import type { LegacySession } from "../protocol/session-id.ts";
import { wantsToolChanges } from "../protocol/subscription-filter.ts";
import { answerError, answerNotAdmitted, answerRequest, checkMcpScope, textOf } from "../server/answer-request.ts";
import { auditRequest, endCall, noteClient } from "../server/call-audit.ts";
import { priceOf } from "../server/price.ts";
import { egressOf, type Isolate, type RequestScope } from "../server/scope.ts";
import type { FrameAnswer, FrameChannel, SocketHandshake, SocketSession } from "./hub-contract.ts";
import { SocketPeer } from "./socket-peer.ts";
import { tooManyRequests } from "./socket-refusals.ts";

/** What a frame is answered with: the Worker's side of an exchange over a socket. */
export interface SocketExchange {
  isolate: Isolate;
  env: Env;
  waitUntil: WaitUntil;
  session: SocketSession;
  channel: FrameChannel;
  /** A batch is its session's, whose revision alone has batches: no message in it speaks another. */
  isBatch?: true;
  /** The row of the `tools/call` that is answered. */
  call?: CallDraft | undefined;
}

interface Lane extends LegacySession {
  logLevel?: LogLevel | undefined;
  /** Set where the frame is the handshake. */
  handshake?: SocketHandshake;
}

/** Never rejects, unless the runtime itself fails. What can't be served is paid for like what can. */
export async function answerFrame(frame: string, exchange: SocketExchange): Promise<FrameAnswer> {
  try {
    const value = parseText(frame);
    return Array.isArray(value) ? await answerBatch(value, exchange) : await answerValue(value, exchange);
  } catch (error) {
    return answerFault(null, error, exchange);
  }
}

async function answerFault(id: Id | null, error: unknown, exchange: SocketExchange): Promise<FrameAnswer> {
  const { isolate, env, session, waitUntil } = exchange;
  const admission = await isolate.keys.admit(env, session, CONTROL, waitUntil);
  if (admission.status === "refused") return refusedKey(id);
  if (admission.status !== "admitted") return { v: 1, text: textOf(answerNotAdmitted(id, admission).body) };
  const noGreeting = error instanceof ProtocolError && [PARSE_ERROR, INVALID_REQUEST].includes(error.code);
  return { v: 1, text: textOf(answerError(id, error).body), ...(noGreeting && { noGreeting }) };
}

async function answerBatch(items: unknown[], exchange: SocketExchange): Promise<FrameAnswer> {
  const refusal = refuseBatch(items, findRevision(exchange.session.legacy?.revision));
  if (refusal) throw refusal;
  const beyond = await findBeyond(items, exchange.channel);
  const answers = await Promise.all(
    items.map((item) =>
      beyond.has(item)
        ? answerFault(findId(item), tooManyRequests(), exchange)
        : answerValue(item, { ...exchange, isBatch: true }),
    ),
  );
  const text = encodeBatch(
    items,
    answers.map((answer) => answer.text),
  );
  const close = answers.find((answer) => answer.close)?.close;
  const noGreeting = answers.every((answer) => answer.noGreeting);
  const legacy = answers.findLast((answer) => answer.legacy)?.legacy;
  const parts = answers.flatMap(({ cancel, response }) => {
    if (cancel === undefined && !response) return [];
    return { ...(cancel !== undefined && { cancel }), ...(response && { response }) };
  });
  return {
    v: 1,
    ...(text !== undefined && { text }),
    ...(legacy && { legacy }),
    ...(parts.length > 0 && { parts }),
    ...(close && { close }),
    ...(noGreeting && { noGreeting }),
  };
}

/** The requests of a batch that are more than may run at once: the last of them. Its frame was let in as one. */
async function findBeyond(items: unknown[], channel: FrameChannel): Promise<ReadonlySet<unknown>> {
  const requests = items.filter((item) => !isSilent(item) && findId(item) !== null);
  if (requests.length <= 1) return new Set();
  return new Set(requests.slice(1 + (await channel.claim(requests.length - 1))));
}

async function answerValue(value: unknown, exchange: SocketExchange): Promise<FrameAnswer> {
  try {
    const message = parseMessage(value);
    if (message.kind === "request") return await auditedOne(message, exchange);
    return await acknowledge(message, exchange);
  } catch (error) {
    return answerFault(findId(value), error, exchange);
  }
}

/** A request on its way to an answer, with a row if it is a call. */
function auditedOne(request: Request, exchange: SocketExchange): Promise<FrameAnswer> {
  const { keyId, transport = "websocket" } = exchange.session;
  const origin = { keyId, transport, headers: undefined } as const;
  return auditRequest(request, origin, exchange, (call) => answerOne(request, { ...exchange, call }));
}

async function answerOne(request: Request, exchange: SocketExchange): Promise<FrameAnswer> {
  const { isolate, env, waitUntil, session, call } = exchange;
  const lane = laneOf(request, exchange);
  noteClient(call, lane);
  const admission = await isolate.keys.admit(env, session, await priceOf(request, exchange), waitUntil);
  if (admission.status === "refused") {
    endCall(call, "unauthorized", exchange);
    return refusedKey(request.id);
  }
  if (admission.status !== "admitted") {
    endCall(call, admission.status, exchange);
    return { v: 1, text: textOf(answerNotAdmitted(request.id, admission).body) };
  }
  try {
    checkMcpScope(admission.facts);
    if (request.method === "subscriptions/listen" && lane.revision.era === "modern") {
      return subscribe(request, lane, admission.facts);
    }
    return await runRequest(request, lane, admission.facts, exchange);
  } finally {
    admission.leave?.();
  }
}

async function runRequest(
  request: Request,
  lane: Lane,
  facts: KeyFacts,
  { isolate, env, waitUntil, session, channel, call }: SocketExchange,
): Promise<FrameAnswer> {
  const peer = new SocketPeer(channel, request.id);
  const { revision, client, abilities } = lane;
  let legacy = lane.handshake;
  const setLogLevel = async (logLevel: LogLevel): Promise<void> => {
    if (session.legacy) legacy = { ...session.legacy, logLevel };
  };
  const scope: RequestScope = {
    isolate,
    env,
    waitUntil,
    facts,
    revision,
    client,
    abilities,
    peer,
    call,
    setLogLevel,
    logLevel: revision.era === "modern" ? lane.logLevel : (session.legacy?.logLevel ?? DEFAULT_LOG_LEVEL),
    egress: egressOf(env, () => session.host),
    isSocket: session.transport !== "sse",
  };
  const answering = answerRequest(request, scope);
  if (!(await settlesSoon(answering))) peer.watch();
  const answer = await answering;
  await peer.end();
  if (!answer) return { v: 1 };
  return { v: 1, text: textOf(answer.body), ...(legacy && answer.httpStatus === 200 && { legacy }) };
}

/** 2026-07-28, basic/patterns/subscriptions: acknowledged before anything else is sent for it. */
function subscribe({ id, params }: Request, { revision, client }: Lane, { changedOfLate }: KeyFacts): FrameAnswer {
  const text = encodeAcknowledged(id, wantsToolChanges(params));
  if (!wantsToolChanges(params)) return { v: 1, text };
  const speaker = { revision: revision.name, client };
  return { v: 1, text, subscribe: id, speaker, ...(changedOfLate && { changedOfLate }) };
}

/** A notification or a response costs a token and gets no answer. */
async function acknowledge(
  message: Exclude<Message, Request>,
  { isolate, env, waitUntil, session }: SocketExchange,
): Promise<FrameAnswer> {
  const admission = await isolate.keys.admit(env, session, CONTROL, waitUntil);
  if (admission.status === "refused") return refusedKey(null);
  if (message.kind === "response") return { v: 1, response: message.response };
  const cancel = message.method === "notifications/cancelled" ? findId({ id: message.params["requestId"] }) : null;
  return { v: 1, ...(cancel !== null && { cancel }) };
}

function laneOf({ method, params }: Request, { session: { legacy }, isBatch }: SocketExchange): Lane {
  if (!isBatch && declaredVersion(params) !== undefined) return parseMeta(params);
  if (method === "initialize") {
    const session = parseInitialize(params);
    const { revision, client, abilities } = session;
    return { ...session, handshake: { revision: revision.name, client, abilities } };
  }
  // A ping may come before the handshake is through (2025-11-25, basic/lifecycle).
  if (method === "ping" && !legacy) {
    return { revision: ASSUMED_REVISION, client: UNKNOWN_CLIENT, abilities: NO_ABILITIES };
  }
  const revision = findRevision(legacy?.revision);
  if (legacy && revision) return { revision, client: legacy.client, abilities: legacy.abilities };
  throw new ProtocolError(
    INVALID_REQUEST,
    "Invalid request: send initialize first, or declare a protocol version in _meta",
  );
}

function refusedKey(id: Request["id"] | null): FrameAnswer {
  const error = new ProtocolError(401, "This API key is no longer valid");
  return { v: 1, text: encodeError(id, error), close: { code: 1008, reason: "API key is no longer valid" } };
}
