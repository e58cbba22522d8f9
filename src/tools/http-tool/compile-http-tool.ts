// An HTTP tool's source as a function: arguments and secrets in, one guarded request to its one host, a result out. What a
// call knows of secrets is taken out of all that it gives back.

import { LIMITS } from "../../lib/limits.ts";
import { pause } from "../../lib/pause.ts";
import { createRedactor } from "../../sanitize/secrets.ts";
import type { ToolResult } from "../content.ts";
import type { EgressResponse, ToolContext } from "../context.ts";
import { readSecrets } from "../read-secrets.ts";
import type { HttpSource } from "../tool-record.ts";
import { withoutSecrets } from "../without-secrets.ts";
import { fetchWithRetries } from "./fetch-with-retries.ts";
import { fillRequest, type FilledRequest } from "./fill-request.ts";
import { readAnswer } from "./read-answer.ts";
import { readSource, secretNames } from "./request-plan.ts";
import type { ResponseCache } from "./response-cache.ts";

export interface HttpToolOptions {
  /** What one isolate keeps of answers; without it nothing is kept. */
  cache?: ResponseCache;
  /** The tool's deadline, which no retry outlasts. */
  timeoutMs?: number;
  pause?: typeof pause;
}

export type RunHttpTool = (args: Record<string, unknown>, ctx: ToolContext) => Promise<ToolResult>;

const ACCEPT: Partial<Record<NonNullable<HttpSource["result"]>, string>> = {
  json: "application/json",
  image: "image/*",
  audio: "audio/*",
};

/** Makes the function. Throws `Error` on a source that `checkHttpSource` would refuse, its destination aside. */
export function compileHttpTool(source: HttpSource, options: HttpToolOptions = {}): RunHttpTool {
  const { plan, faults } = readSource(source);
  const [fault] = faults;
  if (!plan || fault) throw new Error(`HTTP tool: ${fault?.path ?? "url"}: ${fault?.message ?? "can't be read"}`);
  const names = secretNames(source);
  const { result } = source;
  return async (args, ctx) => {
    const secrets = await readSecrets(names, ctx.readSecret);
    const redactor = createRedactor([...secrets.values()]);
    try {
      const request = fillRequest(plan, args, secrets);
      const accept = result && ACCEPT[result];
      const headers = { ...(accept !== undefined && { accept }), ...request.headers };
      const trace = source.traceContext ? ctx.traceparent : undefined;
      const response = await send({ ...request, headers }, { host: plan.url.host, trace }, ctx, options);
      return readAnswer(response, { method: request.method, uri: request.uri, result }, redactor);
    } catch (error) {
      ctx.signal.throwIfAborted();
      throw withoutSecrets(error, redactor);
    }
  };
}

function send(
  { method, url, headers, body }: FilledRequest,
  { host, trace }: { host: string; trace: string | undefined },
  ctx: ToolContext,
  { cache, timeoutMs = LIMITS.toolTimeoutMs, pause: wait = pause }: HttpToolOptions,
): Promise<EgressResponse> {
  const endsAtMs = Date.now() + timeoutMs;
  const fetch = (conditions: Record<string, string>): Promise<EgressResponse> => {
    // Not what an answer is cached by: it differs from call to call.
    const traced = { ...(trace !== undefined && { traceparent: trace }), ...headers, ...conditions };
    const init = { method, headers: traced, hosts: [host], timeoutMs };
    return fetchWithRetries(url, { ...init, ...(body !== undefined && { body }) }, ctx, { endsAtMs, pause: wait });
  };
  if (!cache || method !== "GET") return fetch({});
  return cache.fetch({ keyId: ctx.caller.keyId, url, headers }, fetch);
}
