// Streams on which a client hears of changes: GET with a legacy session, `subscriptions/listen` in the modern era.

import { callRelayStub } from "../env.ts";
import { CONTROL } from "../keys/key-cache.ts";
import type { KeyFacts } from "../keys/key-record.ts";
import { decodeEventId, encodeEventId, type EventPlace } from "../protocol/event-id.ts";
import type { Request as RpcRequest } from "../protocol/json-rpc.ts";
import { encodeAcknowledged, encodeListChanged, encodeSubscriptionEnd } from "../protocol/notifications.ts";
import { INVALID_REQUEST, ProtocolError } from "../protocol/protocol-error.ts";
import type { SealedSession } from "../protocol/session-id.ts";
import { wantsToolChanges } from "../protocol/subscription-filter.ts";
import type { Answer } from "../server/answer-request.ts";
import { sessionTag } from "../sessions/hub-contract.ts";
import type { Opening } from "../sessions/open-socket.ts";
import { acceptsEvents } from "./accept.ts";
import { EventStream } from "./event-stream.ts";
import { admit, checkSessionLives, socketSessionOf, type Exchange } from "./exchange.ts";
import { followChanges } from "./hub-bridge.ts";
import { laneOfSession, sessionNotFound, type Lane } from "./lane.ts";

/** `subscriptions/listen`: acknowledged first; every message says which subscription it is for. */
export async function listenForChanges(
  { id, params }: RpcRequest,
  lane: Lane,
  exchange: Exchange,
): Promise<Answer | { stream: Response }> {
  const wanted = wantsToolChanges(params);
  if (!acceptsEvents(exchange.request.headers.get("accept"))) throw notAcceptable();
  const admission = await admit(exchange, CONTROL, id);
  if ("refusal" in admission) return admission.refusal;
  const openStream = (): EventStream => {
    const opened = new EventStream(exchange.request.signal);
    opened.send({ event: "message", data: encodeAcknowledged(id, wanted) });
    return opened;
  };
  const opening: Omit<Opening, "hub"> = {
    kind: "listen",
    session: socketSessionOf(exchange, admission.facts, lane),
    tags: [],
  };
  const stream = await followChanges(exchange.env, exchange.request, opening, openStream, {
    onVersion: () => {
      if (wanted) stream.send({ event: "message", data: encodeListChanged(id) });
    },
    onEnd: () => stream.send({ event: "message", data: encodeSubscriptionEnd(id) }),
  });
  return { stream: stream.response };
}

/** GET on the endpoint: the stream of a legacy session, or the rest of a call's stream that `Last-Event-ID` names. */
export async function openSessionStream(exchange: Exchange): Promise<Response | Answer> {
  const { request, env, key } = exchange;
  if (!acceptsEvents(request.headers.get("accept"))) throw notAcceptable();
  const lane = await laneOfSession(request.headers, env, key.keyId);
  const admission = await admit(exchange, CONTROL, null);
  if ("refusal" in admission) return admission.refusal;
  checkSessionLives(lane, exchange);
  if (!lane.session) throw sessionNotFound();
  const place = decodeEventId(request.headers.get("last-event-id") ?? "");
  return place?.stream === "call"
    ? resumeCall(lane.session, place, exchange)
    : streamChanges(lane.session, place?.version, admission.facts, exchange);
}

async function streamChanges(
  session: SealedSession,
  heard: number | undefined,
  facts: KeyFacts,
  exchange: Exchange,
): Promise<Response> {
  const opening: Omit<Opening, "hub"> = {
    kind: "get",
    session: socketSessionOf(exchange, facts, session),
    tags: [sessionTag(session.sessionId)],
    heard: heard ?? session.version,
  };
  const openStream = (): EventStream => new EventStream(exchange.request.signal);
  const stream = await followChanges(exchange.env, exchange.request, opening, openStream, {
    onVersion: (version) => {
      const id = encodeEventId({ stream: "changes", version });
      stream.send({ event: "message", id, data: encodeListChanged() });
    },
    onEnd: () => undefined,
  });
  return stream.response;
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
