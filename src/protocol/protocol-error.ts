// Errors for the author of a client: JSON-RPC errors, each with the HTTP status that its revision asks for.

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** 2026-07-28, basic, "Error Codes". */
export const HEADER_MISMATCH = -32020;
export const MISSING_CLIENT_CAPABILITY = -32021;
export const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/** A JSON-RPC error to answer with. Codes of our own equal the HTTP status, outside the reserved range. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code: number;
  readonly httpStatus: number;
  readonly data: Record<string, unknown> | undefined;

  constructor(code: number, message: string, httpStatus = 200, data?: Record<string, unknown>) {
    super(message);
    this.code = code;
    this.httpStatus = httpStatus;
    this.data = data;
  }
}
