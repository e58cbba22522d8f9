// What is wrong with what came of a request, by what a caller can know: the bytes that were sent and the specification.

import { LEGACY, MODERN, type Revision } from "../matrix/cells.ts";
import { faultsOf } from "../matrix/schema-check.ts";
import type { Message } from "../journeys/support/rpc.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import type { Outcome } from "./connection.ts";
import type { HttpResponse } from "./http-response.ts";
import type { FrameOutcome } from "./frame-lane.ts";
import { answerFaults, batchAnswerFaults, isRequest, methodOf, owedTo, speakerOf } from "./message-faults.ts";
import { fillIn, type Shot } from "./shot.ts";
import type { World } from "./world.ts";

const MCP_STATUSES = [200, 202, 400, 401, 403, 404, 406, 409, 413, 415, 422, 429];
const GET_STATUSES = [200, 204, 400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 429];
const ADMIN_STATUSES = [200, 201, 204, 400, 401, 403, 404, 409, 412, 413, 415, 429];
const PLACE_STATUSES = [200, 204, 400, 401, 403, 404, 405];
/** What the body is not read for, or can't be, so that there is no id to answer under. */
const UNREAD_STATUSES = [401, 403, 405, 406, 413, 415, 508];

/** Longer than any answer's envelope and news of a call. */
const ENVELOPE_BYTES = 65_536;

/** Faults of the answer to a shot, each in a sentence; `sent` are the shot's bytes. */
export function faultsOfAnswer(shot: Shot, outcome: Outcome, world: World): string[] {
  if (shot.isRaw) return faultsOfRaw(outcome);
  if (outcome.kind === "closed") return ["the connection was closed without an answer"];
  if (outcome.kind === "unanswered") return [outcome.reason];
  if (outcome.kind === "framed") return [];
  const { response } = outcome;
  const faults = [...statusFaults(shot, response), ...leaks(shot, response, world)];
  if (outcome.kind === "streaming") return faults;
  return [...faults, ...bodyFaults(shot, response, world)];
}

/** The runtime reads HTTP before the Worker does: it may refuse, and close. */
function faultsOfRaw(outcome: Outcome): string[] {
  if (outcome.kind === "unanswered") return [outcome.reason];
  if (!("response" in outcome)) return [];
  const { status } = outcome.response;
  return status >= 500 && status !== 501 ? [`status ${status}`] : [];
}

/** Faults of what came for a frame on a WebSocket. */
export function faultsOfFrame(shot: Shot, outcome: FrameOutcome, world: World): string[] {
  const { answers, news, revision, fault } = outcome;
  if (fault !== undefined) return [fault];
  const sent = sentValue(shot, world);
  const owed = owedTo(sent, revision);
  if (answers.length !== owed) {
    return [`${answers.length} messages to a frame that is owed ${owed}: ${JSON.stringify(answers).slice(0, 300)}`];
  }
  // A message that declares nothing is none of the modern era's.
  const otherwise = revision === MODERN ? "2025-03-26" : revision;
  const faults = news.flatMap((message) => faultsOf(speakerOf(sent, message, otherwise), message, undefined));
  for (const answer of answers) {
    if (Array.isArray(answer)) faults.push(...batchAnswerFaults(sent, answer));
    else faults.push(...answerFaults(sent, answer, otherwise, false));
  }
  const told = JSON.stringify([answers, news]);
  const leaked = Array.from(world.secrets).filter(([, secret]) => secret !== "" && told.includes(secret));
  return [...faults, ...leaked.map(([name]) => `the answer holds ${name}`)];
}

function statusFaults(shot: Shot, { status }: HttpResponse): string[] {
  const allowed = allowedStatuses(shot);
  const byHops = status === 508 && shot.headers.some(([name]) => name === "toolgate-hops");
  return allowed.includes(status) || byHops ? [] : [`status ${status} is none of ${allowed.join(", ")}`];
}

