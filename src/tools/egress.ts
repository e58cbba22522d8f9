// The way out: every request that a tool makes passes here, and so does every redirect.
// It judges names, ports and schemes. A public name that resolves to a private address is the platform's to refuse:
// a deployed Worker has no route to one (flag `global_fetch_strictly_public`).

import { HOPS_HEADER } from "../lib/hops-header.ts";
import { LIMITS } from "../lib/limits.ts";
import { readStream } from "../lib/read-stream.ts";
import { splitList } from "../lib/split-list.ts";
import { logEvent } from "../telemetry/log.ts";
import type { EgressInit, EgressResponse, ResponseHead } from "./context.ts";
import { ToolError } from "./tool-error.ts";

export interface EgressOptions {
  /** `host:port` entries, apart by commas or spaces, that are reached although private or over plain http. */
  allow: string;
  /** This server's hosts as a `Host` header has them; one without a port stands for the default ports. */
  ownHosts: string[];
  /** What the request that this one is for came with in `toolgate-hops`. */
  hops?: number;
  fetcher?: typeof fetch;
}

export type Egress = (url: string, init: EgressInit | undefined, signal: AbortSignal) => Promise<EgressResponse>;

/** The destination gave no answer: nobody was reached, or the connection broke. */
export class DestinationUnreachable extends ToolError {}

/** The destination took too long. */
export class DestinationTimeout extends ToolError {}

interface Hop {
  url: URL;
  method: string;
  headers: Headers;
  body: string | undefined;
}

/** Why a URL is refused; `undefined` when it is not. */
type Judge = (url: URL) => string | undefined;

const ALLOWED = "Allowed: https URLs of public host names on port 443, without a user name or password.";
const USER_AGENT = "toolgate";

// At least two labels, and a top level that is no number: WHATWG URL parsing has by then turned every spelling of an
// IPv4 address (hexadecimal, octal, short, full-width) into four decimal numbers and left IPv6 in brackets.
const PUBLIC_NAME = /^(?:[a-z0-9_-]{1,63}\.)+[a-z][a-z0-9-]{0,62}$/;
// RFC 6761, RFC 8375, RFC 9476 and what home and office routers use. `.example` resolves nowhere and stays for documents.
const LOCAL_NAME =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|test|invalid|onion|alt)$/;

// This machine and its own network (RFC 1918), and names that only there mean something.
const NEARBY =
  /^(?:\[::1\]|(?:127|10)\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+|[a-z][a-z0-9_-]*)$/;
// Where clouds give their machines' credentials away: nobody is told how to open it.
const METADATA = /^metadata(?:\.|$)/;
const HAS_PORT = /:\d+$/;

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
// Framing and routing belong to the platform.
const RESERVED_HEADER =
  /^(?:host|connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade|(?:proxy|cf|x-forwarded|toolgate)-.*)$/i;
const CROSS_ORIGIN_HEADERS = ["accept", "accept-language", "user-agent", HOPS_HEADER];
const BODY_HEADERS = ["content-type", "content-encoding", "content-language", "content-location"];
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Makes the guarded `fetch`. Throws at once on an `allow` entry without a port; the function made throws `ToolError`,
 * or the signal's reason once the signal fired.
 */
export function createEgress({ allow, ownHosts, hops = 0, fetcher = fetch }: EgressOptions): Egress {
  const judge = createJudge({ allow, ownHosts });
  const tellOperator = judgeDestination({ allow, ownHosts });
  return async (url, init = {}, signal) => {
    const { timeoutMs = LIMITS.fetchTimeoutMs } = init;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const first = firstHop(url, init, hops + 1);
      logRefusal(first.url, init, tellOperator);
      const reached = await follow(first, within(judge, init.hosts), fetcher, AbortSignal.any([signal, timeout]));
      return await readResponse(reached, init);
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof ToolError) throw cause;
      if (timeout.aborted) throw new DestinationTimeout(`The destination did not answer within ${timeoutMs} ms.`);
      throw new DestinationUnreachable("The destination could not be reached.", { cause });
    }
  };
}

/** A caller is told no more than the rule. The host is logged only where it stands in the tool's own record. */
function logRefusal(url: URL, { hosts }: EgressInit, tellOperator: Judge): void {
  if (!hosts?.includes(url.host)) return;
  const reason = tellOperator(url);
  if (reason !== undefined) logEvent("warn", "egress_refused", { host: withPort(url), reason });
}

