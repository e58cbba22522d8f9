// The egress guard before an outside world that answers in turn and remembers what it was asked.

import { expect } from "vitest";
import type { EgressInit } from "../../src/tools/context.ts";
import { createEgress, type EgressOptions } from "../../src/tools/egress.ts";
import { ToolError } from "../../src/tools/tool-error.ts";

export interface Sent {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
}

export type Answer = (signal: AbortSignal) => Response | Promise<Response>;

/** An outside world that answers in turn and remembers what it was asked. */
export function world(...answers: Answer[]) {
  const sent: Sent[] = [];
  const fetcher: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    expect(request.redirect).toBe("manual");
    const body = await request.clone().text();
    const { url, method } = request;
    sent.push({ url, method, headers: Object.fromEntries(request.headers), ...(body !== "" && { body }) });
    const answer = answers[sent.length - 1];
    if (!answer) throw new Error("unexpected request");
    return answer(request.signal);
  };
  return { sent, fetcher };
}

const live = new AbortController().signal;
/** What every request of ours carries. */
export const OURS = { "user-agent": "toolgate", "toolgate-hops": "1" };
export const say = (text: string) => () => new Response(text);
export const redirect =
  (location: string, status = 302) =>
  () =>
    new Response(null, { status, headers: { location } });

export function reach(url: string, init?: EgressInit, answers: Answer[] = [], options: Partial<EgressOptions> = {}) {
  const { sent, fetcher } = world(...answers);
  const egress = createEgress({ allow: "", ownHosts: ["tools.ours.dev", "tools.ours.dev:443"], fetcher, ...options });
  return { sent, response: egress(url, init, live) };
}

const ALLOWED = "Allowed: https URLs of public host names on port 443, without a user name or password.";
export const refusal = (reason: string) => new ToolError(`Destination not allowed: ${reason}. ${ALLOWED}`);
