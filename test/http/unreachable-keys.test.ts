// What is served while a key's object can't be asked: little, to whom was known a moment ago, and nothing that can't be
// undone or that a promise of exactness forbids.

import { reset } from "cloudflare:test";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { defineTool, type ToolAnnotations } from "../../src/tools/define-tool.ts";
import { errorOf, openGate, request, type Caller, type Gate } from "../support/app.ts";
import { severedEnv } from "../support/counting-env.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2030-01-01T00:00:00Z") });
});
afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

const pass = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms);
};

const tool = (name: string, annotations?: ToolAnnotations) =>
  defineTool({
    name,
    description: name,
    input: v.strictObject({}),
    run: () => "done",
    ...(annotations && { annotations }),
  });

const TOOLS = [
  tool("read", { readOnlyHint: true }),
  tool("add", { readOnlyHint: false, destructiveHint: false }),
  tool("destroy", { destructiveHint: true }),
  tool("unsaid"),
];

const call = (name: string) => request("tools/call", { name, arguments: {} });

/** A caller whose key's object can be put out of reach, after it made a call. */
async function open(input: Record<string, unknown> = {}) {
  const { env, sever, attempts } = severedEnv();
  const gate = openGate(TOOLS, { API_KEY: env.API_KEY });
  const caller = gate.caller(await gate.mint(input));
  expect((await caller.send(call("read"))).status).toBe(200);
  return { gate, caller, sever, attempts, another: () => openGate(TOOLS, { API_KEY: env.API_KEY }) };
}

async function statuses(caller: Caller, names: string[]): Promise<number[]> {
  const all: number[] = [];
  for (const name of names) all.push((await caller.send(call(name))).status);
  return all;
}

const BOTH = "application/json, text/event-stream";

const times = (count: number, name: string): string[] => Array.from({ length: count }, () => name);

const UNAVAILABLE = {
  status: 503,
  wait: "2",
  body: errorOf(503, 1, "Temporarily unavailable: the API key can't be checked right now", { retryAfterSeconds: 2 }),
};

const answerOf = async (response: Response) => ({
  status: response.status,
  wait: response.headers.get("retry-after"),
  body: await response.json(),
});

describe("while a key's object is out of reach", () => {
  it("a key that was good a moment ago is served a few calls a minute, for a while", async () => {
    const { caller, sever } = await open();
    const checkedAtMs = Date.now();
    sever(true);
    pass(LIMITS.leaseLifeMs);
    const few = LIMITS.tricklePerMinute;
    expect(await statuses(caller, times(few + 2, "read"))).toEqual([
      ...Array.from({ length: few }, () => 200),
      503,
      503,
    ]);
    pass(60_000);
    expect(await statuses(caller, times(few + 1, "add"))).toEqual([...Array.from({ length: few }, () => 200), 503]);
    vi.setSystemTime(checkedAtMs + LIMITS.trickleLifeMs - 1);
    expect(await statuses(caller, ["read"])).toEqual([200]);
    pass(1);
    expect(await answerOf(await caller.send(call("read")))).toEqual(UNAVAILABLE);
  });

  it.each(["destroy", "unsaid", "unknown"])("a tool that may destroy is not run: %s", async (name) => {
    const { caller, sever } = await open();
    sever(true);
    pass(LIMITS.leaseLifeMs);
    expect(await answerOf(await caller.send(call(name)))).toEqual(UNAVAILABLE);
  });

  it.each([
    ["a quota for the day", { limits: { perMinute: 600, perDay: 100 } }],
    ["a bound on running calls", { limits: { perMinute: 600, concurrent: 4 } }],
  ])("a key with %s is not served: that holds exactly", async (_, input) => {
    const { caller, sever } = await open(input);
    sever(true);
    pass(LIMITS.leaseLifeMs);
    expect(await statuses(caller, ["read"])).toEqual([503]);
  });

  it("no socket or stream is opened, which would outlive the doubt", async () => {
    const { gate, caller, sever } = await open();
    const authorization = `Bearer ${caller.key}`;
    const session = await caller.openSession("2025-11-25");
    sever(true);
    pass(LIMITS.leaseLifeMs);
    const opened = await Promise.all([
      gate.fetch("/mcp", { headers: { authorization, accept: "text/event-stream", "mcp-session-id": session } }),
      gate.fetch("/mcp", { headers: { authorization, upgrade: "websocket" } }),
      gate.fetch("/sse", { headers: { authorization, accept: "text/event-stream" } }),
      caller.ask("2026-07-28", "subscriptions/listen", { notifications: {} }, { accept: BOTH }),
    ]);
    expect(opened.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    expect(await statuses(caller, ["read"])).toEqual([200]);
  });

  it("a key that has expired meanwhile is not served", async () => {
    const { caller, sever } = await open({ expiresAt: "2030-01-01T00:00:10Z" });
    sever(true);
    pass(9_999);
    expect(await statuses(caller, ["read"])).toEqual([200]);
    pass(1);
    expect(await statuses(caller, ["read"])).toEqual([503]);
  });

  it("a key that nobody knows here is not served, and neither is one that was revoked", async () => {
    const { gate, caller, sever, another } = await open();
    const stranger = another().caller(caller.key);
    sever(true);
    expect(await answerOf(await stranger.send(call("read")))).toEqual(UNAVAILABLE);
    sever(false);
    await gate.admin("DELETE", `/keys/${caller.key.split("_")[1]}`);
    pass(LIMITS.leaseLifeMs);
    expect(await statuses(caller, ["read"])).toEqual([401]);
    sever(true);
    pass(LIMITS.leaseLifeMs);
    expect(await statuses(caller, ["read"])).toEqual([503]);
  });

  it("the admin API answers nobody whose right can't be checked", async () => {
    const { gate, sever } = await open();
    const key = await gate.mint({ scopes: ["admin"] });
    const ask = (authorization: string, init: RequestInit = {}) =>
      gate.fetch("/admin/v1/tools/tone", { ...init, headers: { authorization, "content-type": "application/json" } });
    expect((await ask(`Bearer ${key}`)).status).not.toBe(503);
    sever(true);
    pass(LIMITS.leaseLifeMs);
    const refused = [await ask(`Bearer ${key}`), await gate.admin("PATCH", "/tools/tone", { enabled: true })];
    for (const response of refused) {
      const { status, headers } = response;
      expect([status, headers.get("retry-after"), await response.json()]).toEqual([
        503,
        "2",
        {
          type: "about:blank",
          title: "Temporarily unavailable",
          status: 503,
          code: "unavailable",
          detail: "The key can't be checked right now",
        },
      ]);
    }
    // The deployment's own admin key needs no object to be known, and reads cost it nothing.
    expect((await gate.admin("GET", "/tools")).status).toBe(200);
  });

  it("it is not asked for every call, and everything is well again once it can be", async () => {
    const { caller, sever, attempts } = await open();
    sever(true);
    pass(LIMITS.leaseLifeMs);
    await statuses(caller, times(100, "read"));
    expect(attempts()).toBeLessThanOrEqual(2);
    sever(false);
    pass(2 * LIMITS.denialFloorMs);
    expect(await statuses(caller, ["read", "destroy"])).toEqual([200, 200]);
  });
});

it("keeps no other key from being served", async () => {
  const { caller, sever } = await open();
  const other: Gate & Caller = await (async () => {
    const gate = openGate(TOOLS);
    return { ...gate, ...gate.caller(await gate.mint()) };
  })();
  sever(true);
  pass(LIMITS.leaseLifeMs);
  expect([await statuses(caller, ["destroy"]), await statuses(other, ["destroy"])]).toEqual([[503], [200]]);
});
