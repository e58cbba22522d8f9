// JSON-RPC 2.0 as MCP narrows it: ids are strings or integers, params are objects.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { removeHidden } from "../sanitize/clean-output.ts";
import { INVALID_REQUEST, ProtocolError } from "./protocol-error.ts";

export type Id = string | number;

export type Message =
  | { kind: "request"; id: Id; method: string; params: JsonObject }
  | { kind: "notification"; method: string; params: JsonObject }
  | { kind: "response"; id: Id; response: JsonObject };

export type Request = Extract<Message, { kind: "request" }>;

/** Parsed JSON → a message. Throws `ProtocolError` −32600 that says what is wrong. */
export function parseMessage(value: unknown): Message {
  if (!isJsonObject(value)) throw invalid("a message must be a JSON object");
  if (value["jsonrpc"] !== "2.0") throw invalid('"jsonrpc" must be "2.0"');
  const { id, method, params } = value;
  if (method === undefined) return parseResponse(value);
  if (typeof method !== "string" || method.length > LIMITS.idChars) {
    throw invalid(`"method" must be a string of at most ${LIMITS.idChars} characters`);
  }
  if (params !== undefined && !isJsonObject(params)) throw invalid('"params" must be an object');
  if (!("id" in value)) return { kind: "notification", method, params: params ?? {} };
  if (!isId(id)) throw invalid(`"id" must be an integer or a string of at most ${LIMITS.idChars} characters`);
  return { kind: "request", id, method, params: params ?? {} };
}

/**
 * The id to answer under when the rest of a message is not valid; `null` when there is none to be had. A response's is the
 * server's own question's: answered under it, it would answer whichever request its client has given the same id.
 */
export function findId(value: unknown): Id | null {
  if (!isJsonObject(value) || isResponse(value)) return null;
  const { id } = value;
  return isId(id) ? id : null;
}

/** Whether nothing is to be said to it, not even that it is wrong: a notification, or a response. */
export const isSilent = (value: unknown): boolean =>
  isJsonObject(value) && (isResponse(value) || ("method" in value && !("id" in value)));

const isResponse = (value: JsonObject): boolean => !("method" in value) && ("result" in value || "error" in value);

/** A result response; `resultText` is the result, already serialized. */
export const encodeResult = (id: Id, resultText: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultText}}`;

export const encodeError = (id: Id | null, { code, message, data }: ProtocolError): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: removeHidden(message), ...(data && { data }) } });

export const isId = (id: unknown): id is Id =>
  typeof id === "string" ? id.length <= LIMITS.idChars : Number.isSafeInteger(id);

function parseResponse(value: JsonObject): Message {
  if (!isId(value["id"]) || !("result" in value || "error" in value)) {
    throw invalid('a message needs a "method", or an "id" with a "result" or an "error"');
  }
  return { kind: "response", id: value["id"], response: value };
}

const invalid = (reason: string): ProtocolError =>
  new ProtocolError(INVALID_REQUEST, `Invalid request: ${reason}`, 400);
