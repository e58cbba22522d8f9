import { expect, it } from "vitest";
import { continueTrace, openSpan, parseTraceparent } from "../../src/telemetry/trace-context.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT_ID = "00f067aa0ba902b7";
const TRACEPARENT = `00-${TRACE_ID}-${PARENT_ID}-01`;
const HEX_16 = /^[0-9a-f]{16}$/;

it.each([
  [TRACEPARENT, true],
  [`00-${TRACE_ID}-${PARENT_ID}-00`, false],
  [`00-${TRACE_ID}-${PARENT_ID}-03`, true],
  [`cc-${TRACE_ID}-${PARENT_ID}-01-what-later-versions-add`, true],
])("reads %s", (traceparent, isSampled) => {
  expect(parseTraceparent(traceparent)).toEqual({ traceId: TRACE_ID, parentId: PARENT_ID, isSampled });
});

it.each([
  "",
  "nonsense",
  TRACEPARENT.toUpperCase(),
  `${TRACEPARENT}-more`,
  `ff-${TRACE_ID}-${PARENT_ID}-01`,
  `00-${"0".repeat(32)}-${PARENT_ID}-01`,
  `00-${TRACE_ID}-${"0".repeat(16)}-01`,
  `00-${TRACE_ID}-${PARENT_ID}-0`,
])("passes over %j", (traceparent) => {
  expect(parseTraceparent(traceparent)).toBe(undefined);
  expect(continueTrace(undefined, traceparent)).toBe(undefined);
  expect(openSpan(traceparent, 1)).toEqual({
    traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    spanId: expect.stringMatching(HEX_16),
    isSampled: true,
  });
});

it("makes a span part of the trace that it came with, sampled as that is", () => {
  expect(openSpan(TRACEPARENT.replace(/01$/, "00"), 1)).toEqual({
    traceId: TRACE_ID,
    parentId: PARENT_ID,
    spanId: expect.stringMatching(HEX_16),
    isSampled: false,
  });
});

it.each([
  [0, false],
  [1, true],
])("samples a share of %d of the traces that begin here", (share, isSampled) => {
  expect(openSpan(undefined, share).isSampled).toBe(isSampled);
});

it("goes on from its own span, or from its client's where it has none", () => {
  const span = { traceId: TRACE_ID, spanId: "1122334455667788", isSampled: true };
  expect([
    continueTrace(span, TRACEPARENT),
    continueTrace({ ...span, isSampled: false }, undefined),
    continueTrace(undefined, TRACEPARENT),
    continueTrace(undefined, undefined),
  ]).toEqual([`00-${TRACE_ID}-1122334455667788-01`, `00-${TRACE_ID}-1122334455667788-00`, TRACEPARENT, undefined]);
});