function allowedStatuses({ method, path }: Shot): readonly number[] {
  if (path.startsWith("/admin/v1")) return ADMIN_STATUSES;
  if (isEndpoint(path))
    return method === "POST" ? [...MCP_STATUSES, ...(/\/sse\b/.test(path) ? [405] : [])] : GET_STATUSES;
  return method === "POST" ? [...PLACE_STATUSES, ...MCP_STATUSES] : PLACE_STATUSES;
}

const isEndpoint = (path: string): boolean => /^(\/k\/[^/]*)?\/(mcp|sse|messages)\b/.test(path);

/** A key that stands in the path comes back in the path that an SSE client is to post to, and nowhere else. */
function leaks(shot: Shot, { headers, body }: HttpResponse, { secrets }: World): string[] {
  const text = body.toString("latin1");
  const told = [...headers.values(), text];
  return Array.from(secrets).flatMap(([name, secret]) =>
    secret !== "" && told.some((part) => part.includes(secret)) && !isFor(shot, name)
      ? [`the answer holds ${name}`]
      : [],
  );
}

const isFor = ({ path }: Shot, name: string): boolean => name === "key url" && path.startsWith("/k/«key.url»/sse");

function bodyFaults(shot: Shot, response: HttpResponse, world: World): string[] {
  const { status, headers, body } = response;
  // Of the endpoint's own methods a 405 says what is missing, of others nothing.
  const isBare =
    status === 405 && !(isEndpoint(shot.path) && ["GET", "DELETE"].includes(shot.method) && body.length > 0);
  if (shot.method === "HEAD" || status === 204 || isBare) return body.length > 0 ? ["a body where none may be"] : [];
  if (shot.path.startsWith("/admin/v1")) return adminFaults(response);
  if (!isEndpoint(shot.path)) return [];
  if (status === 202)
    return body.length > 0 && !shot.path.startsWith("/messages") ? ["202 has a body"] : expectsAnswer(shot, world);
  if (status === 404 && headers.get("content-type")?.startsWith("text/plain")) return [];
  const cached = headers.get("cache-control")?.includes("no-store") !== true && ![403, 508].includes(status);
  return [...(cached ? ["the answer lacks cache-control: no-store"] : []), ...messageFaults(shot, response, world)];
}

const PROBLEM = ["type", "title", "status", "code", "detail"];
/** What an operator's own bodies may make of an answer: a list of faults, or a catalogue. */
const ADMIN_BYTES = 4 * 1_048_576;

function adminFaults({ status, headers, body }: HttpResponse): string[] {
  // An export has as many lines as there are rows, up to a bound of its own.
  if (status < 300 && headers.get("content-type") === "application/x-ndjson") return [];
  if (body.length > ADMIN_BYTES) return [`an answer of ${body.length} bytes`];
  const value = parse(body);
  if (value === undefined) return [`no JSON: ${body.toString("utf8", 0, 200)}`];
  if (status < 400) return [];
  // The endpoint's guard against foreign origins stands before the admin API, too.
  if (status === 403 && typeof value === "object" && value !== null && "jsonrpc" in value) return [];
  if (status === 508) return [];
  const fields = Object.keys(value as object);
  const faults = PROBLEM.filter((field) => !fields.includes(field)).map((field) => `the problem has no ${field}`);
  if (headers.get("content-type") !== "application/problem+json") faults.push("the problem's type is another");
  if (body.length > ADMIN_ERROR_BYTES) faults.push(`a problem of ${body.length} bytes`);
  return faults;
}

const ADMIN_ERROR_BYTES = 65_536;

/** A 202 tells that nothing more comes. */
function expectsAnswer(shot: Shot, world: World): string[] {
  if (shot.path.includes("/messages")) return [];
  const sent = sentValue(shot, world);
  const items = Array.isArray(sent) ? sent : [sent];
  return items.some((item) => isRequest(item)) ? ["a request was answered with 202"] : [];
}

