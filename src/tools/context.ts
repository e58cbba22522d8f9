// What a running tool is given besides its arguments.

import type { LogLevel } from "../protocol/log-level.ts";
import type { InputRequest, InputResponses } from "./input-request.ts";

/** Who is authenticated, as far as a tool may know. */
export interface Caller {
  /** The API key's public id. */
  keyId: string;
  /** The name that the key was minted with. */
  keyName: string;
}

export interface ToolContext {
  /** Fires at the call's deadline and when the client goes away; pass it on to whatever waits. */
  signal: AbortSignal;
  caller: Caller;
  /**
   * `fetch` behind the egress guard: https to public hosts only, redirects followed by hand and checked again, the
   * body bounded, the call's signal attached. Throws `ToolError` when the destination is refused or can't be reached, and
   * the signal's reason once that fired.
   */
  fetch: (url: string, init?: EgressInit) => Promise<EgressResponse>;
  afterCall: AfterCall;
  /** The call's place in its client's trace (W3C Trace Context), for what is done within it. */
  traceparent?: string | undefined;
  /**
   * The value of a secret that operators set (`secrets set NAME`). Throws when there is none. Where the tool's results, errors
   * and news repeat it, it is taken out.
   */
  readSecret: (name: string) => Promise<string>;
  /** Counts in the call's audit row what of fetched content was left out because no person sees it. */
  noteRemoved: (elements: number) => void;
  /**
   * Tells a client that asked for it how far the call is; `progress` must grow with each report. The answer becomes a
   * stream. Does nothing when nobody asked.
   */
  reportProgress: (progress: number, total?: number, message?: string) => void;
  /** Sends a log message to a client that wants messages of this level. `data` is any JSON value. */
  log: (level: LogLevel, data: unknown, logger?: string) => void;
  /**
   * Asks the client's user or model, and answers by the same names. In the stateless era the call ends here and the tool
   * runs again from the start once the client has the answers: do nothing before it that must not be done twice. Throws
   * when the client has no such capability.
   */
  requireInput: <R extends Record<string, InputRequest>>(requests: R) => Promise<InputResponses<R>>;
  /** What of `requireInput` this client can do. */
  canAsk: (request: InputRequest) => boolean;
  /**
   * Lets go of the client's connection while the call goes on: a 2025-11-25 client comes back for the result. Others
   * keep their stream.
   */
  releaseStream: () => void;
}

export interface EgressInit {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** The only hosts that the request may reach, redirects included, as `URL.host` has them; all public ones without. */
  hosts?: readonly string[];
  /** `LIMITS.fetchTimeoutMs` by default. */
  timeoutMs?: number;
  /** How long the body may be: `LIMITS.fetchBytes` by default. */
  maxBytes?: number;
  /** Is given the body as it comes; once it answers `enough`, the rest is not read. */
  onChunk?: (chunk: Uint8Array, head: ResponseHead) => "more" | "enough";
}

/** A response before its body. */
export type ResponseHead = Pick<EgressResponse, "status" | "headers">;

/** What goes on when the call is over. Nothing waits for it, and nobody learns what came of it. */
export interface AfterCall {
  /** A request as by `ToolContext.fetch`, which the call's end does not stop. */
  fetch: (url: string, init?: EgressInit) => void;
  /** Has an upstream's tools listed again, if that was not done just now. */
  refreshUpstream: (upstream: string) => void;
}

/** A response whose body was read up to the limit of bytes; `url` is where the last redirect led. */
export interface EgressResponse {
  url: string;
  status: number;
  /** The reason phrase as it came, which may be anything. */
  statusText: string;
  headers: Headers;
  bytes: Uint8Array<ArrayBuffer>;
}
