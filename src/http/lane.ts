// Which revision a POST speaks: what its `_meta` declares, else what its session settled, else what its header says.

import { signingSecrets, type Env } from "../env.ts";
import type { VerifiedKey } from "../keys/key-format.ts";
import { LIMITS } from "../lib/limits.ts";
import { NO_ABILITIES } from "../protocol/abilities.ts";
import { parseInitialize } from "../protocol/initialize.ts";
import type { Request as RpcRequest } from "../protocol/json-rpc.ts";
import type { LogLevel } from "../protocol/log-level.ts";
import { declaredVersion, parseMeta, UNKNOWN_CLIENT, unsupportedVersion } from "../protocol/meta.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import { checkMirroredHeaders } from "../protocol/request-headers.ts";
import { ASSUMED_REVISION, findRevision, type Revision } from "../protocol/revisions.ts";
import {
  newSessionName,
  openSession,
  sealSession,
  type LegacySession,
  type SealedSession,
} from "../protocol/session-id.ts";
import type { Isolate } from "../server/scope.ts";

export interface Lane extends LegacySession {
  /** Whether the request is the handshake, whose answer carries a new session id. */
  handshake: boolean;
  /** The legacy session that the request belongs to. */
  session?: SealedSession;
  /** What a modern request wants to be told; a legacy client's level is noted with its session. */
  logLevel?: LogLevel | undefined;
}

/** Who sends a request, and where it came in. */
export interface Sender {
  isolate: Pick<Isolate, "sessions">;
  env: Env;
  headers: Headers;
  key: Pick<VerifiedKey, "keyId">;
}

/**
 * The lane of a request, at once unless a session's MAC is to be checked. Throws `ProtocolError`: −32020, −32022 or −32602 in
 * the modern era, 404 for a bad session.
 */
export function laneOfRequest(message: RpcRequest, sender: Sender): Lane | Promise<Lane> {
  const { method, params } = message;
  const { headers } = sender;
  const declared = declaredVersion(params) !== undefined;
  if (method === "initialize" && !declared) return { ...parseInitialize(params), handshake: true };
  if (!declared && headerRevision(headers)?.era !== "modern") return laneOfSession(sender);
  checkMirroredHeaders(headers, message);
  return { ...parseMeta(params), handshake: false };
}

/** The lane of a message that declares nothing itself: a legacy one, with or without a session. Throws as above. */
export function laneOfSession({ isolate, env, headers, key }: Sender): Lane | Promise<Lane> {
  const revision = headerRevision(headers) ?? ASSUMED_REVISION;
  const id = headers.get("mcp-session-id");
  if (id === null || revision.era === "modern") {
    return { revision, client: UNKNOWN_CLIENT, abilities: NO_ABILITIES, handshake: false };
  }
  const session = readSession(isolate, env, id, key.keyId);
  return session instanceof Promise ? session.then(laneIn) : laneIn(session);
}

function laneIn(session: SealedSession | undefined): Lane {
  if (!session) throw sessionNotFound();
  const { revision, client, abilities } = session;
  return { revision, client, abilities, handshake: false, session };
}

/** A MAC is checked once in an isolate; whose session it is and when it ends, every time. */
function readSession(
  { sessions }: Pick<Isolate, "sessions">,
  env: Env,
  id: string,
  keyId: string,
): SealedSession | undefined | Promise<SealedSession | undefined> {
  const nowMs = Date.now();
  const known = sessions.get(id);
  if (known) return known.keyId === keyId && known.expiresAtMs > nowMs ? known : undefined;
  const opened = openSession(signingSecrets(env), id, keyId, nowMs);
  return opened.then((session) => session && sessions.set(id, session));
}

export const sessionNotFound = (): ProtocolError =>
  new ProtocolError(404, "Session not found: it is unknown or over. Send initialize again", 404);

/**
 * `Mcp-Session-Id` for a client that shook hands, and what it can't have missed: up to a version and a change of its key. The
 * isolate that made it knows it.
 */
export async function newSessionId(
  { isolate: { sessions }, env, key: { keyId } }: Omit<Sender, "headers">,
  { revision, client, abilities }: Lane,
  start: Pick<SealedSession, "version" | "changes">,
): Promise<string> {
  const expiresAtMs = Date.now() + LIMITS.sessionLifeMs;
  const session = { sessionId: newSessionName(), keyId, revision, client, abilities, ...start, expiresAtMs };
  const id = await sealSession(signingSecrets(env), session);
  sessions.set(id, session);
  return id;
}

/** 2025-06-18 on: an unsupported `MCP-Protocol-Version` is 400. */
export function headerRevision(headers: Headers): Revision | undefined {
  const name = headers.get("mcp-protocol-version");
  if (name === null) return undefined;
  const revision = findRevision(name);
  if (!revision) throw unsupportedVersion(name);
  return revision;
}
