// An HTTP tool behind the real egress guard, before an upstream that answers in turn and remembers what it was sent.

import { createEgress, type EgressOptions } from "../../src/tools/egress.ts";
import type { ToolResult } from "../../src/tools/content.ts";
import type { ToolContext } from "../../src/tools/context.ts";
import { compileHttpTool, type HttpToolOptions } from "../../src/tools/http-tool/compile-http-tool.ts";
import type { HttpSource } from "../../src/tools/tool-record.ts";
import { toolContext } from "./tool-context.ts";

export interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export type UpstreamAnswer = () => Response;

export interface Scene extends Partial<Omit<HttpToolOptions, "readSecret">> {
  answers?: UpstreamAnswer[];
  secrets?: Record<string, string>;
  egress?: Partial<EgressOptions>;
  signal?: AbortSignal;
  traceparent?: string;
}

/** What the server itself adds to every request. */
const OWN_HEADERS = ["user-agent", "toolgate-hops"];

export const ok: UpstreamAnswer = () => new Response("ok", { headers: { "content-type": "text/plain" } });

export const answer =
  (body: BodyInit | null, headers: HeadersInit = {}, init: ResponseInit = {}): UpstreamAnswer =>
  () =>
    new Response(body, { headers, ...init });

export const source = (more: Partial<HttpSource> = {}): HttpSource => ({
  kind: "http",
  method: "GET",
  url: "https://api.example.com/",
  ...more,
});

/** The tool, ready to be called; `sent` is all that left for its upstream, `pauses` what it waited before it sent again. */
export function openHttpTool(
  of: HttpSource,
  { answers = [ok], secrets = {}, egress, signal: given, traceparent, ...scene }: Scene = {},
) {
  const sent: Sent[] = [];
  const pauses: number[] = [];
  const fetcher: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const body = new TextDecoder().decode(await request.clone().arrayBuffer());
    const headers = Object.fromEntries([...request.headers].filter(([name]) => !OWN_HEADERS.includes(name)));
    sent.push({ method: request.method, url: request.url, headers, ...(body !== "" && { body }) });
    const next = answers[sent.length - 1];
    if (!next) throw new Error("unexpected request");
    return next();
  };
  const guard = createEgress({ allow: "", ownHosts: ["tools.ours.dev"], fetcher, ...egress });
  const readSecret = async (name: string): Promise<string> => {
    const value = secrets[name];
    if (value === undefined) throw new Error(`no ${name}`);
    return value;
  };
  const run = compileHttpTool(of, { pause: async (ms) => void pauses.push(ms), ...scene });
  const signal = given ?? new AbortController().signal;
  const send: ToolContext["fetch"] = (url, init) => guard(url, init, signal);
  const call = (args: Record<string, unknown> = {}, keyId = "k1"): Promise<ToolResult> =>
    run(args, toolContext({ signal, caller: { keyId, keyName: "test" }, fetch: send, readSecret, traceparent }));
  return { sent, pauses, call };
}

/** What one call sends. */
export async function sentBy(of: HttpSource, args: Record<string, unknown> = {}, scene: Scene = {}): Promise<Sent> {
  const { sent, call } = openHttpTool(of, scene);
  await call(args);
  const [first] = sent;
  if (!first) throw new Error("nothing was sent");
  return first;
}