/**
 * Why a URL is refused, for operators alone: of one on this machine or its network it says what would open it, and where.
 * Throws on an `allow` entry without a port.
 */
export function judgeDestination(options: Pick<EgressOptions, "allow" | "ownHosts">): Judge {
  const judge = createJudge(options);
  return (url) => {
    const refusal = judge(url);
    if (refusal === undefined || !isNearby(normalizeHost(url.hostname))) return refusal;
    const wouldOpen = createJudge({ ...options, allow: withPort(url) })(url) === undefined;
    return wouldOpen ? `${refusal}; EGRESS_ALLOW=${withPort(url)} opens this host: ${WHERE_ALLOWED}` : refusal;
  };
}

const WHERE_ALLOWED =
  "a line in .dev.vars or the environment of npm start, then a new start; a deployment has no route to it";

const isNearby = (host: string): boolean => (NEARBY.test(host) || LOCAL_NAME.test(host)) && !METADATA.test(host);

/** The same for a request that may reach these hosts alone, wherever it is redirected. */
const within =
  (judge: Judge, hosts: readonly string[] | undefined): Judge =>
  (url) =>
    judge(url) ?? (hosts && !hosts.includes(url.host) ? "it is not a host of this tool" : undefined);

/** Where the last redirect led, and what was answered there. */
interface Reached {
  url: string;
  response: Response;
}

async function follow(first: Hop, judge: Judge, fetcher: typeof fetch, signal: AbortSignal): Promise<Reached> {
  let hop = first;
  for (let redirects = 0; redirects <= LIMITS.fetchRedirects; redirects++) {
    const refusal = judge(hop.url);
    if (refusal !== undefined) throw refused(redirects === 0 ? refusal : `redirect ${redirects}: ${refusal}`);
    const response = await send(hop, fetcher, signal);
    const next = nextHop(hop, response);
    if (!next) return { url: hop.url.href, response };
    await response.body?.cancel();
    hop = next;
  }
  throw new ToolError(`Too many redirects: the limit is ${LIMITS.fetchRedirects}.`);
}

const send = ({ url, method, headers, body }: Hop, fetcher: typeof fetch, signal: AbortSignal): Promise<Response> =>
  fetcher(url.href, { method, headers, redirect: "manual", signal, ...(body !== undefined && { body }) });

function firstHop(url: string, { method = "GET", headers = {}, body }: EgressInit, hops: number): Hop {
  const parsed = URL.parse(url);
  if (!parsed) throw refused("the URL is not valid");
  return { url: parsed, method: method.toUpperCase(), headers: toHeaders(headers, hops), body };
}

function toHeaders(source: Record<string, string>, hops: number): Headers {
  const headers = new Headers({ "user-agent": USER_AGENT, [HOPS_HEADER]: String(hops) });
  let bytes = 0;
  for (const [name, value] of Object.entries(source)) {
    checkHeader(name, value);
    bytes += name.length + value.length;
    headers.set(name, value);
  }
  if (bytes <= LIMITS.fetchHeaderBytes) return headers;
  throw new ToolError(`Request headers too large: ${bytes} bytes, the limit is ${LIMITS.fetchHeaderBytes} bytes.`);
}

function checkHeader(name: string, value: string): void {
  const fault = faultOfHeaderName(name);
  if (fault !== undefined) throw new ToolError(`Request header refused: ${fault}.`);
  if (isHeaderValue(value)) return;
  throw new ToolError(`Request header refused: the value of ${name} must be printable ASCII on one line.`);
}

/** Why a request may not have such a header; `undefined` when it may. */
export function faultOfHeaderName(name: string): string | undefined {
  if (!HEADER_NAME.test(name)) return "its name holds illegal characters";
  return RESERVED_HEADER.test(name) ? `${name} can't be set` : undefined;
}

/** Whether a text can be sent as a header's value. */
export const isHeaderValue = (value: string): boolean => HEADER_VALUE.test(value);

