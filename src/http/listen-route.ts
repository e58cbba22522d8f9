// Streams on which a client hears of changes: GET with a legacy session, `subscriptions/listen` in the modern era.

import { callRelayStub } from "../env.ts";
import { CONTROL } from "../keys/key-cache.ts";
import { decodeEventId, encodeEventId, type EventPlace } from "../protocol/event-id.ts";
import type { Request as RpcRequest } from "../protocol/json-rpc.ts";
import { encodeAcknowledged, encodeListChanged, encodeSubscriptionEnd } from "../protocol/notifications.ts";
import { INVALID_REQUEST, ProtocolError } from "../protocol/protocol-error.ts";
import type { SealedSession } from "../protocol/session-id.ts";
import { wantsToolChanges } from "../protocol/subscription-filter.ts";
import type { Answer } from "../server/answer-request.ts";
import { sessionTag } from "../sessions/hub-contract.ts";
import { acceptsEvents } from "./accept.ts";
import { EventStream } from "./event-stream.ts";
import { admit, checkSessionLives, socketSessionOf, type Exchange } from "./exchange.ts";
import { followChanges, type Heard } from "./hub-bridge.ts";
import { laneOfSession, sessionNotFound, type Lane } from "./lane.ts";

/** `subscriptions/listen`: acknowledged first; every message says which subscription it is for. */
export async function listenForChanges(
  { id, params }: RpcRequest,
  lane: Lane,
  exchange: Exchange,
): Promise<Answer | { stream: Response }> {
  const wanted = wantsToolChanges(params);
  if (!acceptsEvents(exchange.request.headers.get("accept"))) throw notAcceptable();
  const followed = await followChanges(exchange, {
    id,
    describe: (facts) => ({ kind: "listen", session: socketSessionOf(exchange, facts, lane), tags: [] }),
    openStream: () => {
      const stream = new EventStream(exchange.request.signal);
      stream.send({ event: "message", data: encodeAcknowledged(id, wanted) });
      return stream;
    },
    heard: {},
    onNews: (stream) => {
      if (wanted) stream.send({ event: "message", data: encodeListChanged(id) });
    },
    onEnd: (stream) => stream.send({ event: "message", data: encodeSubscriptionEnd(id) }),
  });
  return "refusal" in followed ? followed.refusal : { stream: followed.response };
}

/** GET on the endpoint: the stream of a legacy session, or the rest of a call's stream that `Last-Event-ID` names. */
export async function openSessionStream(exchange: Exchange): Promise<Response | Answer> {
  const { request } = exchange;
  if (!acceptsEvents(request.headers.get("accept"))) throw notAcceptable();
  const { session } = await laneOfSession(exchange);
  if (!session) throw sessionNotFound();
  const place = decodeEventId(request.headers.get("last-event-id") ?? "");
  if (place?.stream !== "call") return streamChanges(session, place ?? session, exchange);
  const admission = await admit(exchange, CONTROL, null);
  if ("refusal" in admission) return admission.refusal;
  checkSessionLives({ session }, exchange);
  return resumeCall(session, place, exchange);
}

async function streamChanges(
  session: SealedSession,
  { version, changes }: Required<Heard>,
  exchange: Exchange,
): Promise<Response | Answer> {
  const followed = await followChanges(exchange, {
    id: null,
    describe: (facts) => {
      if (session.expiresAtMs <= Date.now()) throw sessionNotFound();
      checkSessionLives({ session }, exchange);
      return { kind: "get", session: socketSessionOf(exchange, facts, session), tags: [sessionTag(session.sessionId)] };
    },
    openStream: () => new EventStream(exchange.request.signal),
    heard: { version, changes },
    onNews: (stream, heard) => {
      const id = encodeEventId({ stream: "changes", ...heard });
      stream.send({ event: "message", id, data: encodeListChanged() });
    },
    onEnd: () => undefined,
  });
  return "refusal" in followed ? followed.refusal : followed.response;
}

/** The call's messages after the one that the client has, as they come, to the last. */
async function resumeCall(
  { sessionId }: SealedSession,
  { requestId, seq }: EventPlace & { stream: "call" },
  { env, request, key, waitUntil }: Exchange,
): Promise<Response> {
  const relay = callRelayStub(env, { keyId: key.keyId, sessionId, requestId });
  const stream = new EventStream(request.signal);
  const follow = async (): Promise<void> => {
    let [at, done] = [seq, false];
    while (!done && !stream.ended.aborted) {
      const page = await relay.read(at);
      done = page?.done ?? true;
      for (const { seq: place, text } of page?.messages ?? []) {
        at = place;
        const id = encodeEventId({ stream: "call", requestId, seq: place });
        if (text !== "") stream.send({ event: "message", id, data: text });
      }
    }
    stream.close();
  };
  waitUntil(follow().catch(() => stream.close()));
  return stream.response;
}

const notAcceptable = (): ProtocolError =>
  new ProtocolError(
    INVALID_REQUEST,
    "Not acceptable: this answer is a stream, Accept must allow text/event-stream",
    406,
  );
