// When a call's answer becomes a stream, how often streams show that they live, and how they come back: by timers that the
// test fires.

import { reset } from "cloudflare:test";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import { EventStream } from "../../../src/http/event-stream.ts";
import { LIMITS } from "../../../src/lib/limits.ts";
import { builtinTools } from "../../../src/tools/builtin/catalog.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { openGate } from "../../support/app.ts";
import { narrow } from "../../support/narrow.ts";
import { SseReader } from "../../support/sse-reader.ts";
import { call, edgeClient } from "../../support/stream-client.ts";

/** Timers of these lengths wait until they are fired. */
const held = new Map<number, (() => void)[]>();

function hold(...lengths: number[]): void {
  for (const ms of lengths) held.set(ms, []);
  for (const name of ["setTimeout", "setInterval"] as const) {
    const real = globalThis[name] as (run: () => void, ms?: number) => unknown;
    vi.spyOn(globalThis, name).mockImplementation(((run: () => void, ms = 0) => {
      const waiting = held.get(ms);
      if (!waiting) return real(run, ms);
      waiting.push(run);
      return 0;
    }) as never);
  }
}

async function fire(ms: number): Promise<void> {
  await vi.waitFor(() => expect(held.get(ms)).not.toEqual([]), { interval: 1 });
  for (const run of held.get(ms)?.splice(0) ?? []) run();
}

beforeEach(() => held.clear());
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await reset();
});

/** A tool whose calls end once they are told to. */
function slowTool() {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const run = async (): Promise<string> => {
    await promise;
    return "done";
  };
  return { tools: [defineTool({ name: "slow", description: "Takes its time.", input: v.object({}), run })], end };
}

const typeOf = ({ headers }: Response): string | null => headers.get("content-type");

describe("a call", () => {
  it.each([
    [false, "application/json"],
    [true, "text/event-stream"],
  ])("that has taken its time (%s) is answered as %s", async (isLong, type) => {
    const { tools, end } = slowTool();
    const client = await edgeClient(tools);
    hold(LIMITS.streamAfterMs);
    const answered = client.post(call("slow"));
    if (isLong) await fire(LIMITS.streamAfterMs);
    else end();
    const response = await answered;
    end();
    await response.text();
    expect(typeOf(response)).toBe(type);
  });

  it("that streams says so more often than others, and how long to wait before it is asked for again", async () => {
    const { tools, end } = slowTool();
    const client = await edgeClient(tools);
    const session = await client.initialize();
    hold(LIMITS.streamAfterMs, LIMITS.callKeepAliveMs, LIMITS.keepAliveProbeMs);
    const answered = client.post(call("slow"), session);
    await fire(LIMITS.streamAfterMs);
    const reader = new SseReader(await answered);
    await fire(LIMITS.callKeepAliveMs);
    await fire(LIMITS.keepAliveProbeMs);
    end();
    await reader.restMessages();
    const comments = reader.raw.match(/: keep-alive\n\n/g);
    expect([comments?.length, reader.raw.includes(`retry: ${LIMITS.retryMs}\n`)]).toEqual([2, true]);
  });
});

it("a stream shows that it lives, and once more so soon that a client that left is noticed", async () => {
  hold(LIMITS.keepAliveMs, LIMITS.keepAliveProbeMs);
  const stream = new EventStream(new AbortController().signal);
  const text = stream.response.text();
  await fire(LIMITS.keepAliveMs);
  await fire(LIMITS.keepAliveProbeMs);
  stream.close();
  expect(await text).toBe(": open\n\n: keep-alive\n\n: keep-alive\n\n");
});

it.each([
  [LIMITS.sessionLifeMs - 1, 200],
  [LIMITS.sessionLifeMs, 404],
])("a session that is %i ms old is answered %i", async (ageMs, status) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const server = openGate();
  const caller = server.caller(await server.mint());
  const session = await caller.openSession("2025-11-25");
  vi.setSystemTime(Date.now() + ageMs);
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  expect((await caller.post(ping, { "mcp-session-id": session })).status).toBe(status);
});

it("a stream whose hub was dropped joins again with growing pauses, up to a bound", async () => {
  // Such as nothing else waits for.
  narrow({ rejoinMs: 613, rejoinMaxMs: 5_003 });
  const growing = [613, 1_226, 2_452, 4_904, 5_003, 5_003];
  vi.spyOn(Math, "random").mockReturnValue(1);
  const pauses: number[] = [];
  const hubSides: WebSocket[] = [];
  const fetchHub = (): Promise<Response> => {
    if (hubSides.length > 0 && pauses.length < growing.length) return Promise.reject(new Error("out of reach"));
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    hubSides.push(server);
    return Promise.resolve(new Response(null, { status: 101, webSocket: client }));
  };
  const hub = { idFromName: (name: string) => name, get: () => ({ fetch: fetchHub }) };
  const server = openGate(builtinTools, { SESSION_HUB: hub as unknown as Env["SESSION_HUB"] });
  const caller = server.caller(await server.mint());
  const session = await caller.openSession("2025-11-25");
  const headers = { authorization: `Bearer ${caller.key}`, "mcp-session-id": session, accept: "text/event-stream" };
  const response = await server.fetch("/mcp", { headers });
  const { setTimeout } = globalThis;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms = 0) => {
    const isPause = growing.includes(ms);
    if (isPause) pauses.push(ms);
    return setTimeout(run, isPause ? 0 : ms);
  }) as never);
  hubSides[0]?.close(1001, "dropped");
  await vi.waitFor(() => expect(hubSides).toHaveLength(2), { interval: 1, timeout: 10_000 });
  await response.body?.cancel();
  expect(pauses).toEqual(growing);
});