// Fetch standard, "HTTP-redirect fetch", but stricter: another origin gets neither the caller's headers nor its body.
function nextHop(hop: Hop, response: Response): Hop | undefined {
  const location = response.headers.get("location");
  if (!REDIRECTS.has(response.status) || location === null) return undefined;
  const url = URL.parse(location, hop.url);
  if (!url) throw new ToolError("The destination redirects to a URL that is not valid.");
  const next = becomesGet(response.status, hop.method) ? withoutBody(hop) : hop;
  if (url.origin === hop.url.origin) return { ...next, url };
  if (next.body !== undefined)
    throw new ToolError("The destination redirects a request with a body to another origin.");
  return { ...next, url, headers: only(next.headers, CROSS_ORIGIN_HEADERS) };
}

const becomesGet = (status: number, method: string): boolean =>
  status === 303 ? method !== "HEAD" : status < 303 && method === "POST";

function withoutBody(hop: Hop): Hop {
  const headers = new Headers(hop.headers);
  for (const name of BODY_HEADERS) headers.delete(name);
  return { url: hop.url, method: "GET", headers, body: undefined };
}

const only = (headers: Headers, names: string[]): Headers =>
  new Headers([...headers].filter(([name]) => names.includes(name)));

async function readResponse({ url, response }: Reached, init: EgressInit): Promise<EgressResponse> {
  const { status, statusText, headers, body } = response;
  const bytes = body ? await readBody(body, { status, headers }, init) : new Uint8Array();
  return { url, status, statusText, headers, bytes };
}

async function readBody(
  body: ReadableStream<Uint8Array>,
  head: ResponseHead,
  { maxBytes = LIMITS.fetchBytes, onChunk }: EgressInit,
): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(head.headers.get("content-length")) > maxBytes) {
    await body.cancel();
    throw tooLarge(maxBytes);
  }
  const bytes = await readStream(body, maxBytes, onChunk && ((chunk) => onChunk(chunk, head) === "enough"));
  if (!bytes) throw tooLarge(maxBytes);
  return bytes;
}

// Why a URL is refused. The host is never repeated: a redirect may name one that the caller should not learn of.
function createJudge({ allow, ownHosts }: Pick<EgressOptions, "allow" | "ownHosts">): Judge {
  const allowed = new Set(parseAllow(allow));
  const own = new Set(ownHosts.map(normalizeHost).flatMap(withPorts));
  return (url) => {
    if (url.href.length > LIMITS.fetchUrlChars) return `the URL is longer than ${LIMITS.fetchUrlChars} characters`;
    if (url.protocol !== "https:" && url.protocol !== "http:") return "the scheme must be https";
    if (url.username !== "" || url.password !== "") return "the URL holds a user name or password";
    if (own.has(withPort(url))) return OWN;
    if (allowed.has(withPort(url))) return undefined;
    if (url.protocol !== "https:") return "the scheme must be https";
    if (url.port !== "") return "the port must be 443";
    const host = normalizeHost(url.hostname);
    if (!PUBLIC_NAME.test(host)) return "the host must be a public name, not an IP address or a single word";
    return LOCAL_NAME.test(host) ? "the host is a local or private name" : undefined;
  };
}

const OWN = "it is this server itself";

const withPorts = (host: string): string[] => (HAS_PORT.test(host) ? [host] : [`${host}:443`, `${host}:80`]);

/** Host and port of an http or https URL, the default ones included. */
const withPort = ({ hostname, port, protocol }: URL): string =>
  `${normalizeHost(hostname)}:${port || (protocol === "http:" ? "80" : "443")}`;

// A pattern would look for the end again from each of the dots.
function normalizeHost(host: string): string {
  const port = HAS_PORT.exec(host)?.[0] ?? "";
  let end = host.length - port.length;
  while (host[end - 1] === ".") end--;
  return host.slice(0, end).toLowerCase() + port;
}

function* parseAllow(allow: string): Generator<string> {
  for (const entry of splitList(allow)) {
    if (!/^[^/@?#]+:\d+$/.test(entry))
      throw new Error(`EGRESS_ALLOW: expected host:port, got ${JSON.stringify(entry)}`);
    yield normalizeHost(entry);
  }
}

const refused = (reason: string): ToolError => new ToolError(`Destination not allowed: ${reason}. ${ALLOWED}`);

const tooLarge = (maxBytes: number): ToolError =>
  new ToolError(`The response is too large: the limit is ${maxBytes} bytes.`);
