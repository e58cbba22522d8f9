// What a key may do, and how an answer says so: status, headers and body must agree.

import { reset } from "cloudflare:test";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { errorOf, openGate, request, type Caller, type Gate } from "../support/app.ts";

// A thousand requests take their time on a slow machine.
vi.setConfig({ testTimeout: 60_000 });

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

/** A tool whose calls end when they are told to. */
function waitingTool() {
  const waiting: (() => void)[] = [];
  const tool = defineTool({
    name: "wait",
    description: "waits",
    input: v.strictObject({}),
    run: async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return "done";
    },
  });
  return { tool, waiting };
}

const TOOLS = [plain("read_a"), plain("read_b"), plain("write_a"), plain("dear", { cost: 5 })];

const call = (name: string, id: unknown = 1) => request("tools/call", { name, arguments: {} }, id);

async function open(limits: object, tools = TOOLS): Promise<Gate & Caller> {
  const gate = openGate(tools);
  return { ...gate, ...gate.caller(await gate.mint({ limits })) };
}

const statuses = async (caller: Caller, names: string[]): Promise<number[]> => {
  const all: number[] = [];
  for (const name of names) all.push((await caller.send(call(name))).status);
  return all;
};

/** What a refused request is told in all three places. */
async function refusal(response: Response) {
  const { headers, status } = response;
  const body = await response.json<{ id: unknown; error: { data: { retryAfterSeconds: number } } }>();
  return { status, retryAfter: headers.get("retry-after"), rateLimit: headers.get("ratelimit"), body };
}

const limited = (retryAfterSeconds: number, data: object, rateLimit: string, message: string) => ({
  status: 429,
  retryAfter: String(retryAfterSeconds),
  rateLimit,
  body: errorOf(429, 1, expect.stringContaining(message), { retryAfterSeconds, ...data }),
});

