import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { UpstreamChange } from "../../../src/registry/upstream-contract.ts";
import { registryStub, type Env } from "../../../src/env.ts";
import { LIMITS } from "../../../src/lib/limits.ts";
import type { Snapshot, ToolEdit } from "../../../src/registry/registry-contract.ts";
import { ADMIN_KEY, openGate, readAnswer, request, type Gate } from "../../support/app.ts";
import { countingEnv, testEnv } from "../../support/counting-env.ts";
import { discovery, events, result, scriptUpstream, UPSTREAM_URL } from "../../support/scripted-upstream.ts";
import type { Method } from "../../support/scripted-upstream.ts";

const SECRETS_KEY = "the-secrets-key-of-these-tests";
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const registry = () => registryStub(testEnv);
const asStub = (): DurableObjectStub => registry() as unknown as DurableObjectStub;

/** What the upstream lists, and how it answers a call. */
let tools: object[];
let answer: Method;
let sent: ReturnType<typeof scriptUpstream>;

const tool = (name: string, description = `${name}.`) => ({ name, description, inputSchema: { type: "object" } });

beforeEach(() => {
  tools = [tool("a"), tool("b")];
  answer = () => result({ content: [{ type: "text", text: "done" }] });
  sent = scriptUpstream({
    "server/discover": discovery,
    "tools/list": () => result({ tools }),
    "tools/call": (...call) => answer(...call),
  });
  vi.spyOn(globalThis, "fetch").mockImplementation(sent.fetcher);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const open = (): Gate => openGate([], { SECRETS_KEY });
const ask = async (gate: Gate, method: string, path = "", body?: unknown) =>
  readAnswer(await gate.admin(method, `/upstreams${path}`, body));
const add = (gate: Gate, more: object = {}) => ask(gate, "PUT", "/up", { url: UPSTREAM_URL, ...more });
const names = async (gate: Gate): Promise<string[]> => {
  const { body } = await readAnswer(await gate.admin("GET", "/tools"));
  return (body as { tools: { name: string }[] }).tools.map(({ name }) => name);
};
const versionOf = async (): Promise<number> => (await registry().readSnapshot(-1)).version;
const readDue = (): Promise<unknown> =>
  runInDurableObject(asStub(), async (_, { storage }) =>
    storage.sql.exec("SELECT name, due_at FROM upstreams").toArray(),
  );
const run = (sql: string, ...bound: (string | number)[]): Promise<void> =>
  runInDurableObject(asStub(), (_, { storage }) => void storage.sql.exec(sql, ...bound));

describe("an upstream", () => {
  it("is added, and its tools with it as one version", async () => {
    const gate = open();
    const before = await versionOf();
    const view = {
      name: "up",
      url: UPSTREAM_URL,
      enabled: true,
      status: {
        state: "ok",
        since: TIME,
        triedAt: TIME,
        refreshedAt: TIME,
        revision: "2026-07-28",
        tools: 2,
        skipped: [],
        excluded: [],
        warnings: expect.any(Array),
      },
    };
    expect(await add(gate)).toEqual({ status: 201, body: { ...view, version: before + 1 } });
    expect(await names(gate)).toEqual(["up_a", "up_b"]);
    expect(await ask(gate, "GET", "/up")).toEqual({ status: 200, body: { ...view, version: before + 1 } });
    expect(await ask(gate, "GET")).toEqual({ status: 200, body: { upstreams: [view], version: before + 1 } });
    expect(await ask(gate, "POST", "/up/refresh")).toMatchObject({ status: 200, body: { version: before + 1 } });
    const { body } = await add(gate, { exclude: ["b"] });
    expect(body).toMatchObject({ version: before + 2, status: { tools: 1, excluded: ["b"] } });
    expect(await names(gate)).toEqual(["up_a"]);
  });

  it("is there after an eviction, and goes with all its tools as one version", async () => {
    const gate = open();
    await add(gate);
    const before = await versionOf();
    await evictDurableObject(asStub());
    const gone = { name: "up", status: "deleted", version: before + 1 };
    expect(await ask(gate, "DELETE", "/up")).toEqual({ status: 200, body: gone });
    expect(await names(gate)).toEqual([]);
    const unknown = { status: 404, body: expect.objectContaining({ code: "not_found" }) };
    expect(await ask(gate, "DELETE", "/up")).toEqual(unknown);
    expect(await ask(gate, "GET", "/up")).toEqual(unknown);
    expect(await ask(gate, "POST", "/up/refresh")).toEqual(unknown);
  });

  it("keeps its tools while it is switched off, but serves none", async () => {
    const gate = open();
    await add(gate);
    const asked = sent.sent.length;
    expect(await add(gate, { enabled: false })).toMatchObject({
      status: 200,
      body: { status: { state: "off", tools: 0 } },
    });
    expect(sent.sent.length).toBe(asked);
    const caller = gate.caller(await gate.mint());
    expect(await caller.post(request("tools/list"))).toMatchObject({ body: { result: { tools: [] } } });
    await add(gate);
    expect(await caller.post(request("tools/list"))).toMatchObject({
      body: { result: { tools: [{ name: "up_a" }, { name: "up_b" }] } },
    });
  });

  it("that fails keeps its tools, and says since when and why", async () => {
    const gate = open();
    await add(gate);
    vi.mocked(fetch).mockImplementation(() => Promise.reject(new Error("no route")));
    const failing = await ask(gate, "POST", "/up/refresh");
    expect(failing).toMatchObject({
      status: 200,
      body: { status: { state: "failing", since: TIME, reason: "Upstream up can't be reached.", tools: 2 } },
    });
    expect(await names(gate)).toEqual(["up_a", "up_b"]);
  });

  it("whose secret is not set says which it is, is asked nothing, and has what is set from then on", async () => {
    const gate = open();
    const failing = await add(gate, { headers: { authorization: "Bearer {{secret:MISSING}}" } });
    expect(failing).toMatchObject({
      status: 201,
      body: { status: { state: "failing", reason: "The secret MISSING can't be had." } },
    });
    expect(sent.sent).toEqual([]);
    for (const value of ["first-value", "second-value"]) {
      await gate.admin("PUT", "/secrets/MISSING", { value });
      await ask(gate, "POST", "/up/refresh");
      expect(sent.sent.at(-1)?.headers.get("authorization"), "at once").toBe(`Bearer ${value}`);
    }
  });

  it("never takes a name that another tool has, nor loses one to an import", async () => {
    const gate = open();
    const record = {
      description: "Mine.",
      inputSchema: { type: "object" },
      source: { kind: "http", method: "GET", url: "https://x.example/" },
    };
    await gate.admin("PUT", "/tools/up_a", record);
    const taken = [{ tool: "a", reason: "the name up_a belongs to another tool" }];
    expect(await add(gate)).toMatchObject({ body: { status: { tools: 1, skipped: taken } } });
    expect(await readAnswer(await gate.admin("GET", "/tools/up_a"))).toMatchObject({ body: { description: "Mine." } });
    const document = {
      openapi: "3.1.0",
      info: { title: "x", version: "1" },
      servers: [{ url: "https://x.example" }],
      paths: { "/b": { get: { operationId: "up_b", responses: {} } } },
    };
    const imported = await readAnswer(await gate.admin("POST", "/imports/openapi", document));
    expect(imported).toMatchObject({ body: { tools: [{ name: "up_b", change: "conflict" }] } });
  });

  it.each([
    ["/up", { url: "http://up.example/mcp" }, "url: URL refused: the scheme must be https"],
    ["/up", { url: "https://gate.example/mcp" }, "url: URL refused: it is this server itself"],
    ["/up", { url: "https://10.0.0.1/" }, /^url: URL refused: the host must be a public name/],
    ["/up", { url: "nowhere" }, "url: URL refused: it is not a URL"],
    [
      "/up",
      { url: UPSTREAM_URL, headers: { "Mcp-Session-Id": "x" } },
      "headers.Mcp-Session-Id: Mcp-Session-Id can't be set",
    ],
    ["/up", { url: UPSTREAM_URL, headers: { host: "x" } }, "headers.host: host can't be set"],
    ["/up", { url: UPSTREAM_URL, headers: { "x-a": "{arg}" } }, /^headers.x-a: only {{secret:NAME}} can stand here/],
    ["/up", { url: UPSTREAM_URL, headers: { "x-a": "a\nb" } }, /^headers.x-a: the value must be printable ASCII/],
    ["/up", { url: UPSTREAM_URL, timeoutMs: LIMITS.toolTimeoutMaxMs + 1 }, /^timeoutMs: /],
    ["/up", { url: UPSTREAM_URL, more: 1 }, /^more: /],
    ["/a_b", { url: UPSTREAM_URL }, "An upstream's name must match ^[A-Za-z0-9][A-Za-z0-9-]{0,31}$"],
    [`/${"a".repeat(33)}`, { url: UPSTREAM_URL }, /^An upstream's name/],
  ])("can't be %s %j", async (path, body, detail) => {
    const said = typeof detail === "string" ? detail : expect.stringMatching(detail);
    expect(await ask(open(), "PUT", path, body)).toMatchObject({ status: 400, body: { detail: said } });
    expect((await registry().readUpstreams()).upstreams).toEqual([]);
  });

  it.each([
    ["headers", LIMITS.upstreamHeaders],
    ["include", LIMITS.keyGlobs],
  ])("may have so many %s", async (field, limit) => {
    const many = (count: number) => {
      const items = Array.from({ length: count }, (_, at) => `x-${at}`);
      return field === "headers" ? Object.fromEntries(items.map((item) => [item, "v"])) : items;
    };
    expect(await add(open(), { [field]: many(limit) })).toMatchObject({ status: 201 });
    expect(await add(open(), { [field]: many(limit + 1) })).toMatchObject({ status: 400 });
  });

  it("may have headers so long", async () => {
    const longest = { "x-a": "v".repeat(LIMITS.upstreamHeaderChars) };
    expect(await add(open(), { headers: longest })).toMatchObject({ status: 201 });
    expect(await add(open(), { headers: { "x-a": `${longest["x-a"]}v` } })).toMatchObject({ status: 400 });
  });

  it("that the catalogue has no room for is failing, and the catalogue stays as it was", async () => {
    const gate = open();
    await run(
      `INSERT INTO tool_rows (name, row, version) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT 'n' || i, '{"name":"n' || i || '","enabled":false}', 1 FROM n`,
      LIMITS.toolRecords - 1,
    );
    const before = await versionOf();
    const reason = "The catalogue has no room for its tools (catalogue_full).";
    expect(await add(gate)).toMatchObject({
      status: 201,
      body: { version: before, status: { state: "failing", reason } },
    });
    tools = [tool("a")];
    expect(await ask(gate, "POST", "/up/refresh")).toMatchObject({
      body: { version: before + 1, status: { state: "ok" } },
    });
  });

  it("is one of so many", async () => {
    const gate = open();
    await add(gate);
    for (let at = 1; at < LIMITS.upstreams; at++) {
      await run("INSERT INTO upstreams (name, edition, record, status) VALUES (?, 1, '{}', '{}')", `u${at}`);
    }
    const more = await ask(gate, "PUT", "/more", { url: UPSTREAM_URL });
    expect(more).toMatchObject({ status: 409, body: { code: "too_many_upstreams" } });
    expect(await add(gate)).toMatchObject({ status: 200 });
  });
});

describe("a call", () => {
  it("that is warm asks the registry nothing, and has the hints that the upstream gives", async () => {
    const { env, calls } = countingEnv({ ...testEnv, SECRETS_KEY });
    const gate = openGate([], { ...env, ADMIN_KEY });
    tools = [{ ...tool("a"), annotations: { readOnlyHint: true } }];
    await add(gate);
    const caller = gate.caller(await gate.mint({ limits: { perMinute: 6_000 } }));
    expect(await caller.post(request("tools/list"))).toMatchObject({
      body: { result: { tools: [{ name: "up_a", annotations: { readOnlyHint: true } }] } },
    });
    const call = request("tools/call", { name: "up_a" });
    await caller.post(call);
    calls.length = 0;
    expect(await caller.post(call)).toMatchObject({ body: { result: { content: [{ text: "done" }] } } });
    expect(calls.filter(({ binding }) => binding === "TOOL_REGISTRY")).toEqual([]);
    expect(sent.methods().slice(-2)).toEqual(["tools/call", "tools/call"]);
  });

  it("that hears of another list has it listed, and not twice at once", async () => {
    const gate = open();
    await add(gate);
    await run("UPDATE upstreams SET status = json_set(status, '$.triedAtMs', 1)");
    const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
    answer = ({ message: { id } }) => {
      tools = [tool("c")];
      return events(changed, changed, { jsonrpc: "2.0", id, result: { content: [] } });
    };
    const caller = gate.caller(await gate.mint());
    await caller.post(request("tools/call", { name: "up_a" }));
    expect(await names(gate)).toEqual(["up_c"]);
    expect(sent.methods().filter((method) => method === "tools/list")).toHaveLength(2);
  });

  it("that hears of it right after a list has it listed a little later", async () => {
    const gate = open();
    await add(gate);
    answer = () => ({ error: { code: -32602, message: "Unknown tool: a" } });
    const caller = gate.caller(await gate.mint());
    const { upstreams } = await registry().readUpstreams();
    await caller.post(request("tools/call", { name: "up_a" }));
    const dueMs = (upstreams[0]?.status.triedAtMs ?? 0) + LIMITS.upstreamFloorMs;
    expect(await readDue()).toEqual([{ name: "up", due_at: dueMs }]);
  });
});

describe("what a list changes", () => {
  const edits: ToolEdit[] = [{ op: "put", name: "up_x", row: { name: "up_x", enabled: true } }];
  const status = { state: "ok", sinceMs: 1, tools: 1, skipped: [], warnings: [] } as const;
  const change: Omit<UpstreamChange, "edition" | "ifVersion"> = {
    v: 1,
    name: "up",
    edits,
    status: { ...status, skipped: [], warnings: [] },
    who: "x",
    isAsked: false,
  };

  it.each([
    [
      { edition: 0, ifVersion: 0 },
      { v: 1, outcome: "upstream_changed" },
    ],
    [
      { edition: 1, ifVersion: -1 },
      { v: 1, outcome: "version_mismatch", version: expect.any(Number) },
    ],
  ])("is nothing when it was worked out from what is no more: %j", async (from, outcome) => {
    await registry().writeUpstream("up", { url: UPSTREAM_URL });
    const before = await versionOf();
    const given = { ...change, edition: from.edition, ifVersion: before + from.ifVersion };
    expect(await registry().applyUpstream(given)).toEqual(outcome);
    const [row] = (await registry().readUpstreams()).upstreams;
    expect([await versionOf(), row?.status.state]).toEqual([before, "new"]);
  });

  it("is worked out again when another change came first", async () => {
    const gate = open();
    await add(gate);
    tools = [tool("c")];
    const { env } = raceOnce();
    const racing = openGate([], { ...env, ADMIN_KEY, SECRETS_KEY });
    expect(await ask(racing, "POST", "/up/refresh")).toMatchObject({ body: { status: { state: "ok", tools: 1 } } });
    expect(await names(gate)).toEqual(["other", "up_c"]);
  });
});

/** The bindings before a registry whose catalogue changes right after it was read for the first time. */
function raceOnce(): { env: Env } {
  const { TOOL_REGISTRY } = testEnv;
  let isFirst = true;
  const readSnapshot = async (have: number): Promise<Snapshot> => {
    const snapshot = await registry().readSnapshot(have);
    const record = { description: "Other.", inputSchema: '{"type":"object"}' };
    const source = { kind: "http", method: "GET", url: "https://x.example/" } as const;
    const row = { name: "other", enabled: true, record: { ...record, source } };
    if (isFirst) await registry().editTools([{ op: "put", name: "other", row }]);
    isFirst = false;
    return snapshot;
  };
  const namespace = {
    idFromName: (name: string) => TOOL_REGISTRY.idFromName(name),
    get: (id: DurableObjectId) =>
      new Proxy(TOOL_REGISTRY.get(id), {
        get: (stub, method) =>
          method === "readSnapshot"
            ? readSnapshot
            : (...args: unknown[]) =>
                (stub as unknown as Record<string | symbol, (...given: unknown[]) => unknown>)[method]?.(...args),
      }),
  };
  return { env: { ...testEnv, TOOL_REGISTRY: namespace as unknown as DurableObjectNamespace } };
}

describe("the alarm", () => {
  // No name under `.invalid` is let out: what the registry's own Worker asks for fails the same everywhere.
  const record = { url: "https://up.invalid/mcp" };

  it("has what is due listed, and sets itself for the next time", async () => {
    await registry().writeUpstream("up", record);
    await registry().writeUpstream("off", { ...record, enabled: false });
    await runDurableObjectAlarm(asStub());
    expect((await registry().readUpstreams(["up"])).upstreams[0]?.status.state).toBe("new");
    await run("UPDATE upstreams SET due_at = 1 WHERE name = 'up'");
    const nowMs = Date.now();
    await runDurableObjectAlarm(asStub());
    await vi.waitFor(async () => {
      const { upstreams } = await registry().readUpstreams();
      expect(upstreams.map(({ status }) => [status.state, status.reason])).toEqual([
        ["new", undefined],
        ["failing", expect.stringMatching(/^Upstream up: Destination not allowed/)],
      ]);
    });
    const alarmMs = await runInDurableObject(asStub(), (_, { storage }) => storage.getAlarm());
    const [shortest, longest] = [0.8, 1.2].map((share) => share * LIMITS.upstreamIntervalMs);
    expect(alarmMs).toSatisfy((ms: number) => ms >= nowMs + (shortest ?? 0) && ms <= Date.now() + (longest ?? 0));
  });

  it("leaves changes to be told of first", async () => {
    await registry().writeUpstream("up", record);
    await runDurableObjectAlarm(asStub());
    await registry().editTools([{ op: "put", name: "x", row: { name: "x", enabled: true } }]);
    const nowMs = Date.now();
    await registry().hastenUpstream("up", nowMs + LIMITS.upstreamFloorMs);
    const readAlarm = () => runInDurableObject(asStub(), (_, { storage }) => storage.getAlarm());
    expect(await readAlarm()).toBeLessThan(nowMs + LIMITS.upstreamFloorMs);
    await runDurableObjectAlarm(asStub());
    expect(await readAlarm()).toBe(nowMs + LIMITS.upstreamFloorMs);
  });
});

it("what is done to upstreams is recorded, a list that changes nothing only when somebody asked for it", async () => {
  const gate = open();
  await add(gate);
  await ask(gate, "POST", "/up/refresh");
  await ask(gate, "DELETE", "/up");
  const { body } = await readAnswer(await gate.admin("GET", "/audit?kind=admin&limit=10"));
  const rows = (body as { rows: { action: string; outcome: string; target: string }[] }).rows;
  expect(rows.filter(({ target }) => target === "up").map(({ action, outcome }) => [action, outcome])).toEqual([
    ["upstream.delete", "changed"],
    ["upstream.refresh", "unchanged"],
    ["upstream.refresh", "changed"],
    ["upstream.put", "changed"],
  ]);
});