function messageFaults(shot: Shot, response: HttpResponse, world: World): string[] {
  const { status, headers, body } = response;
  const type = headers.get("content-type");
  const faults: string[] = [];
  const messages = type === "text/event-stream" ? eventMessages(body, faults) : [parse(body)];
  if (shot.method === "GET" && type === "text/event-stream") return [...faults, ...endedStreamFaults(shot, messages)];
  if (type !== "application/json" && type !== "text/event-stream") faults.push(`the answer's type is ${type}`);
  const answer = messages.at(-1);
  if (answer === undefined) return [...faults, `no JSON: ${body.toString("utf8", 0, 200)}`];
  const sent = sentValue(shot, world);
  const news = messages.slice(0, -1) as Message[];
  for (const message of news) {
    if (message.method === undefined) faults.push("more than one answer");
    else faults.push(...faultsOf(speakerOf(sent, message, revisionOf(shot)), message, undefined));
  }
  const most = Array.isArray(answer) ? LIMITS.batchChars * 3 : LIMITS.resultBytes + ENVELOPE_BYTES;
  if (body.length > most) faults.push(`an answer of ${body.length} bytes`);
  if (Array.isArray(answer)) return [...faults, ...batchAnswerFaults(sent, answer as Message[])];
  if (status !== 200 && !(answer as Message).error) faults.push(`a result with status ${status}`);
  // What is posted to a stream is read by its session, not by the door.
  const mayBeNull = shot.path.includes("/messages") || UNREAD_STATUSES.includes(status);
  return [...faults, ...answerFaults(sent, answer, revisionOf(shot), mayBeNull)];
}

/** The rest of a call's stream ends where there is no such call; one of changes when the session opens another. */
function endedStreamFaults(shot: Shot, messages: unknown[]): string[] {
  // An id that is none of the server's counts as no id.
  const isCall = /^c\.[\w-]+\.\d{1,8}$/.test(headerOf(shot, "last-event-id") ?? "");
  const isNews = (message: unknown): boolean => methodOf(message) === "notifications/tools/list_changed" && !isCall;
  return messages.every(isNews) ? [] : [`news of what nobody asked for: ${JSON.stringify(messages).slice(0, 300)}`];
}

/** What the body says when it is read as JSON; `undefined` where it can't be. */
export function sentValue(shot: Shot, world: World): unknown {
  const text = fillIn(shot.body ?? "", world.read);
  return parse(Buffer.from(text, shot.isBinary ? "latin1" : "utf8"));
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** The messages of an event stream that has ended. */
function eventMessages(body: Buffer, faults: string[]): unknown[] {
  const events = body.toString("utf8").split("\n\n");
  if (events.pop() !== "") faults.push("the stream ends within an event");
  return events.flatMap((event) => {
    const data = event.split("\n").filter((line) => line.startsWith("data:"));
    if (data.length === 0) return [];
    if (data.length > 1) faults.push("an event with more than one line of data");
    const text = data[0]?.slice("data: ".length) ?? "";
    if (text === "") return [];
    const value = parse(Buffer.from(text));
    if (value === undefined) faults.push("an event that is no JSON");
    return value === undefined ? [] : [value];
  });
}

/** The revision that a request speaks unless it declares one: its session's, else its header's. */
function revisionOf(shot: Shot): Revision {
  const header = headerOf(shot, "mcp-protocol-version");
  if (header === MODERN) return MODERN;
  const session = /«session\.(20[\d-]+)»/.exec(headerOf(shot, "mcp-session-id") ?? "")?.[1];
  return (
    LEGACY.find((revision) => revision === session) ?? LEGACY.find((revision) => revision === header) ?? "2025-03-26"
  );
}

const headerOf = ({ headers }: Shot, name: string): string | undefined =>
  headers.findLast(([each]) => each === name)?.[1];
