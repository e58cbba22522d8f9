// A client's name for one call that it may have to send again. In `_meta` on every transport, or in the header
// `Idempotency-Key` over HTTP (draft-ietf-httpapi-idempotency-key-header-07).

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { INVALID_PARAMS, ProtocolError } from "./protocol-error.ts";
import { OWN_PREFIX } from "./reserved-meta.ts";

export const IDEMPOTENCY_KEY = `${OWN_PREFIX}idempotencyKey`;
/** Set to `true` in the `_meta` of an answer that was given before. */
export const IDEMPOTENT_REPLAY = `${OWN_PREFIX}idempotentReplay`;

const VISIBLE = /^[\x21-\x7e]+$/;
// A String of RFC 9651, section 3.3.3.
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
// Many clients send it bare. A comma would be a second key, a semicolon a parameter.
const BARE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/;

/** The key of a call, if its client gave it one. Throws −32602 for one that is none, or two that differ. */
export function findIdempotencyKey({ _meta: meta }: JsonObject, header: string | undefined): string | undefined {
  const given = isJsonObject(meta) ? meta[IDEMPOTENCY_KEY] : undefined;
  if (given === undefined && header === undefined) return undefined;
  const key = given === undefined ? undefined : checkKey(given, `_meta["${IDEMPOTENCY_KEY}"]`);
  if (header === undefined) return key;
  const named = checkKey(unquote(header.trim()), "Idempotency-Key, one quoted string,");
  if (key !== undefined && key !== named) {
    throw invalid(`Idempotency-Key and _meta["${IDEMPOTENCY_KEY}"] are both there and differ`);
  }
  return named;
}

function checkKey(key: unknown, place: string): string {
  if (typeof key === "string" && key.length <= LIMITS.idempotencyKeyChars && VISIBLE.test(key)) return key;
  throw invalid(`${place} must have 1 to ${LIMITS.idempotencyKeyChars} visible ASCII characters`);
}

function unquote(header: string): string | undefined {
  const [, quoted] = QUOTED.exec(header) ?? [];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, "$1");
  return BARE.test(header) ? header : undefined;
}

const invalid = (reason: string): ProtocolError => new ProtocolError(INVALID_PARAMS, `Invalid params: ${reason}`);
