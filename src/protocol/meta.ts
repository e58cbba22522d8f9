// The per-request protocol fields of the modern era. MCP 2026-07-28, basic, "_meta".

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { parseAbilities, type Abilities } from "./abilities.ts";
import { LOG_LEVELS, type LogLevel } from "./log-level.ts";
import { INVALID_PARAMS, ProtocolError, UNSUPPORTED_PROTOCOL_VERSION } from "./protocol-error.ts";
import { MCP_PREFIX } from "./reserved-meta.ts";
import { findRevision, REVISION_NAMES, type Revision } from "./revisions.ts";

export const PROTOCOL_VERSION = `${MCP_PREFIX}protocolVersion`;
export const CLIENT_INFO = `${MCP_PREFIX}clientInfo`;
export const CLIENT_CAPABILITIES = `${MCP_PREFIX}clientCapabilities`;
export const LOG_LEVEL = `${MCP_PREFIX}logLevel`;
export const SUBSCRIPTION_ID = `${MCP_PREFIX}subscriptionId`;
export const SERVER_INFO = `${MCP_PREFIX}serverInfo`;

/** Who the client says it is: for display and logs alone. */
export interface ClientInfo {
  name: string;
  version: string;
}

export const UNKNOWN_CLIENT: ClientInfo = { name: "unknown", version: "unknown" };

/** The version that `_meta` declares, of whatever type; `undefined` when it declares none. */
export function declaredVersion(params: JsonObject): unknown {
  const meta = params["_meta"];
  return isJsonObject(meta) ? meta[PROTOCOL_VERSION] : undefined;
}

/** What a modern request says of itself. */
export interface RequestMeta {
  revision: Revision;
  client: ClientInfo;
  abilities: Abilities;
  /** The least severe log messages that the client wants; none without it. */
  logLevel: LogLevel | undefined;
}

/** Checks the required fields. Throws −32602 for one that is missing or misshapen, −32022 for an unknown version. */
export function parseMeta(params: JsonObject): RequestMeta {
  const meta = params["_meta"];
  if (!isJsonObject(meta)) throw missing("_meta", "an object");
  const version = meta[PROTOCOL_VERSION];
  if (typeof version !== "string") throw missing(`_meta["${PROTOCOL_VERSION}"]`, "a string");
  const revision = modernRevision(version);
  if (!isJsonObject(meta[CLIENT_CAPABILITIES])) throw missing(`_meta["${CLIENT_CAPABILITIES}"]`, "an object");
  const info = meta[CLIENT_INFO];
  if (info !== undefined && !isJsonObject(info)) throw missing(`_meta["${CLIENT_INFO}"]`, "an object when present");
  const abilities = parseAbilities(meta[CLIENT_CAPABILITIES]);
  return { revision, client: parseClientInfo(info), abilities, logLevel: parseLogLevel(meta[LOG_LEVEL]) };
}

/** A level of RFC 5424. Throws −32602 for one that is none (2026-07-28, server/utilities/logging). */
export function parseLogLevel(level: unknown): LogLevel | undefined {
  if (level === undefined) return undefined;
  const known = LOG_LEVELS.find((name) => name === level);
  if (!known) throw missing("the log level", `one of ${LOG_LEVELS.join(", ")}`);
  return known;
}

/** A client's name and version, cut to size. */
export function parseClientInfo(info: unknown): ClientInfo {
  if (!isJsonObject(info)) return UNKNOWN_CLIENT;
  return { name: shortText(info["name"]), version: shortText(info["version"]) };
}

/** −32022 with the versions that would do (2026-07-28, basic/versioning). */
export const unsupportedVersion = (requested: string): ProtocolError =>
  new ProtocolError(
    UNSUPPORTED_PROTOCOL_VERSION,
    `Unsupported protocol version ${JSON.stringify(requested.slice(0, LIMITS.idChars))}: this server speaks ${REVISION_NAMES.join(", ")}`,
    400,
    { supported: REVISION_NAMES, requested: requested.slice(0, LIMITS.idChars) },
  );

function modernRevision(version: string): Revision {
  const revision = findRevision(version);
  if (revision?.era !== "modern") throw unsupportedVersion(version);
  return revision;
}

function shortText(value: unknown): string {
  if (typeof value !== "string") return "unknown";
  return (/^[ -~]*$/.test(value) ? value : value.replace(/\p{C}/gu, "")).slice(0, LIMITS.clientNameChars);
}

const missing = (field: string, expected: string): ProtocolError =>
  new ProtocolError(INVALID_PARAMS, `Invalid params: ${field} must be ${expected}`, 400);
