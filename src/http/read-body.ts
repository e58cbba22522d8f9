// A request's body as text, read to the limit and no further.

import { LIMITS } from "../lib/limits.ts";
import { readStream } from "../lib/read-stream.ts";
import { INVALID_REQUEST, PARSE_ERROR, ProtocolError } from "../protocol/protocol-error.ts";

/** The body. Throws `ProtocolError` with HTTP 413, 415 or 400 for one that is too long, encoded, no JSON, or not UTF-8. */
export async function readBody(request: Request, limitBytes: number = LIMITS.bodyBytes): Promise<string> {
  const { headers } = request;
  if (!/^application\/json *(;|$)/i.test(headers.get("content-type") ?? "")) {
    throw refuse(415, "Content-Type must be application/json");
  }
  if ((headers.get("content-encoding") ?? "identity") !== "identity") {
    throw refuse(415, "Content-Encoding is not supported: send the body as it is");
  }
  if (Number(headers.get("content-length") ?? 0) > limitBytes) throw tooLong(limitBytes);
  const bytes = request.body ? await readWhole(request.body, limitBytes) : new Uint8Array();
  if (!bytes) throw tooLong(limitBytes);
  return decode(bytes);
}

/** A client that leaves, or whose chunks are none, is not a failure of ours. */
async function readWhole(body: ReadableStream<Uint8Array>, limitBytes: number): Promise<Uint8Array | undefined> {
  try {
    return await readStream(body, limitBytes);
  } catch {
    throw refuse(400, "the body broke off");
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new ProtocolError(PARSE_ERROR, "Parse error: the body must be UTF-8", 400);
  }
}

const refuse = (httpStatus: number, reason: string): ProtocolError =>
  new ProtocolError(INVALID_REQUEST, `Invalid request: ${reason}`, httpStatus);

const tooLong = (limitBytes: number): ProtocolError => refuse(413, `the body is longer than ${limitBytes} bytes`);
