// Where a key may stand, and the one answer to a request without a good one.

import type { Env } from "../env.ts";
import type { KeyCache } from "../keys/key-cache.ts";
import type { VerifiedKey } from "../keys/key-format.ts";
import { encodeError } from "../protocol/json-rpc.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";

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

/** The key of a request, if this server minted it and it stands where it may. With a key in the path, headers are not looked at. */
export async function authenticate(
  keys: KeyCache,
  env: Env,
  request: Request,
  pathKey: string | undefined,
): Promise<VerifiedKey | undefined> {
  const key = pathKey ?? readHeaderKey(request.headers) ?? readSubprotocolKey(request.headers);
  const verified = key === undefined ? undefined : await keys.verify(env, key);
  return verified?.place === (pathKey === undefined ? "header" : "url") ? verified : undefined;
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
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    },
  });
