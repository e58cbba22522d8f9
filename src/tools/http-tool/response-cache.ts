// Answers to GET that one isolate keeps, as a private cache of each API key (RFC 9111): the key's id and all that is sent
// are part of what an answer is kept under, so no answer crosses from one key, secret or header to another. Nothing is
// fresh unless the upstream said for how long; never served stale.

import { LIMITS } from "../../lib/limits.ts";
import { LruMap } from "../../lib/lru-map.ts";
import { sha256Hex } from "../../lib/signing.ts";
import type { EgressResponse } from "../context.ts";

interface Entry {
  response: EgressResponse;
  etag: string | null;
  lastModified: string | null;
  freshUntilMs: number;
}

export interface CacheableRequest {
  keyId: string;
  url: string;
  headers: Record<string, string>;
}

type Fetch = (headers: Record<string, string>) => Promise<EgressResponse>;

/** Headers by which a record says that it wants no cache between it and the upstream, or sees to it itself. */
const OWN_CACHING = /^(?:cache-control|pragma|range|if-.+)$/;

export class ResponseCache {
  readonly #entries = new LruMap<string, Entry>(LIMITS.httpCacheEntries);

  /** The answer kept for this very request while it is fresh or the upstream says that it still holds; else a new one. */
  async fetch(request: CacheableRequest, send: Fetch): Promise<EgressResponse> {
    if (Object.keys(request.headers).some((name) => OWN_CACHING.test(name))) return send({});
    const place = await digest(request);
    const held = this.#entries.get(place);
    if (!held) return this.#keep(place, request, await send({}));
    if (Date.now() < held.freshUntilMs) return held.response;
    const response = await send(conditionsOf(held));
    if (response.status !== 304) return this.#keep(place, request, response);
    // A 304 from where a redirect led speaks of another resource than the one that is held.
    if (response.url !== request.url) return this.#keep(place, request, await send({}));
    return this.#renew(place, held, response.headers);
  }

  #keep(place: string, request: CacheableRequest, response: EgressResponse): EgressResponse {
    const entry = isKept(request, response) ? toEntry(response, response.headers) : undefined;
    if (entry) this.#entries.set(place, entry);
    else this.#entries.delete(place);
    return response;
  }

  /** RFC 9111, 4.3.4: what the 304 says of caching counts from now on. */
  #renew(place: string, held: Entry, news: Headers): EgressResponse {
    const headers = new Headers(held.response.headers);
    for (const name of ["cache-control", "age", "etag", "last-modified", "vary"]) {
      const value = news.get(name);
      if (value !== null) headers.set(name, value);
      else if (name === "age") headers.delete(name);
    }
    const entry = mayKeep(headers) ? toEntry(held.response, headers) : undefined;
    if (entry) this.#entries.set(place, entry);
    else this.#entries.delete(place);
    return held.response;
  }
}

/** A digest, so that the table holds no secrets in clear. */
const digest = ({ keyId, url, headers }: CacheableRequest): Promise<string> =>
  sha256Hex(JSON.stringify([keyId, url, Object.entries(headers).sort()]));

const conditionsOf = ({ etag, lastModified }: Entry): Record<string, string> => ({
  ...(etag !== null && { "if-none-match": etag }),
  ...(lastModified !== null && { "if-modified-since": lastModified }),
});

/** The whole answer of the very URL that was asked, and small enough. */
const isKept = ({ url }: CacheableRequest, response: EgressResponse): boolean =>
  response.status === 200 &&
  response.url === url &&
  response.bytes.byteLength <= LIMITS.httpCacheEntryBytes &&
  !response.headers.has("set-cookie") &&
  mayKeep(response.headers);

/** Whatever else `Vary` names is part of the request that an answer is kept under. */
const mayKeep = (headers: Headers): boolean =>
  !directivesOf(headers).has("no-store") && !/(?:^|,)\s*\*/.test(headers.get("vary") ?? "");

/** Nothing when it would have to be asked for anew each time. */
function toEntry(response: EgressResponse, headers: Headers): Entry | undefined {
  const etag = validatorOf(headers, "etag");
  const lastModified = validatorOf(headers, "last-modified");
  const freshMs = freshnessOf(headers);
  if (freshMs <= 0 && etag === null && lastModified === null) return undefined;
  return { response: { ...response, headers }, etag, lastModified, freshUntilMs: Date.now() + freshMs };
}

function validatorOf(headers: Headers, name: string): string | null {
  const value = headers.get(name);
  return value !== null && /^[\x20-\x7e]+$/.test(value) && value.length <= LIMITS.httpValidatorChars ? value : null;
}

/** How long it may be given again without asking, in milliseconds: what `max-age` says, and no guess without it. */
function freshnessOf(headers: Headers): number {
  const directives = directivesOf(headers);
  const maxAge = directives.get("max-age") ?? "";
  if (directives.has("no-cache") || !/^\d{1,9}$/.test(maxAge)) return 0;
  const age = headers.get("age") ?? "0";
  const ageSeconds = /^\d{1,9}$/.test(age) ? Number(age) : Number(maxAge);
  return Math.min(LIMITS.httpCacheFreshMs, (Number(maxAge) - ageSeconds) * 1_000);
}

function directivesOf(headers: Headers): Map<string, string> {
  const directives = (headers.get("cache-control") ?? "").toLowerCase().split(",");
  return new Map(
    directives.map((directive): [string, string] => {
      const [name = "", value = ""] = directive.split("=");
      return [name.trim(), value.trim().replaceAll('"', "")];
    }),
  );
}
