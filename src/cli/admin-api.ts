// Owns talking to the admin API: one call, its answer as JSON or an error for the person at the terminal.
// Refuses to send the admin key in clear to another machine.

import { CliError } from "./cli-error.ts";
import { cell } from "./text-cell.ts";

const CALL_TIMEOUT_MS = 30_000;

/** A server and the key that opens its admin API. */
export interface AdminServer {
  origin: string;
  adminKey: string;
  /** Set where nobody named a URL. */
  isDefault?: true;
}

export type JsonObject = Record<string, unknown>;

/** A refusal by the server, told by its problem document. */
export class ApiError extends CliError {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

/**
 * Calls the admin API and returns the answer's JSON object; throws `ApiError` on a refusal. A body that is JSON text goes
 * out as it is.
 */
export async function callAdmin(
  server: AdminServer,
  method: string,
  path: string,
  body?: JsonObject | string,
  more: Record<string, string> = {},
): Promise<JsonObject> {
  return call(server, method, path, { body, more }, isObject);
}

/** The same for calls that are answered with a list; the body may be any JSON value. */
export async function callAdminForList(
  server: AdminServer,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown[]> {
  return call(server, method, path, { body }, Array.isArray);
}

async function call<T>(
  server: AdminServer,
  method: string,
  path: string,
  { body, more = {} }: { body: unknown; more?: Record<string, string> },
  isExpected: (answer: unknown) => answer is T,
): Promise<T> {
  const { url, response } = await request(server, path, {
    method,
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...more,
    },
    body: body === undefined || typeof body === "string" ? (body ?? null) : JSON.stringify(body),
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
  });
  const answer = parse(await response.text());
  if (response.ok && isExpected(answer)) return answer;
  throw refusalOf(`${method} ${url.href}`, response, answer);
}

/** Reads JSON lines of the admin API as they come; throws `ApiError` on a refusal. */
export async function openLines(server: AdminServer, path: string): Promise<ReadableStream<Uint8Array>> {
  const { url, response } = await request(server, path, { headers: { accept: LINES } });
  const { body, headers } = response;
  if (response.ok && body && headers.get("content-type") === LINES) return body;
  throw refusalOf(`GET ${url.href}`, response, parse(await response.text()));
}

const LINES = "application/x-ndjson";

async function request(
  { origin, adminKey, isDefault }: AdminServer,
  path: string,
  init: RequestInit & { headers: Record<string, string> },
): Promise<{ url: URL; response: Response }> {
  const url = new URL(`/admin/v1${path}`, origin);
  checkConfidential(url);
  checkSendable(adminKey);
  const headers = { ...init.headers, authorization: `Bearer ${adminKey}` };
  // A redirect would carry the admin key to wherever the answer points.
  return { url, response: await send(url, { ...init, headers, redirect: "manual" }, isDefault === true) };
}

function refusalOf(call: string, response: Response, answer: unknown): ApiError {
  const advice =
    response.status === 401 ? `\nThe key comes from TOOLGATE_ADMIN_KEY, or from .dev.vars without it.` : "";
  return new ApiError(describeRefusal(call, response, answer) + advice, response.status);
}

/** Whether a host name, as `URL` gives it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkConfidential(url: URL): void {
  if (url.protocol === "https:" || isLoopback(url.hostname)) return;
  throw new CliError(
    `The admin key is not sent over plain http to ${url.host}: anybody on the way could read it.\nUse https://${url.hostname}`,
  );
}

// fetch would refuse such a header with a message that quotes it.
function checkSendable(adminKey: string): void {
  if (/^[\x21-\x7e]+$/.test(adminKey)) return;
  throw new CliError("The admin key can't be sent: expected visible ASCII characters only, without blanks.");
}

async function send(url: URL, init: RequestInit, isDefault: boolean): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw new CliError(`${url.origin} can't be reached (${describeFailure(error)}).\n${adviceFor(url, isDefault)}`);
  }
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) return "code" in cause ? String(cause.code) : cause.message;
  return error.name === "TimeoutError" ? `no answer within ${CALL_TIMEOUT_MS / 1000} s` : error.message;
}

function adviceFor(url: URL, isDefault: boolean): string {
  const start = "Start the local server with:  npm start\nOr name another with --url or TOOLGATE_URL";
  if (isDefault) return `${start}, or a local one's port with PORT (now ${url.port || "80"}).`;
  if (isLoopback(url.hostname)) return `${start}.`;
  return "Check --url or TOOLGATE_URL.";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describeRefusal(call: string, response: Response, answer: unknown): string {
  const { detail, title, code }: JsonObject = isObject(answer) ? answer : {};
  const told = detail ?? title;
  if (!response.ok && typeof told === "string")
    return typeof code === "string" ? `${cell(told)} (${cell(code)})` : cell(told);
  const type = response.headers.get("content-type") ?? "no content type";
  return `${call}: expected a JSON object, received status ${response.status}, ${type}. Is this a toolgate server?`;
}