const globs = (from: number, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${from + i}`, { perMinute: 1 }]));

describe("a limit on some tools", () => {
  it("is paid besides the key's own, by every glob that matches", async () => {
    const tools = { "read_*": { perMinute: 6, burst: 2 }, "*_a": { perMinute: 6, burst: 3 } };
    const caller = await open({ perMinute: 600, tools });
    expect(await statuses(caller, ["read_a", "read_a", "read_a", "read_b", "write_a", "write_a", "dear"])).toEqual([
      200, 200, 429, 429, 200, 429, 200,
    ]);
  });

  it("says which it is, in the status, the headers and the body", async () => {
    const caller = await open({ perMinute: 600, tools: { "read_*": { perMinute: 6, burst: 1 } } });
    await caller.send(call("read_a"));
    expect(await refusal(await caller.send(call("read_b")))).toEqual(
      limited(
        10,
        { limit: { perMinute: 6, burst: 1 }, scope: "tool", tools: "read_*" },
        '"calls";r=599;t=1, "tool:read_*";r=0;t=10',
        "6 calls of read_* a minute, 1 at once. Retry in 10 s",
      ),
    );
  });

  it("takes nothing from the key's own when it denies", async () => {
    const caller = await open({ perMinute: 6, burst: 2, tools: { "read_*": { perMinute: 6, burst: 1 } } });
    expect(await statuses(caller, ["read_a", "read_a", "read_a", "write_a", "write_a"])).toEqual([
      200, 429, 429, 200, 429,
    ]);
  });

  it("follows a change within the life of a lease", async () => {
    const gate = openGate(TOOLS);
    const { id, key } = await (await gate.admin("POST", "/keys", { name: "n" })).json<{ id: string; key: string }>();
    const caller = gate.caller(key);
    expect(await statuses(caller, ["read_a", "write_a"])).toEqual([200, 200]);
    const change = { limits: { tools: { "read_*": { perMinute: 6, burst: 1 } } } };
    expect((await gate.admin("PATCH", `/keys/${id}`, change)).status).toBe(200);
    pass(LIMITS.leaseLifeMs);
    expect(await statuses(caller, ["read_a", "read_b", "write_a"])).toEqual([200, 429, 200]);
    await gate.admin("PATCH", `/keys/${id}`, { limits: { tools: { "read_*": null } } });
    pass(LIMITS.leaseLifeMs);
    expect(await statuses(caller, ["read_a", "read_b"])).toEqual([200, 200]);
  });

  it.each<[object, string]>([
    [{ "a b": { perMinute: 1 } }, "limits.tools.a b"],
    [{ 'a"': { perMinute: 1 } }, 'limits.tools.a"'],
    [{ "": { perMinute: 1 } }, "limits.tools."],
    [{ a: {} }, "limits.tools.a.perMinute"],
    [{ a: { perMinute: 0 } }, "limits.tools.a.perMinute"],
    [
      Object.fromEntries(Array.from({ length: LIMITS.keyToolLimits + 1 }, (_, i) => [`a${i}`, { perMinute: 1 }])),
      "limits.tools",
    ],
  ])("can't be %j", async (tools, field) => {
    const response = await openGate().admin("POST", "/keys", { name: "n", limits: { perMinute: 1, tools } });
    const { detail } = await response.json<{ detail: string }>();
    expect([response.status, detail.split(": ")[0]]).toEqual([400, field]);
  });

  it("is one of at most so many, those of a change included", async () => {
    const gate = openGate();
    const input = { name: "n", limits: { perMinute: 1, tools: globs(0, LIMITS.keyToolLimits) } };
    const { id } = await (await gate.admin("POST", "/keys", input)).json<{ id: string }>();
    const more = await gate.admin("PATCH", `/keys/${id}`, { limits: { tools: globs(100, 1) } });
    expect(more.status).toBe(400);
    const swapped = await gate.admin("PATCH", `/keys/${id}`, { limits: { tools: { a0: null, ...globs(100, 1) } } });
    expect(swapped.status).toBe(200);
  });
});

describe("a tool that costs more", () => {
  it("takes as many calls as it costs", async () => {
    const caller = await open({ perMinute: 6, burst: 6 });
    expect(await statuses(caller, ["dear", "dear", "read_a", "read_a"])).toEqual([200, 429, 200, 429]);
    expect(await refusal(await caller.send(call("dear")))).toMatchObject({ retryAfter: "50" });
  });

  it("takes of a bucket at most what it holds", async () => {
    const caller = await open({ perMinute: 6, burst: 2 });
    expect(await statuses(caller, ["dear", "read_a"])).toEqual([200, 429]);
    pass(19_999);
    expect(await statuses(caller, ["dear"])).toEqual([429]);
    pass(LIMITS.leaseLifeMs);
    expect(await statuses(caller, ["dear", "read_a"])).toEqual([200, 429]);
  });

  it("costs what an operator says instead, until that is taken back", async () => {
    const dearTone = builtinTools.map((tool) => (tool.name === "tone" ? { ...tool, cost: 5 } : tool));
    const caller = await open({ perMinute: 60, burst: 10 }, dearTone);
    const costOf = async (): Promise<unknown> =>
      (await (await caller.admin("GET", "/tools/tone")).json<{ cost?: number }>()).cost;
    expect(await costOf()).toBe(5);
    expect(await caller.admin("PATCH", "/tools/tone", { cost: 10 })).toMatchObject({ status: 200 });
    expect([await costOf(), await statuses(caller, ["tone", "tone"])]).toEqual([10, [200, 429]]);
    await caller.admin("PATCH", "/tools/tone", { cost: null });
    expect(await costOf()).toBe(5);
    const faulty = await caller.admin("PATCH", "/tools/tone", { cost: LIMITS.toolCostMax + 1 });
    expect(faulty.status).toBe(400);
  });

  it.each([0, 1.5, LIMITS.toolCostMax + 1])("can't cost %d", (cost) => {
    expect(() => plain("x", { cost })).toThrow("cost must be a whole number");
  });
});

describe("a day's quota", () => {
  it("ends with the day (UTC), and says when that is", async () => {
    const caller = await open({ perMinute: 600, perDay: 3 });
    expect(await statuses(caller, ["read_a", "read_b", "write_a"])).toEqual([200, 200, 200]);
    expect(await refusal(await caller.send(call("read_a")))).toEqual(
      limited(
        60,
        { limit: { perDay: 3 }, scope: "day" },
        '"calls";r=597;t=1, "day";r=0;t=60',
        "make calls for 3 a day, which begins at 00:00 UTC. Retry in 60 s",
      ),
    );
    pass(60_000);
    expect(await statuses(caller, ["read_a"])).toEqual([200]);
  });

  it("is exact for isolates that share it, and shown to the operator", async () => {
    const gate = openGate(TOOLS);
    const input = { name: "n", limits: { perMinute: 100_000, perDay: 50 } };
    const { id, key } = await (await gate.admin("POST", "/keys", input)).json<{ id: string; key: string }>();
    const callers = Array.from({ length: 4 }, () => openGate(TOOLS).caller(key));
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, i) => callers[i % 4]?.send(call("read_a"))).map(
        async (sent) => (await sent)?.status,
      ),
    );
    const admitted = all.filter((status) => status === 200).length;
    const { usedToday } = await (await gate.admin("GET", `/keys/${id}`)).json<{ usedToday: number }>();
    expect([usedToday, admitted <= 50, admitted >= 45]).toEqual([50, true, true]);
  });

  it("is paid by what a call costs", async () => {
    const caller = await open({ perMinute: 600, perDay: 7 });
    expect(await statuses(caller, ["dear", "dear", "read_a", "read_a", "read_a"])).toEqual([200, 429, 200, 200, 429]);
  });

  it("is not touched by lists and handshakes", async () => {
    const caller = await open({ perMinute: 600, perDay: 1 });
    for (let list = 0; list < 5; list++) expect((await caller.post(request("tools/list"))).status).toBe(200);
    expect(await statuses(caller, ["read_a", "read_a"])).toEqual([200, 429]);
  });
});

const untilWaiting = (waiting: unknown[], count: number): Promise<void> =>
  vi.waitFor(() => expect(waiting).toHaveLength(count));

describe("a bound on running calls", () => {
  it("refuses the next, and lets it in when one has ended", async () => {
    const { tool, waiting } = waitingTool();
    const caller = await open({ perMinute: 600, concurrent: 2 }, [tool, ...TOOLS]);
    const running = [caller.send(call("wait")), caller.send(call("wait"))];
    await untilWaiting(waiting, 2);
    expect(await refusal(await caller.send(call("read_a")))).toEqual(
      limited(
        1,
        { limit: { concurrent: 2 }, scope: "concurrent" },
        `"concurrent";r=0;t=${LIMITS.concurrentRetryMs / 1_000}`,
        "run 2 calls at the same time. Retry in 1 s",
      ),
    );
    waiting.shift()?.();
    expect((await running[0])?.status).toBe(200);
    expect(await statuses(caller, ["read_a", "read_b"])).toEqual([200, 200]);
    waiting.shift()?.();
    await running[1];
  });

  it("holds for all isolates, and costs those who are refused nothing", async () => {
    const { tool, waiting } = waitingTool();
    const tools = [tool, ...TOOLS];
    const gate = openGate(tools);
    const key = await gate.mint({ limits: { perMinute: 6, burst: 4, concurrent: 1 } });
    const [here, there] = [gate.caller(key), openGate(tools).caller(key)];
    // Both know of the bound by now.
    expect([await statuses(here, ["read_a"]), await statuses(there, ["read_a"])]).toEqual([[200], [200]]);
    const running = here.send(call("wait"));
    await untilWaiting(waiting, 1);
    expect(await statuses(there, ["read_a", "read_a", "read_a"])).toEqual([429, 429, 429]);
    waiting.shift()?.();
    await running;
    pass(LIMITS.denialFloorMs);
    expect(await statuses(there, ["read_a", "read_a"])).toEqual([200, 429]);
  });

  it("does not bound lists, and counts the items of a batch", async () => {
    const { tool, waiting } = waitingTool();
    const caller = await open({ perMinute: 600, concurrent: 1 }, [tool, ...TOOLS]);
    const batch = caller.post([call("wait", "a"), call("wait", "b"), request("tools/list", {}, "c")]);
    await untilWaiting(waiting, 1);
    waiting.shift()?.();
    const { body } = await batch;
    const answers = body as { id: string; error?: { code: number } }[];
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      ["a", undefined],
      ["b", 429],
      ["c", undefined],
    ]);
  });
});

describe("changes by the admin API", () => {
  it("have a bucket of their own: a thousand in a second are too many, also for the deployment's admin key", async () => {
    const gate = openGate();
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) => gate.admin("PATCH", "/tools/tone", { enabled: i % 2 === 0 })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.length - refused.length).toBe(LIMITS.writesBurst);
    const [first] = refused;
    expect({
      type: first?.headers.get("content-type"),
      wait: first?.headers.get("retry-after"),
      policy: first?.headers.get("ratelimit-policy"),
      rateLimit: first?.headers.get("ratelimit"),
      body: await first?.json(),
    }).toEqual({
      type: "application/problem+json",
      wait: "1",
      policy: '"writes";q=600;w=60;toolgate-burst=300',
      rateLimit: '"writes";r=0;t=1',
      body: {
        type: "about:blank",
        title: "Rate limited",
        status: 429,
        code: "rate_limited",
        detail: "Too many requests: retry in 1 s",
      },
    });
    expect((await gate.admin("GET", "/tools")).status).toBe(200);
    pass(1_000);
    expect((await gate.admin("PATCH", "/tools/tone", { enabled: true })).status).toBe(200);
  });

  it("by a minted key are paid by that key", async () => {
    const gate = openGate();
    const key = await gate.mint({ scopes: ["admin"] });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const change = () => gate.fetch("/admin/v1/tools/tone", { method: "PATCH", headers, body: '{"enabled":true}' });
    const answers = await Promise.all(Array.from({ length: LIMITS.writesBurst + 5 }, change));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
    expect(answers.find(({ status }) => status === 200)?.headers.get("ratelimit-policy")).toBe(
      '"writes";q=600;w=60;toolgate-burst=300',
    );
    expect((await gate.admin("PATCH", "/tools/tone", { enabled: true })).status).toBe(200);
  });
});
