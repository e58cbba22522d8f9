// One frame of a WebSocket session → what to send back. Runs in the stateless entrypoint, never in the hub.

import type { Env, WaitUntil } from "../env.ts";
import { findExcess } from "../lib/json-value.ts";
import { refuseBatch } from "../protocol/batch.ts";
import { parseInitialize } from "../protocol/initialize.ts";
import { encodeError, findId, parseMessage, type Request } from "../protocol/json-rpc.ts";
import { declaredVersion, parseMeta, UNKNOWN_CLIENT, type ClientInfo } from "../protocol/meta.ts";
import { INVALID_REQUEST, PARSE_ERROR, ProtocolError } from "../protocol/protocol-error.ts";
import { ASSUMED_REVISION, findRevision, type Revision } from "../protocol/revisions.ts";
import { answerError, answerNotAdmitted, answerRequest, bucketOf } from "../server/answer-request.ts";
import { egressOf, type Isolate } from "../server/scope.ts";
import type { FrameAnswer, SocketSession } from "./hub-contract.ts";

/** What a frame is answered with: the Worker's side of an exchange over a socket. */
export interface SocketExchange {
  isolate: Isolate;
  env: Env;
  waitUntil: WaitUntil;
  signal: AbortSignal;
  session: SocketSession;
}

interface Lane {
  revision: Revision;
  client: ClientInfo;
  /** Set where the frame is the handshake. */
  legacy?: NonNullable<SocketSession["legacy"]>;
}

/** Never rejects, unless the runtime itself fails. */
export async function answerFrame(frame: string, exchange: SocketExchange): Promise<FrameAnswer> {
  const value = parseFrame(frame);
  if (value instanceof ProtocolError) return { v: 1, text: encodeError(null, value) };
  if (!Array.isArray(value)) return answerValue(value, exchange);
  return answerBatch(value, exchange);
}

function parseFrame(frame: string): unknown {
  try {
    const value: unknown = JSON.parse(frame);
    const excess = findExcess(value);
    return excess === undefined ? value : new ProtocolError(INVALID_REQUEST, `Invalid request: ${excess}`);
  } catch {
    return new ProtocolError(PARSE_ERROR, "Parse error: a frame must be one JSON-RPC message");
  }
}

/** 2025-03-26 alone has batches (basic, "Batching"); `initialize` must not be part of one. */
async function answerBatch(items: unknown[], exchange: SocketExchange): Promise<FrameAnswer> {
  const refusal = refuseBatch(items, findRevision(exchange.session.legacy?.revision));
  if (refusal) return { v: 1, text: encodeError(null, refusal) };
  const answers = await Promise.all(items.map((item) => answerValue(item, exchange)));
  const texts = answers.flatMap(({ text }) => text ?? []);
  const close = answers.find((answer) => answer.close)?.close;
  return { v: 1, ...(texts.length > 0 && { text: `[${texts.join(",")}]` }), ...(close && { close }) };
}

async function answerValue(value: unknown, exchange: SocketExchange): Promise<FrameAnswer> {
  try {
    const message = parseMessage(value);
    if (message.kind === "request") return await answerOne(message, exchange);
    return await acknowledge(exchange);
  } catch (error) {
    return { v: 1, text: answerError(findId(value), error).body };
  }
}

async function answerOne(request: Request, exchange: SocketExchange): Promise<FrameAnswer> {
  const { isolate, env, waitUntil, signal, session } = exchange;
  const { revision, client, legacy } = laneOf(request, session);
  const admission = await isolate.keys.admit(env, session, bucketOf(request.method), waitUntil);
  if (admission.status === "refused") return refusedKey(request.id);
  if (admission.status !== "admitted") return { v: 1, text: answerNotAdmitted(request.id, admission).body };
  const { facts } = admission;
  const hearsChanges = revision.era === "legacy";
  const egress = egressOf(env, session.host);
  const scope = { isolate, env, waitUntil, signal, facts, revision, client, hearsChanges, egress };
  const { body, httpStatus } = await answerRequest(request, scope);
  return { v: 1, text: body, ...(legacy && httpStatus === 200 && { legacy }) };
}

/** A notification or a response costs a token and gets no answer. */
async function acknowledge({ isolate, env, waitUntil, session }: SocketExchange): Promise<FrameAnswer> {
  const admission = await isolate.keys.admit(env, session, "control", waitUntil);
  return admission.status === "refused" ? refusedKey(null) : { v: 1 };
}

function laneOf({ method, params }: Request, session: SocketSession): Lane {
  if (declaredVersion(params) !== undefined) return parseMeta(params);
  if (method === "initialize") {
    const { revision, client } = parseInitialize(params);
    return { revision, client, legacy: { revision: revision.name, client } };
  }
  // A ping may come before the handshake is through (2025-11-25, basic/lifecycle).
  if (method === "ping" && !session.legacy) return { revision: ASSUMED_REVISION, client: UNKNOWN_CLIENT };
  const revision = findRevision(session.legacy?.revision);
  if (session.legacy && revision) return { revision, client: session.legacy.client };
  throw new ProtocolError(
    INVALID_REQUEST,
    "Invalid request: send initialize first, or declare a protocol version in _meta",
  );
}

function refusedKey(id: Request["id"] | null): FrameAnswer {
  const error = new ProtocolError(401, "This API key is no longer valid");
  return { v: 1, text: encodeError(id, error), close: { code: 1008, reason: "API key is no longer valid" } };
}
