// How an upstream is spoken to: without a session (modern era) or with one that `initialize` opened (legacy era).

import { cutText } from "../../lib/cut-text.ts";
import { isJsonObject, type JsonObject } from "../../lib/json-value.ts";
import { LIMITS } from "../../lib/limits.ts";
import { randomText } from "../../lib/random.ts";
import { CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION } from "../../protocol/meta.ts";
import { findRevision, negotiateRevision, REVISIONS, type Era } from "../../protocol/revisions.ts";
import { SERVER } from "../../protocol/server-info.ts";
import { exchange, resultOf, type Outgoing, type Reply, type UpstreamLink, type UpstreamTarget } from "./exchange.ts";
import { encodeHeaderValue } from "./header-value.ts";
import { cleanLine, UpstreamError } from "./upstream-error.ts";

export interface UpstreamSession {
  era: Era;
  revision: string;
  /** A legacy session's, where the server has any. */
  sessionId?: string;
}

// Nothing is declared that could not be passed on: no sampling, no elicitation, no roots.
const CLIENT = { name: SERVER.name, version: SERVER.version };
const [MODERN = { name: "2026-07-28" }] = REVISIONS;
const NEWEST_LEGACY = negotiateRevision(undefined).name;

/** What a request of the modern era needs to know beforehand: nothing. */
export const MODERN_SESSION: UpstreamSession = { era: "modern", revision: MODERN.name };

/** Finds out which era an upstream is of, the modern one first. Throws `UpstreamError`. */
export async function connect(target: UpstreamTarget, link: UpstreamLink): Promise<UpstreamSession> {
  const reply = await exchange(target, link, {
    ...encodeRequest(MODERN_SESSION, "server/discover"),
    timeoutMs: LIMITS.upstreamHandshakeMs,
  });
  return isModern(reply) ? MODERN_SESSION : initialize(target, link);
}

/** Opens a legacy session (2025-11-25, basic/lifecycle). Throws `UpstreamError`. */
export async function initialize(target: UpstreamTarget, link: UpstreamLink): Promise<UpstreamSession> {
  const params = { protocolVersion: NEWEST_LEGACY, capabilities: {}, clientInfo: CLIENT };
  const message = { jsonrpc: "2.0", id: randomText(12), method: "initialize", params };
  const timeoutMs = LIMITS.upstreamHandshakeMs;
  const reply = await exchange(target, link, { message, headers: {}, timeoutMs });
  const { protocolVersion } = resultOf(target, reply);
  if (findRevision(protocolVersion)?.era !== "legacy") {
    const said = cutText(cleanLine(String(protocolVersion), target.redactor), 40);
    throw new UpstreamError(`Upstream ${target.name} wants a protocol version that is not known here: ${said}.`);
  }
  const sessionId = reply.headers.get("mcp-session-id");
  if ((sessionId?.length ?? 0) > LIMITS.upstreamSessionIdChars) {
    throw new UpstreamError(`Upstream ${target.name} has session ids longer than ${LIMITS.upstreamSessionIdChars}.`);
  }
  const session = { era: "legacy", revision: String(protocolVersion), ...(sessionId && { sessionId }) } as const;
  await exchange(target, link, { ...encodeNotification(session, "notifications/initialized"), timeoutMs });
  return session;
}

/** A request in the words of a session's era, and the headers that go with it. */
export function encodeRequest(
  session: UpstreamSession,
  method: string,
  params: JsonObject = {},
): Pick<Outgoing, "message" | "headers"> & { message: { id: string } } {
  const id = randomText(12);
  const given = isJsonObject(params["_meta"]) ? params["_meta"] : {};
  const modern = {
    [PROTOCOL_VERSION]: session.revision,
    [CLIENT_INFO]: CLIENT,
    [CLIENT_CAPABILITIES]: {},
  };
  const meta = session.era === "modern" ? { ...given, ...modern } : { ...given };
  const all = { ...params, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
  const message = { jsonrpc: "2.0", id, method, params: all };
  if (session.era === "legacy") return { message, headers: sessionHeaders(session) };
  const { name } = params;
  const mirrored = typeof name === "string" ? { "mcp-name": encodeHeaderValue(name) } : {};
  return { message, headers: { ...sessionHeaders(session), "mcp-method": method, ...mirrored } };
}

export const encodeNotification = (
  session: UpstreamSession,
  method: string,
  params: JsonObject = {},
): Pick<Outgoing, "message" | "headers"> => ({
  message: { jsonrpc: "2.0", method, params },
  headers: sessionHeaders(session),
});

export const sessionHeaders = ({ revision, sessionId }: UpstreamSession): Record<string, string> => ({
  "mcp-protocol-version": revision,
  ...(sessionId !== undefined && { "mcp-session-id": sessionId }),
});

/** Whatever a server of the legacy era answers to a method that it does not know, `initialize` will tell more. */
function isModern({ message }: Reply): boolean {
  const result = message?.["result"];
  const versions = isJsonObject(result) ? result["supportedVersions"] : undefined;
  return Array.isArray(versions) && versions.includes(MODERN.name);
}
