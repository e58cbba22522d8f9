// What a collector is told of requests, over each transport and whatever becomes of them, and what it is never told.

import { createExecutionContext, reset } from "cloudflare:test";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { allParts, composeWorker } from "../../src/compose.ts";
import type { Env } from "../../src/env.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { ToolError } from "../../src/tools/tool-error.ts";
import { HOST, MODERN, openCaller, openGate, request, type Caller, type Gate } from "../support/app.ts";
import { readAllAudit } from "../support/audit.ts";
import { testEnv } from "../support/counting-env.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT_ID = "00f067aa0ba902b7";
const TRACEPARENT = `00-${TRACE_ID}-${PARENT_ID}-01`;
const COLLECTOR = { OTLP_ENDPOINT: "https://otlp.example", OTLP_HEADERS: "authorization=Bearer collector-s3cret" };

const named = (name: string, run: () => string) =>
  defineTool({ name, description: "A tool.", input: v.object({ text: v.optional(v.string()) }), run });
const TOOLS = [
  named("fine", () => "fine"),
  named("says_no", () => {
    throw new ToolError("no");
  }),
  named("breaks", () => {
    throw new Error("broken");
  }),
];

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  status: { code?: number };
  attributes: { key: string; value: { stringValue?: string } }[];
}

let posts: { url: string; body: string }[] = [];
beforeEach(() => {
  posts = [];
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const sent = new Request(input, init);
    posts.push({ url: sent.url, body: await sent.text() });
    return Response.json({});
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const textOf = (path: string): string =>
  posts.flatMap(({ url, body }) => (url.endsWith(path) ? [body] : [])).join("\n");

function spans(): Span[] {
  return posts
    .filter(({ url }) => url === "https://otlp.example/v1/traces")
    .flatMap(({ body }) => {
      const { resourceSpans } = JSON.parse(body) as { resourceSpans: [{ scopeSpans: [{ spans: Span[] }] }] };
      return resourceSpans[0].scopeSpans[0].spans;
    });
}

const attributesOf = ({ attributes }: Span): Record<string, string | undefined> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

const openObserved = (more: Partial<Env> = {}): Promise<Gate & Caller> => openCaller(TOOLS, { ...COLLECTOR, ...more });
const call = (name: string, args: object = {}, id: unknown = 7, more: object = {}) =>
  request("tools/call", { name, arguments: args, ...more }, id);

describe("a call", () => {
  it("is a span by the conventions", async () => {
    const { post, key } = await openObserved();
    await post(call("fine"));
    const [span, ...others] = spans();
    expect([others, span?.name, span?.kind, span?.status, span && attributesOf(span)]).toEqual([
      [],
      "tools/call fine",
      2,
      {},
      {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "fine",
        "gen_ai.operation.name": "execute_tool",
        "mcp.protocol.version": "2025-03-26",
        "network.protocol.name": "http",
        "network.transport": "tcp",
        "jsonrpc.request.id": "7",
        "toolgate.outcome": "ok",
        "toolgate.key.id": key.split("_")[1],
      },
    ]);
  });

  it.each<[string, object, string, string | undefined, string]>([
    ["says_no", {}, "tools/call says_no", "tool_error", "tool_error"],
    ["breaks", {}, "tools/call breaks", "tool_error", "failed"],
    ["fine", { text: 1 }, "tools/call fine", "tool_error", "invalid_arguments"],
    ["no_such_tool", {}, "tools/call", "-32602", "unknown_tool"],
  ])("of %s with %j is told as what it came to", async (name, args, spanName, errorType, outcome) => {
    const { post } = await openObserved();
    await post(call(name, args));
    const [span] = spans();
    const attributes = span && attributesOf(span);
    expect([span?.name, span?.status, attributes?.["error.type"], attributes?.["toolgate.outcome"]]).toEqual([
      spanName,
      { code: 2 },
      errorType,
      outcome,
    ]);
  });

  it("that its key may not make yet is told as refused", async () => {
    const gate = openGate(TOOLS, COLLECTOR);
    const { post } = gate.caller(await gate.mint({ limits: { perMinute: 1, burst: 1 } }));
    await post(call("fine"));
    await post(call("fine"));
    const [, refused] = spans().map(attributesOf);
    expect([refused?.["error.type"], refused?.["rpc.response.status_code"], refused?.["toolgate.outcome"]]).toEqual([
      "429",
      "429",
      "limited",
    ]);
  });

  it("has the trace id in its audit row that its span has", async () => {
    const gate = await openObserved();
    const { post } = gate;
    await post(call("fine"));
    await post(call("fine", {}, 8, { _meta: { traceparent: TRACEPARENT } }));
    const rows = await readAllAudit(gate, "?kind=call");
    const traceIds = spans().map(({ traceId }) => traceId);
    expect([new Set(rows.map((row) => row["traceId"])), traceIds[1]]).toEqual([new Set(traceIds), TRACE_ID]);
  });
});

describe("another request", () => {
  it("is a span named for its method", async () => {
    const { ask } = await openObserved();
    await ask("2025-11-25", "tools/list");
    await ask(MODERN, "server/discover");
    expect(spans().map((span) => [span.name, attributesOf(span)["mcp.protocol.version"], span.status])).toEqual([
      ["tools/list", "2025-11-25", {}],
      ["server/discover", MODERN, {}],
    ]);
  });

  it("with a method that is not there is nameless", async () => {
    const { post } = await openObserved();
    await post(request("secret/method"));
    expect(spans().map((span) => [span.name, attributesOf(span)["error.type"]])).toEqual([["_OTHER", "-32601"]]);
  });
});

describe("trace context", () => {
  it.each<[string, object, Record<string, string>]>([
    ["_meta", { _meta: { traceparent: TRACEPARENT } }, {}],
    [
      "_meta before a header",
      { _meta: { traceparent: TRACEPARENT } },
      { traceparent: TRACEPARENT.replace("4bf9", "aaaa") },
    ],
    ["a header", {}, { traceparent: TRACEPARENT }],
  ])("comes from %s", async (_, more, headers) => {
    const { send } = await openObserved();
    await (await send(call("fine", {}, 7, more), headers)).text();
    expect(spans()).toMatchObject([{ traceId: TRACE_ID, parentSpanId: PARENT_ID }]);
  });

  it("that is not sampled gives no span, but is measured", async () => {
    const { post } = await openObserved();
    await post(call("fine", {}, 7, { _meta: { traceparent: TRACEPARENT.replace(/01$/, "00") } }));
    expect([spans(), textOf("/v1/metrics").includes('"mcp.server.operation.duration"')]).toEqual([[], true]);
  });

  it("that begins here is sampled as configured", async () => {
    const { post } = await openObserved({ OTLP_SAMPLE: "0" });
    await post(call("fine"));
    expect(posts.map(({ url }) => url)).toEqual(["https://otlp.example/v1/metrics"]);
  });
});

it("tells nothing that a client wrote, and no secret", async () => {
  const { post, ask, send, openSession, key } = await openObserved();
  await post(call("fine", { text: "argument-s3cret" }, "id-s3cret"));
  await post(call("tool-s3cret", {}, 1, { _meta: { traceparent: "meta-s3cret", tracestate: "state=s3cret" } }));
  await post(request("method-s3cret", { name: "param-s3cret" }, "id-s3cret"));
  await ask(MODERN, "tools/call", { name: "fine", arguments: {} }, { "mcp-name": "fine" });
  const session = await openSession("2025-11-25");
  await send(request("tools/list"), { "mcp-session-id": session, tracestate: "state=s3cret" });
  const told = posts.map(({ body }) => body).join("\n");
  expect(spans().length).toBeGreaterThanOrEqual(5);
  expect([told.match(/s3cret/g), told.includes(key), told.includes(session)]).toEqual([null, false, false]);
});

it("measures each request by method, tool and outcome", async () => {
  const { post } = await openObserved({ AUDIT_FLUSH_MS: "100" });
  await Promise.all([post(call("fine")), post(call("fine")), post(call("says_no")), post(request("ping"))]);
  const [metrics] = posts.flatMap(({ url, body }) => (url.endsWith("/v1/metrics") ? [body] : []));
  const { resourceMetrics } = JSON.parse(metrics ?? "{}") as {
    resourceMetrics: [{ scopeMetrics: [{ metrics: [{ histogram: { dataPoints: (Span & { count: string })[] } }] }] }];
  };
  const points = resourceMetrics[0].scopeMetrics[0].metrics[0].histogram.dataPoints.map((point) => {
    const labels = attributesOf(point);
    return [labels["mcp.method.name"], labels["gen_ai.tool.name"], labels["error.type"], point.count];
  });
  expect(points.sort()).toEqual([
    ["ping", undefined, undefined, "1"],
    ["tools/call", "fine", undefined, "2"],
    ["tools/call", "says_no", "tool_error", "1"],
  ]);
});

describe("nothing is exported", () => {
  it.each([{}, { OTLP_ENDPOINT: "" }])("with %j", async (bindings) => {
    const { post } = await openCaller(TOOLS, bindings);
    await post(call("fine"));
    await post(request("tools/list"));
    expect(posts).toEqual([]);
  });

  it("by a Worker that was composed without that part", async () => {
    const { app } = composeWorker(TOOLS);
    const gate = openGate(TOOLS);
    const key = await gate.mint();
    const init = {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(call("fine")),
    };
    const response = await app.fetch(
      new Request(`${HOST}/mcp`, init),
      { ...testEnv, ...COLLECTOR },
      createExecutionContext(),
    );
    expect([response.status, posts]).toEqual([200, []]);
  });

  it("on an answer's path: a collector that never answers holds nobody up", async () => {
    vi.mocked(globalThis.fetch).mockImplementation(() => new Promise<Response>(() => undefined));
    const { app } = composeWorker(TOOLS, allParts());
    const key = await openGate(TOOLS).mint();
    const init = {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(call("fine")),
    };
    const response = await app.fetch(
      new Request(`${HOST}/mcp`, init),
      { ...testEnv, ...COLLECTOR },
      createExecutionContext(),
    );
    expect(await response.json()).toMatchObject({ result: { content: [{ text: "fine" }] } });
  });
});
