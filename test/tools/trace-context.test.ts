// A call's trace goes on to an HTTP API or an upstream where its record says so, and nowhere else.

import { describe, expect, it, vi } from "vitest";
import { ResponseCache } from "../../src/tools/http-tool/response-cache.ts";
import { compileUpstreamTool } from "../../src/tools/upstream/compile-upstream-tool.ts";
import { SessionCache } from "../../src/tools/upstream/session-cache.ts";
import type { UpstreamSource } from "../../src/tools/upstream/upstream-record.ts";
import { openCaller, request } from "../support/app.ts";
import { answer, openHttpTool, source } from "../support/http-tool.ts";
import { linkTo, result, scriptUpstream, UPSTREAM_URL } from "../support/scripted-upstream.ts";
import { toolContext } from "../support/tool-context.ts";

const TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const OTHER = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-00f067aa0ba902b7-01";

describe("an HTTP tool", () => {
  it.each([
    [true, TRACEPARENT, TRACEPARENT],
    [true, undefined, undefined],
    [false, TRACEPARENT, undefined],
    [undefined, TRACEPARENT, undefined],
  ])("with traceContext %j and a trace %j sends %j", async (traceContext, traceparent, expected) => {
    const { call, sent } = openHttpTool(source(traceContext === undefined ? {} : { traceContext }), {
      ...(traceparent !== undefined && { traceparent }),
    });
    await call();
    expect(sent[0]?.headers["traceparent"]).toBe(expected);
  });

  it("leaves a header of its record's own alone", async () => {
    const { call, sent } = openHttpTool(source({ traceContext: true, headers: { traceparent: OTHER } }), {
      traceparent: TRACEPARENT,
    });
    await call();
    expect(sent[0]?.headers["traceparent"]).toBe(OTHER);
  });

  it("takes an answer from its cache whichever trace asks", async () => {
    const cache = new ResponseCache();
    const fresh = answer("ok", { "cache-control": "max-age=60", "content-type": "text/plain" });
    const of = source({ traceContext: true });
    const first = openHttpTool(of, { cache, traceparent: TRACEPARENT, answers: [fresh] });
    const second = openHttpTool(of, { cache, traceparent: OTHER, answers: [fresh] });
    await first.call();
    await second.call();
    expect([first.sent.length, second.sent.length]).toEqual([1, 0]);
  });
});

describe("an upstream", () => {
  const MODERN: UpstreamSource = { kind: "upstream", upstream: "up", tool: "t", url: UPSTREAM_URL, era: "modern" };

  it.each([
    [{ ...MODERN, traceContext: true } as const, TRACEPARENT],
    [MODERN, undefined],
  ])("%j is told %j, in the message and in its header", async (of, expected) => {
    const upstream = scriptUpstream({ "tools/call": () => result({ content: [] }) });
    const run = compileUpstreamTool(of, {
      sessions: new SessionCache(),
      inputSchema: { type: "object" },
      timeoutMs: 1_000,
    });
    await run({}, toolContext({ ...linkTo(upstream), traceparent: TRACEPARENT }));
    const [sent] = upstream.sent;
    const meta = sent?.params["_meta"] as Record<string, unknown> | undefined;
    expect([meta?.["traceparent"], sent?.headers.get("traceparent")]).toEqual([expected, expected ?? null]);
  });
});

describe("through the server", () => {
  const RECORD = {
    description: "An API.",
    inputSchema: { type: "object" },
    source: { kind: "http", method: "GET", url: "https://api.example.com/", traceContext: true },
  };

  async function headerSent(bindings: object): Promise<string | null | undefined> {
    const fetcher = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
    try {
      const gate = await openCaller([], bindings);
      const { status } = await gate.admin("PUT", "/tools/traced", RECORD);
      expect(status).toBeLessThan(300);
      const params = { name: "traced", arguments: {}, _meta: { traceparent: TRACEPARENT } };
      await gate.post(request("tools/call", params));
      const sent = fetcher.mock.calls.find(([url]) => String(url).includes("api.example.com"));
      return sent && new Headers(sent[1]?.headers).get("traceparent");
    } finally {
      fetcher.mockRestore();
    }
  }

  it("the client's own place in the trace goes on where none is exported here", async () => {
    expect(await headerSent({})).toBe(TRACEPARENT);
  });

  it("the call's span does where it is exported", async () => {
    const sent = await headerSent({ OTLP_ENDPOINT: "https://otlp.example" });
    expect(sent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
    expect(sent).not.toBe(TRACEPARENT);
  });
});
