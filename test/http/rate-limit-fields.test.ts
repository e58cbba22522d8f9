// `RateLimit-Policy` and `RateLimit` on answers: what was paid from, what is left of it, and when there is more.

import { reset } from "cloudflare:test";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { defineTool } from "../../src/tools/define-tool.ts";
import { openGate, request, type Caller, type Gate } from "../support/app.ts";

const NOW = Date.parse("2030-01-01T23:59:00Z");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});
afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

const pass = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms);
};

const plain = (name: string, more: { cost?: number } = {}) =>
  defineTool({ name, description: name, input: v.strictObject({}), run: () => "done", ...more });

const TOOLS = [plain("read_a"), plain("dear", { cost: 5 })];

const call = (name: string) => request("tools/call", { name, arguments: {} });

async function open(limits: object): Promise<Gate & Caller> {
  const gate = openGate(TOOLS);
  return { ...gate, ...gate.caller(await gate.mint({ limits })) };
}

const fieldsOf = async (sent: Promise<Response>) => {
  const { status, headers } = await sent;
  return { status, policy: headers.get("ratelimit-policy"), rateLimit: headers.get("ratelimit") };
};

/** `Retry-After` and `RateLimit` of a call that is refused. */
const refusalOf = async (caller: Caller, name: string) => {
  const { status, headers } = await caller.send(call(name));
  return status === 429 ? [headers.get("retry-after"), headers.get("ratelimit")] : status;
};

describe("RateLimit and RateLimit-Policy", () => {
  const CONTROL_POLICY = '"control";q=600;w=60;toolgate-burst=120';

  it("tell of all that a call was paid from", async () => {
    const limits = { perMinute: 60, burst: 3, perDay: 100, tools: { "read_*": { perMinute: 6 } } };
    const caller = await open(limits);
    expect(await fieldsOf(caller.send(call("read_a")))).toEqual({
      status: 200,
      policy: '"calls";q=60;w=60;toolgate-burst=3, "tool:read_*";q=6;w=60, "day";q=100;w=86400',
      rateLimit: '"calls";r=2;t=1, "tool:read_*";r=5;t=10, "day";r=99;t=60',
    });
  });

  it("count down call by call", async () => {
    const caller = await open({ perMinute: 6, burst: 3 });
    const lefts: unknown[] = [];
    for (let i = 0; i < 4; i++) lefts.push((await fieldsOf(caller.send(call("read_a")))).rateLimit);
    expect(lefts).toEqual(['"calls";r=2;t=10', '"calls";r=1;t=20', '"calls";r=0;t=30', '"calls";r=0;t=10']);
  });

  it.each<[string, unknown, Record<string, string>]>([
    ["a list", request("tools/list"), {}],
    [
      "a handshake",
      request("initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "c", version: "1" },
      }),
      {},
    ],
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }, {}],
    ["nonsense", "{", {}],
    ["a stream", request("ping"), { accept: "text/event-stream" }],
  ])("stand on the answer to %s, for the bucket that it was paid from", async (_, body, headers) => {
    const caller = await open({ perMinute: 6 });
    const { policy, rateLimit } = await fieldsOf(caller.send(body, headers));
    expect({ policy, rateLimit }).toEqual({ policy: CONTROL_POLICY, rateLimit: '"control";r=119;t=1' });
  });

  it("stand on a stream, and on the end of a session", async () => {
    const caller = await open({ perMinute: 6 });
    const headers = { "mcp-session-id": await caller.openSession("2025-11-25"), authorization: `Bearer ${caller.key}` };
    const stream = await caller.fetch("/mcp", { headers: { ...headers, accept: "text/event-stream" } });
    const ended = await caller.fetch("/mcp", { method: "DELETE", headers });
    expect([stream.status, ended.status]).toEqual([200, 204]);
    for (const response of [stream, ended]) expect(response.headers.get("ratelimit-policy")).toBe(CONTROL_POLICY);
    await stream.body?.cancel();
  });

  it("cut the time of what denied alone to that of Retry-After", async () => {
    const caller = await open({ perMinute: 600, perDay: 9, tools: { "read_*": { perMinute: 60, burst: 1 } } });
    pass(-12 * 3_600_000);
    await caller.send(call("read_a"));
    expect(await refusalOf(caller, "read_a")).toEqual([
      "1",
      '"calls";r=599;t=1, "tool:read_*";r=0;t=1, "day";r=8;t=43260',
    ]);
  });

  it("say what is left where a dear call can't be paid and a cheaper one can", async () => {
    const caller = await open({ perMinute: 6, burst: 6, perDay: 8 });
    for (let calls = 0; calls < 2; calls++) await caller.send(call("read_a"));
    expect(await refusalOf(caller, "dear")).toEqual(["10", '"calls";r=4;t=10, "day";r=6;t=60']);
    expect((await fieldsOf(caller.send(call("read_a")))).rateLimit).toBe('"calls";r=3;t=30, "day";r=5;t=60');
    pass(20_000);
    expect((await caller.send(call("dear"))).status).toBe(200);
  });

  it("are not there where nothing was paid", async () => {
    const gate = openGate();
    expect(await fieldsOf(gate.fetch("/mcp", { method: "POST", body: "{}" }))).toEqual({
      status: 401,
      policy: null,
      rateLimit: null,
    });
  });
});
