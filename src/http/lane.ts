// Which revision a POST speaks: what its `_meta` declares, else what its session settled, else what its header says.

import { signingSecrets, type Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { NO_ABILITIES } from "../protocol/abilities.ts";
import { parseInitialize } from "../protocol/initialize.ts";
import type { Request as RpcRequest } from "../protocol/json-rpc.ts";
import type { LogLevel } from "../protocol/log-level.ts";
import { declaredVersion, parseMeta, UNKNOWN_CLIENT, unsupportedVersion } from "../protocol/meta.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import { checkMirroredHeaders } from "../protocol/request-headers.ts";
import { ASSUMED_REVISION, findRevision, type Revision } from "../protocol/revisions.ts";
import { openSession, sealSession, type LegacySession, type SealedSession } from "../protocol/session-id.ts";

export interface Lane extends LegacySession {
  /** Whether the request is the handshake, whose answer carries a new session id. */
  handshake: boolean;
  /** The legacy session that the request belongs to. */
  session?: SealedSession;
  /** What a modern request wants to be told; a legacy client's level is noted with its session. */
  logLevel?: LogLevel | undefined;
}

/** The lane of a request. Throws `ProtocolError`: −32020, −32022 or −32602 in the modern era, 404 for a bad session. */
export async function laneOfRequest(request: RpcRequest, headers: Headers, env: Env, keyId: string): Promise<Lane> {
  const { method, params } = request;
  const declared = declaredVersion(params) !== undefined;
  if (method === "initialize" && !declared) return { ...parseInitialize(params), handshake: true };
  if (!declared && headerRevision(headers)?.era !== "modern") return laneOfSession(headers, env, keyId);
  checkMirroredHeaders(headers, request);
  return { ...parseMeta(params), handshake: false };
}

/** The lane of a message that declares nothing itself: a legacy one, with or without a session. */
export async function laneOfSession(headers: Headers, env: Env, keyId: string): Promise<Lane> {
  const revision = headerRevision(headers) ?? ASSUMED_REVISION;
  const id = headers.get("mcp-session-id");
  if (id === null || revision.era === "modern") {
    return { revision, client: UNKNOWN_CLIENT, abilities: NO_ABILITIES, handshake: false };
  }
  const session = await openSession(signingSecrets(env), id, keyId, Date.now());
  if (!session) throw sessionNotFound();
  const { client, abilities } = session;
  return { revision: session.revision, client, abilities, handshake: false, session };
}

export const sessionNotFound = (): ProtocolError =>
  new ProtocolError(404, "Session not found: it is unknown or over. Send initialize again", 404);

/** `Mcp-Session-Id` for a client that shook hands, and what it can't have missed: up to a version and a change of its key. */
export const newSessionId = (
  env: Env,
  keyId: string,
  lane: Lane,
  start: Pick<SealedSession, "version" | "changes">,
): Promise<string> => {
  const { revision, client, abilities } = lane;
  const expiresAtMs = Date.now() + LIMITS.sessionLifeMs;
  return sealSession(signingSecrets(env), { keyId, revision, client, abilities, ...start, expiresAtMs });
};

/** 2025-06-18 on: an unsupported `MCP-Protocol-Version` is 400. */
export function headerRevision(headers: Headers): Revision | undefined {
  const name = headers.get("mcp-protocol-version");
  if (name === null) return undefined;
  const revision = findRevision(name);
  if (!revision) throw unsupportedVersion(name);
  return revision;
}
