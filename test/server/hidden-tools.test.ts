// A tool that is hidden from a key, next to one that isn't there: whatever the key sends, it sees the same of both, and so
// do all objects that are asked meanwhile, whose answers take time.

import { reset } from "cloudflare:test";
import * as v from "valibot";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { registryStub } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { openGate, request, type Gate } from "../support/app.ts";
import { countingEnv, severedEnv, testEnv } from "../support/counting-env.ts";

const NOON = Date.parse("2030-01-01T12:00:00Z");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
});
afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

const pass = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms);
};

const plain = (name: string, more: object = {}) =>
  defineTool({ name, description: name, input: v.strictObject({}), run: () => "done", ...more });

const TOOLS = [
  plain("dear", { cost: 200 }),
  plain("tame", { annotations: { readOnlyHint: true } }),
  plain("seen", { cost: 5, annotations: { readOnlyHint: true } }),
];
const DENY = ["dear", "tame", "gone", "rows"];

type Key = { id: string; key: string };

const mint = async (gate: Gate, input: object): Promise<Key> =>
  (await gate.admin("POST", "/keys", { name: "n", ...input })).json<Key>();

/** An isolate whose questions to objects are counted, and whose keys' objects can be put out of reach. */
function openIsolate() {
  const { env: severed, sever } = severedEnv();
  const { env, calls } = countingEnv({ ...testEnv, API_KEY: severed.API_KEY });
  const { API_KEY, TOOL_REGISTRY, SESSION_HUB, CATALOGUE_REPLICA } = env;
  return { gate: openGate(TOOLS, { API_KEY, TOOL_REGISTRY, SESSION_HUB, CATALOGUE_REPLICA }), calls, sever };
}

type Isolate = ReturnType<typeof openIsolate>;

/** All of an answer, and which objects were asked for it; the name that was called is left out. */
async function observe({ gate, calls }: Isolate, key: string, params: object, name: string) {
  calls.length = 0;
  const response = await gate.caller(key).send(request("tools/call", params));
  const body = (await response.text()).replaceAll(name, "NAME");
  const asked = calls.map(({ method, args: [ask] }) => ({ method, need: (ask as { need?: number }).need }));
  const fields = [...response.headers].filter(([field]) => field !== "content-length");
  return { status: response.status, body, fields, asked };
}

const direct = (name: string) => ({ name, arguments: {} });
const through = (name: string) => ({ name: "call_tool", arguments: { name, arguments: {} } });

type Seen = Awaited<ReturnType<typeof observe>>;

/** What a key sees of a name from its first call on: warm, with other facts, and while its object is away. */
async function story(name: string, input: object, paramsOf: (name: string) => object): Promise<Seen[]> {
  vi.setSystemTime(NOON);
  const { admin } = openGate(TOOLS);
  const isolate = openIsolate();
  const { id, key } = await mint(isolate.gate, input);
  const seen: Seen[] = [];
  const look = async (): Promise<void> => void seen.push(await observe(isolate, key, paramsOf(name), name));
  for (let call = 0; call < 4; call++) await look();
  pass(LIMITS.leaseLifeMs);
  await look();
  await admin("PATCH", `/keys/${id}`, { expiresAt: "2031-01-01T00:00:00Z" });
  pass(LIMITS.leaseLifeMs);
  await look();
  isolate.sever(true);
  pass(LIMITS.leaseLifeMs);
  await look();
  return seen;
}

const LIMITED = { perMinute: 50, burst: 50 };
const FEW = { perMinute: 50, burst: 3 };
const BOUND = { perMinute: 600, concurrent: 2, perDay: 100, tools: { "*": { perMinute: 60, burst: 10 } } };

