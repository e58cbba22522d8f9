// A request on its way through the edge, once it is known whose key it carries.

import type { CallDraft } from "../audit/call-row.ts";
import type { Env, WaitUntil } from "../env.ts";
import type { VerifiedKey } from "../keys/key-format.ts";
import { CONTROL, type Entrance, type Price, type Pricing } from "../keys/key-cache.ts";
import type { KeyFacts } from "../keys/key-record.ts";
import { hidesTools } from "../keys/tool-rules.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Id } from "../protocol/json-rpc.ts";
import { DEFAULT_LOG_LEVEL, type LogLevel } from "../protocol/log-level.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import { answerError, answerNotAdmitted, checkMcpScope, type Answer } from "../server/answer-request.ts";
import { endCall } from "../server/call-audit.ts";
import { egressOf, hopsOf, type Isolate, type Peer, type RequestScope } from "../server/scope.ts";
import type { SocketSession } from "../sessions/hub-contract.ts";
import { sessionNotFound, type Lane } from "./lane.ts";

export interface Exchange {
  isolate: Isolate;
  env: Env;
  waitUntil: WaitUntil;
  request: Request;
  /** The request's: asking it for them again and again costs. */
  headers: Headers;
  key: VerifiedKey;
  /** The row of the `tools/call` that is answered. */
  call?: CallDraft | undefined;
  /** How the request was paid for last, for the headers of its answer. */
  toll: { entrance?: Entrance };
}

/** A request whose key is still to be looked at. */
export type Base = Omit<Exchange, "key" | "toll">;

/** What pays for a request, and the end of a call that was let in. */
export type Admission = { facts: KeyFacts; leave?: () => void } | { refusal: Answer };

/** Thrown where the key turns out to be revoked or expired. */
export const REFUSED = Symbol("refused key");

/** Pays for a request: the key's facts, or the answer that it is too early. Throws `REFUSED`, or 403 without the scope. */
export async function admit(
  exchange: Exchange,
  pricing: Price | Pricing | Promise<Price | Pricing>,
  id: Id | null,
): Promise<Admission> {
  const { isolate, env, key, waitUntil } = exchange;
  const price = pricing instanceof Promise ? await pricing : pricing;
  const entrance = isolate.keys.admitAtOnce(key, price) ?? (await isolate.keys.admit(env, key, price, waitUntil));
  const admission = noteEntrance(entrance, exchange, id);
  try {
    if ("facts" in admission) checkMcpScope(admission.facts);
    return admission;
  } catch (error) {
    if ("facts" in admission) admission.leave?.();
    throw error;
  }
}

/** An error as the answer, paid for like any: a client that only sends nonsense runs out of it. Throws `REFUSED`. */
export async function answerFault(id: Id | null, error: unknown, exchange: Exchange): Promise<Answer> {
  const { isolate, env, key, waitUntil } = exchange;
  const admission = noteEntrance(await isolate.keys.admit(env, key, CONTROL, waitUntil), exchange, id);
  return "refusal" in admission ? admission.refusal : answerError(id, error);
}

function noteEntrance(entrance: Entrance, exchange: Exchange, id: Id | null): Admission {
  const { toll, call } = exchange;
  if (entrance.status !== "admitted") endCall(call, OUTCOMES[entrance.status], exchange);
  if (entrance.status === "refused") throw REFUSED;
  toll.entrance = entrance;
  return entrance.status === "admitted" ? entrance : { refusal: answerNotAdmitted(id, entrance) };
}

const OUTCOMES = { limited: "limited", refused: "unauthorized", unavailable: "unavailable" } as const;

/** Throws 404 for a session that was ended: its note came with the key's lease. `leave` ends what was let in already. */
export function checkSessionLives(
  { session }: Pick<Lane, "session">,
  { isolate, key }: Exchange,
  leave?: () => void,
): void {
  if (!session || !isolate.keys.readNote(key, session.sessionId)?.ended) return;
  leave?.();
  throw sessionNotFound();
}

/**
 * Who is on a socket that the edge opens at a hub, with the client where that is known. Rules that are too long to keep
 * there make all news concern it.
 */
export function socketSessionOf(
  { key, request, isolate }: Exchange,
  { tools, expiresAtMs, changes, streams }: KeyFacts,
  speaker?: Pick<Lane, "revision" | "client">,
): SocketSession {
  const short = JSON.stringify(tools).length <= LIMITS.socketRulesChars;
  return {
    v: 1,
    keyId: key.keyId,
    digest: key.digest,
    host: new URL(request.url).host,
    ...(short && hidesTools(tools) && { tools }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    ...(isolate.snapshot.region && { region: isolate.snapshot.region }),
    ...(speaker && { speaker: { revision: speaker.revision.name, client: speaker.client } }),
    ...(changes !== undefined && { changes }),
    ...(streams !== undefined && { streams }),
  };
}

/** What the server needs to know of a request besides its message. */
export function scopeOf(lane: Lane, exchange: Exchange, facts: KeyFacts, peer: Peer): RequestScope {
  const { isolate, env, waitUntil, request, headers, call } = exchange;
  const { revision, client, abilities } = lane;
  const hops = hopsOf(headers);
  // Of one shape for all: what comes and goes makes each a map of its own to the engine.
  return {
    isolate,
    env,
    waitUntil,
    peer,
    facts,
    revision,
    client,
    abilities,
    logLevel: revision.era === "modern" ? lane.logLevel : notedLevel(lane, exchange),
    setLogLevel: lane.session ? (level: LogLevel) => noteLevel(level, lane, exchange) : undefined,
    egress: egressOf(
      env,
      () => new URL(request.url).host,
      () => hops,
    ),
    call,
    isFellow: hops > 0,
    idempotencyHeader: headers.get("idempotency-key") ?? undefined,
    headers: revision.era === "modern" ? headers : undefined,
  };
}

function notedLevel({ session }: Lane, { isolate, key }: Exchange): LogLevel {
  const noted = session && isolate.keys.readNote(key, session.sessionId)?.level;
  return (noted as LogLevel | undefined) ?? DEFAULT_LOG_LEVEL;
}

async function noteLevel(level: LogLevel, { session }: Lane, { isolate, env, key }: Exchange): Promise<void> {
  if (!session) return;
  const { sessionId, expiresAtMs } = session;
  const noted = await isolate.keys.writeNote(env, key, { sessionId, ended: false, level, expiresAtMs });
  if (!noted) throw new ProtocolError(429, "Too many sessions of this key have set a log level", 429);
}
