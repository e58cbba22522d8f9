// Which of the two shapes of an answer a client takes. Lenient: clients that name only one, or none, get what they can read.

import { LIMITS } from "../lib/limits.ts";
import { LruMap } from "../lib/lru-map.ts";
import { INVALID_REQUEST, ProtocolError } from "../protocol/protocol-error.ts";

export type Format = "json" | "sse";

/** What a client takes, by its `Accept`. */
export interface Acceptance {
  /** JSON where it is accepted, else SSE; absent for whom neither will do. */
  format: Format | undefined;
  /** Whether a stream may be the answer. Clients that name nothing, or everything, are taken to read JSON only. */
  streams: boolean;
}

const known = new LruMap<string, Acceptance>(LIMITS.accepts);

/** Clients of one kind send one `Accept`, so most are known. */
export function acceptanceOf(accept: string | null): Acceptance {
  const text = accept ?? "";
  const found = known.get(text);
  if (found) return found;
  const acceptance = { format: findFormat(accept), streams: acceptsStreams(accept) };
  return text.length > LIMITS.acceptChars ? acceptance : known.set(text, acceptance);
}

/** Throws `ProtocolError` with HTTP 406 when both are excluded (RFC 9110 12.5.1). */
export function checkAcceptable({ format }: Acceptance): void {
  if (format !== undefined) return;
  throw new ProtocolError(
    INVALID_REQUEST,
    "Not acceptable: Accept must allow application/json or text/event-stream",
    406,
  );
}

function findFormat(accept: string | null): Format | undefined {
  if (accept === null || accept.trim() === "") return "json";
  const ranges = accept.split(",").map(parseRange);
  if (qualityOf("application/json", ranges) > 0) return "json";
  return qualityOf("text/event-stream", ranges) > 0 ? "sse" : undefined;
}

/** Whether a client that asked for a stream takes one: by its name, by a wildcard, or by saying nothing. */
export const acceptsEvents = (accept: string | null): boolean =>
  accept === null || accept.trim() === "" || qualityOf("text/event-stream", accept.split(",").map(parseRange)) > 0;

const acceptsStreams = (accept: string | null): boolean =>
  qualityOf("text/event-stream", (accept ?? "").split(",").map(parseRange), []) > 0;

/** Whether a client would rather have JSON than a page: only where its `Accept` says so. */
export function prefersJson(accept: string | null): boolean {
  const ranges = (accept ?? "").split(",").map(parseRange);
  return qualityOf("application/json", ranges) > qualityOf("text/html", ranges);
}

interface Range {
  type: string;
  quality: number;
}

function parseRange(text: string): Range {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="));
  return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
}

/** The most specific range decides. */
function qualityOf(
  mediaType: string,
  ranges: readonly Range[],
  wildcards: readonly string[] = [`${mediaType.split("/")[0]}/*`, "*/*"],
): number {
  for (const candidate of [mediaType, ...wildcards]) {
    const range = ranges.find(({ type }) => type === candidate);
    if (range) return range.quality;
  }
  return 0;
}
