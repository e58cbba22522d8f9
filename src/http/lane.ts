// Which revision a POST speaks: what its `_meta` declares, else what its session settled, else what its header says.

import { signingSecrets, type Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { parseInitialize } from "../protocol/initialize.ts";
import { declaredVersion, parseMeta, UNKNOWN_CLIENT, unsupportedVersion, type ClientInfo } from "../protocol/meta.ts";
import type { Request as RpcRequest } from "../protocol/json-rpc.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import { checkMirroredHeaders } from "../protocol/request-headers.ts";
import { ASSUMED_REVISION, findRevision, type Revision } from "../protocol/revisions.ts";
import { openSession, sealSession } from "../protocol/session-id.ts";

export interface Lane {
  revision: Revision;
  client: ClientInfo;
  /** Whether the request is the handshake, whose answer carries a new session id. */
  handshake: boolean;
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
  if (id === null || revision.era === "modern") return { revision, client: UNKNOWN_CLIENT, handshake: false };
  const session = await openSession(signingSecrets(env), id, keyId, Date.now());
  if (!session) throw new ProtocolError(404, "Session not found: it is unknown or over. Send initialize again", 404);
  return { revision: session.revision, client: session.client, handshake: false };
}

/** `Mcp-Session-Id` for a client that shook hands at a catalogue version. */
export const newSessionId = (env: Env, keyId: string, { revision, client }: Lane, version: number): Promise<string> =>
  sealSession(signingSecrets(env), {
    keyId,
    revision,
    client,
    version,
    expiresAtMs: Date.now() + LIMITS.sessionLifeMs,
  });

/** 2025-06-18 on: an unsupported `MCP-Protocol-Version` is 400. */
function headerRevision(headers: Headers): Revision | undefined {
  const name = headers.get("mcp-protocol-version");
  if (name === null) return undefined;
  const revision = findRevision(name);
  if (!revision) throw unsupportedVersion(name);
  return revision;
}
