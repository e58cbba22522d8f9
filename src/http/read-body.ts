// A request's body as text, read to the limit and no further.

import { LIMITS } from "../lib/limits.ts";
import { readStream } from "../lib/read-stream.ts";
import { INVALID_REQUEST, PARSE_ERROR, ProtocolError } from "../protocol/protocol-error.ts";

/** The body. Throws `ProtocolError` with HTTP 413, 415 or 400 for one that is too long, encoded, no JSON, or not UTF-8. */
export async function readBody(request: Request, limitBytes: number = LIMITS.bodyBytes): Promise<string> {
  const { headers } = request;
  const type = headers.get("content-type");
  if (type !== "application/json" && !/^application\/json *(;|$)/i.test(type ?? "")) {
    throw refuse(415, "Content-Type must be application/json");
  }
  if ((headers.get("content-encoding") ?? "identity").toLowerCase() !== "identity") {
    throw refuse(415, "Content-Encoding is not supported: send the body as it is");
  }
  const length = headers.get("content-length");
  if (Number(length ?? 0) > limitBytes) throw tooLong(limitBytes);
  const isAnnounced = length !== null && DIGITS.test(length);
  let bytes: BufferSource | undefined;
  try {
    // Reading a stream costs more than all else that a call does. Platform: a body that was announced ends where that said
    // (one that is chunked as well comes without the header), so it can be taken whole.
    bytes = await (isAnnounced ? request.arrayBuffer() : readUnannounced(request, limitBytes));
  } catch {
    // A client that leaves, or whose chunks are none, is not a failure of ours.
    throw refuse(400, "the body broke off");
  }
  if (!bytes || bytes.byteLength > limitBytes) throw tooLong(limitBytes);
  return decode(bytes);
}

const DIGITS = /^\d+$/;

/** No further than allowed. */
async function readUnannounced({ body }: Request, limitBytes: number): Promise<BufferSource | undefined> {
  return body === null ? new Uint8Array() : readStream(body, limitBytes);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

function decode(bytes: BufferSource): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ProtocolError(PARSE_ERROR, "Parse error: the body must be UTF-8", 400);
  }
}

const refuse = (httpStatus: number, reason: string): ProtocolError =>
  new ProtocolError(INVALID_REQUEST, `Invalid request: ${reason}`, httpStatus);

const tooLong = (limitBytes: number): ProtocolError => refuse(413, `the body is longer than ${limitBytes} bytes`);
