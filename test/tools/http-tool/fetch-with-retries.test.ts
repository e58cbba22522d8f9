import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { parseRetryAfter } from "../../../src/tools/http-tool/fetch-with-retries.ts";
import { ToolError } from "../../../src/tools/tool-error.ts";
import type { HttpSource } from "../../../src/tools/tool-record.ts";
import { answer, ok, openHttpTool, source, type UpstreamAnswer } from "../../support/http-tool.ts";

const NOW = Date.UTC(2026, 11, 1, 12);
const status = (code: number, headers: HeadersInit = {}) => answer(null, headers, { status: code });
const broken: UpstreamAnswer = () => {
  throw new Error("connect ECONNREFUSED 10.0.0.1:443");
};

async function outcomeOf(method: HttpSource["method"], answers: UpstreamAnswer[], timeoutMs?: number) {
  const tool = openHttpTool(source({ method }), { answers, ...(timeoutMs !== undefined && { timeoutMs }) });
  const outcome = await tool.call().then(
    ({ content: [item] }) => (item?.type === "text" ? item.text : item),
    (error: unknown) => error,
  );
  return { outcome, requests: tool.sent.length, pauses: tool.pauses };
}

const refused = (code: number, more = "") => new ToolError(`The destination answered with status ${code}.${more}`);
const UNREACHABLE = new ToolError("The destination could not be reached.");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const busy = () => [status(503, { "retry-after": "10" }), ok];

describe("a request is sent again", () => {
  test.each([502, 503, 504])("after %i", async (code) => {
    const answers = [status(code), ok];
    expect(await outcomeOf("GET", answers)).toEqual({ outcome: "ok", requests: 2, pauses: [LIMITS.httpRetryMs] });
  });

  test("after a connection that failed, twice at most, with growing pauses", async () => {
    const pauses = [LIMITS.httpRetryMs, 2 * LIMITS.httpRetryMs];
    expect(await outcomeOf("GET", [broken, broken, ok])).toEqual({ outcome: "ok", requests: 3, pauses });
    expect(await outcomeOf("GET", [broken, broken, broken, ok])).toEqual({
      outcome: UNREACHABLE,
      requests: 1 + LIMITS.httpRetries,
      pauses,
    });
    expect(await outcomeOf("GET", [broken, status(503), status(502)])).toEqual({
      outcome: refused(502),
      requests: 3,
      pauses,
    });
  });

  test.each(["GET", "HEAD", "PUT", "DELETE"] as const)("when it is a %s", async (method) => {
    const { requests } = await outcomeOf(method, [status(503), ok]);
    expect(requests).toBe(2);
  });

  test.each([
    ["0", 0],
    ["3", 3_000],
    ["Tue, 01 Dec 2026 12:00:05 GMT", 5_000],
    ["Tue, 01 Dec 2026 11:00:00 GMT", 0],
    ["nonsense", LIMITS.httpRetryMs],
    ["-1", LIMITS.httpRetryMs],
  ])("when the upstream asks for it: Retry-After %j", async (value, pauseMs) => {
    const { pauses } = await outcomeOf("GET", [status(503, { "retry-after": value }), ok]);
    expect(pauses).toEqual([pauseMs]);
  });

  test("when that leaves time before the deadline, and not at it", async () => {
    expect(await outcomeOf("GET", busy(), 10_001)).toEqual({ outcome: "ok", requests: 2, pauses: [10_000] });
    const outcome = refused(503, " Retry after 10 s.");
    expect(await outcomeOf("GET", busy(), 10_000)).toEqual({ outcome, requests: 1, pauses: [] });
  });
});

describe("a request is not sent again", () => {
  test.each(["POST", "PATCH"] as const)("when it is a %s", async (method) => {
    expect(await outcomeOf(method, [status(503)])).toEqual({ outcome: refused(503), requests: 1, pauses: [] });
    expect(await outcomeOf(method, [broken])).toEqual({ outcome: UNREACHABLE, requests: 1, pauses: [] });
  });

  test.each([400, 404, 408, 429, 500, 501])("after %i", async (code) => {
    expect(await outcomeOf("GET", [status(code)])).toEqual({ outcome: refused(code), requests: 1, pauses: [] });
  });

  test("after an answer that is too large", async () => {
    const large = answer("x", { "content-length": String(LIMITS.fetchBytes + 1) });
    expect(await outcomeOf("GET", [large])).toEqual({
      outcome: new ToolError(`The response is too large: the limit is ${LIMITS.fetchBytes} bytes.`),
      requests: 1,
      pauses: [],
    });
  });

  test("once the call is over", async () => {
    const call = new AbortController();
    const left = new Error("the client left");
    const { sent, call: run } = openHttpTool(source(), {
      answers: [status(503)],
      pause: () => {
        call.abort(left);
        return Promise.reject(left);
      },
      signal: call.signal,
    });
    await expect(run()).rejects.toBe(left);
    expect(sent).toHaveLength(1);
  });
});

test.each([
  ["", undefined],
  ["1.5", undefined],
  ["9999999999", undefined],
  ["999999999", 999_999_999_000],
  ["2026-12-01", undefined],
])("Retry-After %j is %s", (value, ms) => {
  expect(parseRetryAfter(new Headers({ "retry-after": value }), NOW)).toBe(ms);
});