it.each([
  ["dear", LIMITED, direct],
  ["dear", FEW, direct],
  ["dear", BOUND, direct],
  ["tame", LIMITED, direct],
  ["rows", LIMITED, direct],
  ["dear", LIMITED, through],
  ["tame", LIMITED, through],
])("shows nothing of the hidden tool %s to a key with %o", async (name, limits, paramsOf) => {
  const { admin } = openGate(TOOLS);
  await admin("PUT", "/tools/rows", {
    description: "Reads.",
    cost: 7,
    inputSchema: { type: "object", properties: {} },
    source: { kind: "http", method: "GET", url: "https://api.example.com/" },
  });
  for (const discovery of [false, true]) {
    const input = { limits, discovery, tools: { deny: DENY } };
    const absent = await story("gone", input, paramsOf);
    expect(await story(name, input, paramsOf)).toEqual(absent);
    expect([absent[0]?.status, absent.at(-1)?.status]).toEqual([200, 503]);
  }
});

it("answers both by a key that may see them by their price", async () => {
  const isolate = openIsolate();
  const { key } = await mint(isolate.gate, { limits: LIMITED });
  const { status, fields } = await observe(isolate, key, direct("seen"), "seen");
  expect([status, Object.fromEntries(fields)["ratelimit"]]).toEqual([200, '"calls";r=45;t=6']);
});

const left = ({ fields }: Seen): string => Object.fromEntries(fields)["ratelimit"] ?? "";

it("takes no price of a tool that was hidden since the key was heard of last", async () => {
  const isolate = openIsolate();
  const { id, key } = await mint(isolate.gate, { limits: { perMinute: 50, burst: 300 } });
  const first = await observe(isolate, key, direct("dear"), "dear");
  await isolate.gate.admin("PATCH", `/keys/${id}`, { tools: { deny: ["dear"] } });
  pass(LIMITS.leaseLifeMs);
  const next = await observe(isolate, key, direct("dear"), "dear");
  expect([first.status, left(first), left(next), next.body]).toEqual([
    200,
    '"calls";r=100;t=240',
    // 2 s bring 1.67 back.
    '"calls";r=100;t=240',
    expect.stringContaining("Unknown tool: NAME"),
  ]);
});

it("learns of a key once, then asks nobody, where tools have prices", async () => {
  const isolate = openIsolate();
  const { key } = await mint(isolate.gate, { limits: { perMinute: 6_000 } });
  const waitedFor: string[][] = [];
  for (let call = 0; call < 4; call++) {
    const { asked } = await observe(isolate, key, direct("seen"), "seen");
    // Nobody waits for a lease that nobody needs yet.
    waitedFor.push(asked.filter(({ need }) => need !== 0).map(({ method }) => method));
  }
  expect(waitedFor).toEqual([["readSnapshot", "lease", "lease"], [], [], []]);
});

it("admits exactly what may be of many that come before anything is known of their key", async () => {
  const { gate, calls } = openIsolate();
  const { key } = await mint(gate, { limits: { perMinute: 10 } });
  calls.length = 0;
  const caller = gate.caller(key);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => caller.send(request("tools/call", direct("seen")))),
  );
  const admitted = answers.filter(({ status }) => status === 200);
  expect([admitted.length, answers.filter(({ status }) => status === 429).length]).toEqual([2, 10]);
  expect(calls.filter(({ method }) => method === "lease").length).toBeLessThanOrEqual(3);
});

it("has a key's own two stand where a tool of their name is hidden from it", async () => {
  const record = {
    description: "Is older.",
    inputSchema: '{"type":"object","properties":{}}',
    source: { kind: "http", method: "GET", url: "https://api.example.com/" },
  } as const;
  const row = { name: "call_tool", enabled: true, record, cost: 7 };
  await registryStub(testEnv).editTools([{ op: "put", name: "call_tool", row }]);
  const gate = openGate(TOOLS);
  const caller = gate.caller(await gate.mint({ discovery: true, tools: { deny: ["call_tool"] } }));
  const listed = await caller.ask("2025-11-25", "tools/list");
  const called = await caller.ask("2025-11-25", "tools/call", through("tame"));
  expect([listed.body, called.body]).toMatchObject([
    { result: { tools: [{ name: "call_tool", title: "Call a tool" }, { name: "search_tools" }] } },
    { result: { content: [{ text: "done" }] } },
  ]);
});
