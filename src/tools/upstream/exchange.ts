// One message to an upstream and what comes back: JSON, or a stream whose news are passed on until the response is there.
// MCP 2025-11-25 and 2026-07-28, basic/transports, "Streamable HTTP".

import { findExcess, isJsonObject, type JsonObject } from "../../lib/json-value.ts";
import { LIMITS } from "../../lib/limits.ts";
import type { Redactor } from "../../sanitize/secrets.ts";
import type { AfterCall, EgressResponse, ResponseHead, ToolContext } from "../context.ts";
import { decodeText, isJsonType, parseMediaType } from "../media-type.ts";
import { EventParser } from "./event-parser.ts";
import { cleanLine, toUpstreamError, UpstreamError } from "./upstream-error.ts";

/** Where an upstream is, its headers with their secrets filled in. */
export interface UpstreamTarget {
  name: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Knows those secrets. */
  redactor: Redactor;
}

/** The guarded way there. */
export interface UpstreamLink {
  fetch: ToolContext["fetch"];
  /** For what goes on when the call is over. */
  fetchLater: AfterCall["fetch"];
}

export interface Outgoing {
  /** A request, or without an id a notification or a response. */
  message: JsonObject;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** Is told of every message that is not the response. */
  hear?: (message: JsonObject) => void;
}

/** An answer: `message` is the response, if there was one, and `text` its JSON as it came. */
export interface Reply {
  status: number;
  headers: Headers;
  message?: JsonObject;
  text: string;
  /** Whether anything of it shows that the server took the request up: its id, a stream, a redirect. */
  isTakenUp: boolean;
}

/** Sends a message and reads its answer. Throws `UpstreamError`, or the signal's reason once that fired. */
export async function exchange(target: UpstreamTarget, link: UpstreamLink, outgoing: Outgoing): Promise<Reply> {
  const stream = new StreamReader(target, outgoing);
  try {
    const init = { ...initOf(target, outgoing), onChunk: stream.onChunk };
    return toReply(target, outgoing, await link.fetch(target.url, init), stream.found);
  } catch (error) {
    throw toUpstreamError(target.name, error);
  }
}

/** Sends a message whose answer nobody waits for. */
export const sendLater = (target: UpstreamTarget, link: UpstreamLink, outgoing: Outgoing): void =>
  link.fetchLater(target.url, initOf(target, outgoing));

function initOf({ url, headers }: UpstreamTarget, { message, headers: ours, timeoutMs }: Outgoing) {
  return {
    method: "POST",
    hosts: [new URL(url).host],
    headers: {
      ...headers,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...ours,
    },
    body: JSON.stringify(message),
    timeoutMs,
    maxBytes: LIMITS.upstreamBytes,
  };
}

interface Found {
  message: JsonObject;
  text: string;
}

/** Reads events while they come, until one is the response. */
class StreamReader {
  found: Found | undefined;
  readonly #target: UpstreamTarget;
  readonly #outgoing: Outgoing;
  readonly #events = new EventParser();
  readonly #decoder = new TextDecoder();

  constructor(target: UpstreamTarget, outgoing: Outgoing) {
    this.#target = target;
    this.#outgoing = outgoing;
  }

  readonly onChunk = (chunk: Uint8Array, head: ResponseHead): "more" | "enough" => {
    if (!isStream(head)) return "more";
    for (const data of this.#events.push(this.#decoder.decode(chunk, { stream: true }))) this.#take(data);
    return this.found ? "enough" : "more";
  };

  #take(text: string): void {
    if (this.found) return;
    const message = parseMessage(this.#target, text);
    if (isResponseTo(this.#outgoing.message, message)) this.found = { message, text };
    else this.#outgoing.hear?.(message);
  }
}

function toReply(target: UpstreamTarget, outgoing: Outgoing, response: EgressResponse, found?: Found): Reply {
  const { message } = outgoing;
  const { status, headers, bytes } = response;
  if (found) return { status, headers, ...found, isTakenUp: true };
  const isTakenUp = isStream(response) || hasMoved(target, response) || namesRequest(message, bytes);
  const media = parseMediaType(headers.get("content-type"));
  const text = isJsonType(media.type) ? decodeText(bytes) : "";
  const head = { status, headers, isTakenUp };
  if (message["id"] === undefined || text.trim() === "") return { ...head, text: "" };
  if (status < 200 || status > 299) return { ...head, text, ...refusalOf(text) };
  const answer = parseMessage(target, text);
  return { ...head, text, ...(isResponseTo(message, answer) && { message: answer }) };
}

/** The server first sent to may have carried the request out and then named the place of its result (RFC 9110, 15.4.4). */
const hasMoved = ({ url }: UpstreamTarget, response: EgressResponse): boolean => response.url !== new URL(url).href;

/** Ids are random: only who read the request knows this one, whatever the answer's type or shape. */
const namesRequest = ({ id }: JsonObject, bytes: Uint8Array<ArrayBuffer>): boolean =>
  typeof id === "string" && decodeText(bytes).includes(id);

/** What an error status has to say: a response whose id need not be the request's. */
function refusalOf(text: string): { message?: JsonObject } {
  if (findExcess(text) !== undefined) return {};
  try {
    const message: unknown = JSON.parse(text);
    return isJsonObject(message) && isJsonObject(message["error"]) ? { message } : {};
  } catch {
    return {};
  }
}

/** The result of an answer. Throws `UpstreamError`, with what the upstream says of an error of its own. */
export function resultOf({ name, redactor }: UpstreamTarget, { status, message }: Reply): JsonObject {
  const error = message?.["error"];
  if (status === 401 || status === 403) {
    throw new UpstreamError(`Upstream ${name} refused this server's credentials (status ${status}).`);
  }
  if (isJsonObject(error)) {
    const said = typeof error["message"] === "string" ? cleanLine(error["message"], redactor) : "";
    throw new UpstreamError(`Upstream ${name} answered with an error${said === "" ? "." : `: ${said}`}`);
  }
  if (status < 200 || status > 299) throw new UpstreamError(`Upstream ${name} answered with status ${status}.`);
  const result = message?.["result"];
  if (isJsonObject(result)) return result;
  throw new UpstreamError(`Upstream ${name} ended its answer without a result.`);
}

function parseMessage({ name }: UpstreamTarget, text: string): JsonObject {
  const excess = findExcess(text, LIMITS.httpJsonMembers);
  if (excess !== undefined) throw new UpstreamError(`Upstream ${name} answered with JSON that is too much: ${excess}.`);
  try {
    const message: unknown = JSON.parse(text);
    if (isJsonObject(message)) return message;
  } catch {
    // Told below.
  }
  throw new UpstreamError(`Upstream ${name} answered with something that is no JSON-RPC message.`);
}

const isResponseTo = (request: JsonObject, message: JsonObject): boolean =>
  request["id"] !== undefined && message["id"] === request["id"] && ("result" in message || "error" in message);

const isStream = ({ headers }: ResponseHead): boolean =>
  parseMediaType(headers.get("content-type")).type === "text/event-stream";
