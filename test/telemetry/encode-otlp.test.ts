import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { DurationHistograms, DURATION_BOUNDS_S } from "../../src/telemetry/duration-histograms.ts";
import { encodeMetrics, encodeTraces } from "../../src/telemetry/encode-otlp.ts";
import type { Operation } from "../../src/telemetry/operation.ts";

const SOURCE = { name: "toolgate", version: "1.2.3", instance: "i1" };
const NONE_LOST = { full: 0, series: 0, unsent: 0, rejected: 0 };
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const RESOURCE = {
  attributes: [text("service.name", "toolgate"), text("service.version", "1.2.3"), text("service.instance.id", "i1")],
};
const SCOPE = { name: "toolgate", version: "1.2.3" };

const CALL: Operation = {
  span: { traceId: "t", spanId: "s", parentId: "p", isSampled: true },
  startedAtMs: 1_700_000_000_123,
  endedAtMs: 1_700_000_000_373,
  method: "tools/call",
  tool: "tone",
  revision: "2025-11-25",
  transport: "http",
  outcome: "ok",
  keyId: "k1",
  requestId: 7,
};

const CALL_LABELS = [
  text("mcp.method.name", "tools/call"),
  text("gen_ai.tool.name", "tone"),
  text("gen_ai.operation.name", "execute_tool"),
];
const WIRE = [
  text("mcp.protocol.version", "2025-11-25"),
  text("network.protocol.name", "http"),
  text("network.transport", "tcp"),
];
const OWN = [text("jsonrpc.request.id", "7"), text("toolgate.outcome", "ok"), text("toolgate.key.id", "k1")];

const spansOf = (...operations: Operation[]): object[] => {
  const { resourceSpans } = encodeTraces(SOURCE, operations) as {
    resourceSpans: [{ scopeSpans: [{ spans: object[] }] }];
  };
  return resourceSpans[0].scopeSpans[0].spans;
};

describe("a span", () => {
  it("is what the conventions say of a call", () => {
    expect(encodeTraces(SOURCE, [CALL])).toEqual({
      resourceSpans: [
        {
          resource: RESOURCE,
          scopeSpans: [
            {
              scope: SCOPE,
              spans: [
                {
                  traceId: "t",
                  spanId: "s",
                  parentSpanId: "p",
                  name: "tools/call tone",
                  kind: 2,
                  startTimeUnixNano: "1700000000123000000",
                  endTimeUnixNano: "1700000000373000000",
                  attributes: [...CALL_LABELS, ...WIRE, ...OWN],
                  status: {},
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it.each<[string, Partial<Operation>, string[]]>([
    ["a JSON-RPC error", { errorCode: -32602 }, ["-32602", "-32602"]],
    ["an error result", { isToolError: true, outcome: "tool_error" }, ["tool_error"]],
    ["a cancellation", { outcome: "cancelled" }, ["cancelled"]],
  ])("tells of %s", (_, more, expected) => {
    const [span] = spansOf({ ...CALL, ...more }) as [{ status: object; attributes: ReturnType<typeof text>[] }];
    const values = span.attributes.flatMap(({ key, value }) =>
      ["error.type", "rpc.response.status_code"].includes(key) ? [value.stringValue] : [],
    );
    expect([span.status, values]).toEqual([{ code: 2 }, expected]);
  });

  it("has no name for what is not the server's", () => {
    const { tool: _, keyId: __, outcome: ___, requestId: ____, ...bare } = CALL;
    const names = spansOf({ ...bare, method: undefined }, bare, { ...bare, method: "tools/list" });
    expect(names).toMatchObject([{ name: "_OTHER" }, { name: "tools/call" }, { name: "tools/list" }]);
  });

  it("never ends before it began", () => {
    expect(spansOf({ ...CALL, endedAtMs: 1 })).toMatchObject([{ endTimeUnixNano: "1700000000123000000" }]);
  });
});

describe("durations", () => {
  it("are a histogram with the conventions' bounds, of what happened since the last one", () => {
    const histograms = new DurationHistograms();
    for (const ms of [0, 10, 11, 300_000, 300_001]) histograms.record({ ...CALL, endedAtMs: CALL.startedAtMs + ms });
    const buckets = Array.from({ length: DURATION_BOUNDS_S.length + 1 }, () => "0");
    [buckets[0], buckets[1], buckets[13], buckets[14]] = ["2", "1", "1", "1"];
    const metrics = { fromMs: 1_000, toMs: 3_000, durations: histograms.take(), lost: NONE_LOST };
    expect(encodeMetrics(SOURCE, metrics)).toEqual({
      resourceMetrics: [
        {
          resource: RESOURCE,
          scopeMetrics: [
            {
              scope: SCOPE,
              metrics: [
                {
                  name: "mcp.server.operation.duration",
                  unit: "s",
                  description: "How long it took to answer an MCP request.",
                  histogram: {
                    aggregationTemporality: 1,
                    dataPoints: [
                      {
                        startTimeUnixNano: "1000000000",
                        timeUnixNano: "3000000000",
                        count: "5",
                        sum: expect.closeTo(600.022, 6),
                        bucketCounts: buckets,
                        explicitBounds: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
                        attributes: [...CALL_LABELS, ...WIRE],
                      },
                    ],
                  },
                },
              ],
            },
          ],
        },
      ],
    });
    expect([histograms.isEmpty, histograms.take()]).toEqual([true, []]);
  });

  it.each([
    [LIMITS.otlpSeries - 1, 0],
    [LIMITS.otlpSeries, 0],
    [LIMITS.otlpSeries + 1, 1],
  ])("of %i kinds are kept but for %i, and a kind that is there goes on", (kinds, refused) => {
    const histograms = new DurationHistograms();
    const kept = Array.from({ length: kinds }, (_, index) => histograms.record({ ...CALL, tool: `tool_${index}` }));
    expect(kept.filter((isKept) => !isKept)).toHaveLength(refused);
    expect(histograms.record({ ...CALL, tool: "tool_0" })).toBe(true);
    expect(histograms.take()[0]?.count).toBe(2);
  });

  it("say how much was lost", () => {
    const lost = { ...NONE_LOST, full: 3, unsent: 1 };
    expect(encodeMetrics(SOURCE, { fromMs: 1_000, toMs: 3_000, durations: [], lost })).toMatchObject({
      resourceMetrics: [
        {
          scopeMetrics: [
            {
              metrics: [
                {
                  name: "toolgate.telemetry.lost",
                  sum: {
                    aggregationTemporality: 1,
                    isMonotonic: true,
                    dataPoints: [
                      { asInt: "3", attributes: [text("reason", "full")] },
                      { asInt: "1", attributes: [text("reason", "unsent")] },
                    ],
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });
});
