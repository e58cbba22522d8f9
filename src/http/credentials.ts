// Where a key may stand, and the one answer to a request without a good one.

import type { Env } from "../env.ts";
import type { VerifiedKey } from "../keys/key-format.ts";
import { encodeError } from "../protocol/json-rpc.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import type { Isolate } from "../server/scope.ts";

const SOCKET_PREFIX = "mcp.auth.";

/** The key in `Authorization: Bearer` (the scheme in any case, RFC 9110 11.1) or `X-API-Key`; none when they differ. */
export function readHeaderKey(headers: Headers): string | undefined {
  const bearer = /^bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  const plain = headers.get("x-api-key") ?? undefined;
  if (bearer !== undefined && plain !== undefined && bearer !== plain) return undefined;
  return bearer ?? plain;
}

/** The key that a WebSocket client offers as the subprotocol `mcp.auth.<key>`, where it offers none in a header. */
export const readSubprotocolKey = (headers: Headers): string | undefined =>
  headers.has("upgrade") && !headers.has("authorization") && !headers.has("x-api-key")
    ? findSubprotocolKey(headers)
    : undefined;

const findSubprotocolKey = (headers: Headers): string | undefined =>
  readSubprotocols(headers)
    .find((name) => name.startsWith(SOCKET_PREFIX))
    ?.slice(SOCKET_PREFIX.length);

export const readSubprotocols = (headers: Headers): string[] =>
  (headers.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());

/**
 * Who sends a request: an IPv4 address, or the network that an IPv6 address is one of too many of. `undefined` where
 * nothing tells.
 */
export function addressOf(headers: Headers): string | undefined {
  const address = headers.get("cf-connecting-ip") ?? undefined;
  if (!address?.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").filter((group) => group !== "").length;
  return [...groups, ...Array.from({ length: Math.max(0, missing) }, () => "0")].slice(0, 4).join(":");
}

/** A key that was offered: known to be minted here, not minted here, or not looked at for so many milliseconds. */
export type Identification = { key: VerifiedKey } | { refused: true } | { waitMs: number };

/** Whose key it is. Only what this server did not mint counts against the address that it came from. */
export async function identify(
  { keys, strangers }: Pick<Isolate, "keys" | "strangers">,
  env: Env,
  headers: Headers,
  key: string,
): Promise<Identification> {
  const known = keys.recall(key);
  if (known) return { key: known };
  const address = addressOf(headers);
  const restMs = strangers.readWait(address, Date.now());
  if (restMs > 0) return { waitMs: restMs };
  const verified = await keys.verify(env, key);
  if (verified) return { key: verified };
  const waitMs = await strangers.countFailure(env, address, Date.now());
  return waitMs > 0 ? { waitMs } : { refused: true };
}

/** The key of a request where its isolate knows it, and it stands where it may: nothing is worked out. */
export function recallKey({ keys }: Pick<Isolate, "keys">, headers: Headers): VerifiedKey | undefined {
  const key = readHeaderKey(headers);
  const known = key === undefined ? undefined : keys.recall(key);
  return known?.place === "header" ? known : undefined;
}

/**
 * The key of a request, if this server minted it and it stands where it may; else the answer. With a key in the path,
 * headers are not looked at.
 */
export async function authenticate(
  isolate: Isolate,
  env: Env,
  headers: Headers,
  pathKey: string | undefined,
): Promise<VerifiedKey | Response> {
  const key = pathKey ?? readHeaderKey(headers) ?? readSubprotocolKey(headers);
  if (key === undefined) return unauthorized();
  const identified = await identify(isolate, env, headers, key);
  if ("waitMs" in identified) return tooManyRefused(identified.waitMs);
  const place = pathKey === undefined ? "header" : "url";
  return "key" in identified && identified.key.place === place ? identified.key : unauthorized();
}

const MISSING_KEY = new ProtocolError(
  401,
  "A valid API key is required: send it as `Authorization: Bearer <key>` or `X-API-Key: <key>`",
);

/**
 * One fixed answer for every key that is missing, malformed, unknown, revoked or out of place. No `error=` in the
 * challenge: clients take it for OAuth.
 */
export const unauthorized = (): Response =>
  new Response(encodeError(null, MISSING_KEY), {
    status: 401,
    headers: {
      "content-type": "application/json",
      "www-authenticate": 'Bearer realm="toolgate"',
    },
  });

/** For an address over the ceiling. */
function tooManyRefused(waitMs: number): Response {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const message = `${TOO_MANY_REFUSED}: retry in ${retryAfterSeconds} s`;
  const error = new ProtocolError(429, message, 429, { retryAfterSeconds, scope: "address" });
  return new Response(encodeError(null, error), {
    status: 429,
    headers: {
      "content-type": "application/json",
      "retry-after": String(retryAfterSeconds),
    },
  });
}

export const TOO_MANY_REFUSED = "Too many keys from this address were refused";
