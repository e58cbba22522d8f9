// What a running tool is given besides its arguments.

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
}

export interface EgressInit {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A response whose body was read up to the limit of bytes; `url` is where the last redirect led. */
export interface EgressResponse {
  url: string;
  status: number;
  headers: Headers;
  bytes: Uint8Array<ArrayBuffer>;
}
