import { reset, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Tally } from "../../../src/audit/audit-contract.ts";
import { slotOf } from "../../../src/audit/tally.ts";
import { auditLogStub } from "../../../src/env.ts";
import { LIMITS } from "../../../src/lib/limits.ts";
import { openGate, readAnswer, type Gate } from "../../support/app.ts";
import { NOTHING_LOST, readAllAudit, readAudit } from "../../support/audit.ts";
import { testEnv } from "../../support/counting-env.ts";

const NOW = "2030-01-01T12:00:00.000Z";
const NOW_MS = Date.parse(NOW);
const KEY = "kaaaaaaaaaaaaaaa";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await reset();
});

let batches = 0;

interface Written {
  shard: number;
  atMs: number;
  id: string;
  key?: string;
  tool?: string;
  outcome?: string;
}

/** Writes rows straight into a log, as if an isolate had. */
async function write({ shard, atMs, id, key = KEY, tool = "tone", outcome = "ok" }: Written): Promise<void> {
  await auditLogStub(testEnv, shard).write({
    v: 1,
    isolate: "i",
    seq: ++batches,
    parts: [JSON.stringify([[id, atMs, { key, tool, outcome }]])],
    tallies: "[]",
    lost: { full: 0, refused: 0, unsent: 0, queue: 0 },
  });
}

const count = async (tallies: Tally[], lost: object = {}): Promise<void> => {
  await auditLogStub(testEnv, tallies.length % LIMITS.auditShards).write({
    v: 1,
    isolate: "i",
    seq: ++batches,
    parts: [],
    tallies: JSON.stringify(tallies),
    lost: { full: 0, refused: 0, unsent: 0, queue: 0, ...lost },
  });
};

const ask = async (gate: Gate, path: string) => readAnswer(await gate.admin("GET", path));

const OUTCOMES =
  "ok tool_error invalid_arguments unknown_tool cancelled timeout failed input_required client_unable invalid_request not_repeated limited forbidden unauthorized unavailable changed unchanged builtin_tool catalogue_full not_done unknown_key version_mismatch too_many_keys unknown_secret too_many_secrets unknown_upstream too_many_upstreams".split(
    " ",
  );

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

describe("GET /audit", () => {
  it("shows calls and admin actions together, newest first", async () => {
    const gate = openGate();
    await gate.admin("PATCH", "/tools/tone", { enabled: false });
    await write({ shard: 3, atMs: NOW_MS + 5, id: "c" });
    await write({ shard: 2, atMs: 5, id: "a" });
    const { rows, lost, chain } = await readAudit(gate);
    expect({ rows, lost }).toEqual({
      rows: [
        { kind: "call", id: "c", at: "2030-01-01T12:00:00.005Z", key: KEY, tool: "tone", outcome: "ok" },
        {
          kind: "admin",
          id: "admin.000000000000002",
          at: NOW,
          seq: 2,
          who: "admin",
          action: "tool.change",
          target: "tone",
          outcome: "changed",
          version: 2,
          detail: { enabled: false },
          hash: chain?.head.hash,
        },
        {
          kind: "admin",
          id: "admin.000000000000001",
          at: NOW,
          seq: 1,
          who: "deploy",
          action: "deploy",
          target: "",
          outcome: "changed",
          version: 1,
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        { kind: "call", id: "a", at: "1970-01-01T00:00:00.005Z", key: KEY, tool: "tone", outcome: "ok" },
      ],
      lost: NOTHING_LOST,
    });
    expect(idsOf((await readAudit(gate, "?kind=call")).rows)).toEqual(["c", "a"]);
    expect((await readAudit(gate, "?kind=admin")).rows.map(({ seq }) => seq)).toEqual([2, 1]);
  });

  it("names the key that acted", async () => {
    const gate = openGate();
    const { id, key } = await (
      await gate.admin("POST", "/keys", { name: "ops", scopes: ["admin"] })
    ).json<{
      id: string;
      key: string;
    }>();
    await gate.fetch("/admin/v1/tools/tone", {
      method: "PATCH",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: '{"enabled":false}',
    });
    const { rows } = await readAudit(gate, `?kind=admin&key=${id}`);
    expect(rows.map(({ who, action, target }) => [who, action, target])).toEqual([
      [id, "tool.change", "tone"],
      ["admin", "key.create", id],
    ]);
    expect(JSON.stringify(rows)).not.toContain(key.split("_")[2]);
  });

  it("pages over all logs, each row once, while rows are added", async () => {
    const gate = openGate();
    const ids: string[] = [];
    for (let n = 0; n < 40; n++) {
      const id = `r${String(n).padStart(3, "0")}`;
      await write({ shard: (n * 5) % LIMITS.auditShards, atMs: NOW_MS - 1_000 * Math.floor(n / 3), id });
      ids.push(id);
    }
    const found: string[] = [];
    let cursor = "";
    for (let page = 0; page < 30; page++) {
      const { rows, nextCursor } = await readAudit(gate, `?kind=call&limit=7${cursor}`);
      expect(rows.length).toBeLessThanOrEqual(7);
      found.push(...idsOf(rows));
      await write({ shard: page % LIMITS.auditShards, atMs: NOW_MS + 1 + page, id: `new${page}` });
      if (nextCursor === undefined) break;
      cursor = `&cursor=${nextCursor}`;
    }
    expect(found.toSorted()).toEqual(ids);
    expect(await readAllAudit(gate, "?kind=call&limit=3")).toHaveLength(46);
  });

  it("filters by key, tool, outcome and time", async () => {
    const gate = openGate();
    const other = "ubbbbbbbbbbbbbbb";
    await write({ shard: 0, atMs: 1_000, id: "a" });
    await write({ shard: 1, atMs: 2_000, id: "b", key: other });
    await write({ shard: 2, atMs: 3_000, id: "c", tool: "other" });
    await write({ shard: 3, atMs: 4_000, id: "d", outcome: "limited" });
    const find = async (query: string) => idsOf((await readAudit(gate, `?kind=call&${query}`)).rows);
    expect(await find(`key=${other}`)).toEqual(["b"]);
    expect(await find("tool=other")).toEqual(["c"]);
    expect(await find("outcome=limited")).toEqual(["d"]);
    expect(await find("since=1970-01-01T00:00:02Z&until=1970-01-01T00:00:04Z")).toEqual(["c", "b"]);
  });

  it.each([
    ["kind=calls", 'kind: expected call or admin, received "calls"'],
    ["key=nobody", "key: expected a key's id, such as keys list shows"],
    ["tool=", "tool: expected at least 1 character, received 0"],
    [`tool=${"t".repeat(65)}`, "tool: expected at most 64 characters, received 65"],
    ["outcome=good", `outcome: expected one of ${OUTCOMES.join(", ")}, received "good"`],
    ["since=yesterday", 'since: expected an ISO 8601 time such as 2030-01-31T12:00:00Z, received "yesterday"'],
    ["until=1", 'until: expected an ISO 8601 time such as 2030-01-31T12:00:00Z, received "1"'],
    ["cursor=x", "cursor: expected a cursor that this server gave"],
    [`cursor=${btoa('{"atMs":"1","id":"a"}')}`, "cursor: expected a cursor that this server gave"],
    [`cursor=${"a".repeat(129)}`, "cursor: expected a cursor that this server gave"],
    ["limit=0", "limit: expected at least 1, received 0"],
    ["limit=501", "limit: expected at most 500, received 501"],
    ["limit=1.5", 'limit: expected a whole number, received "1.5"'],
    ["format=csv", 'format: expected json or ndjson, received "csv"'],
    ["page=2", /^page: /],
    ["limit=1&limit=2", "limit: expected it once"],
    ["limit=x&kind=y", 'kind: expected call or admin, received "y"; limit: expected a whole number, received "x"'],
  ])("refuses ?%s", async (query, detail) => {
    expect(await ask(openGate(), `/audit?${query}`)).toEqual({
      status: 400,
      body: {
        type: "about:blank",
        title: "Invalid query",
        status: 400,
        code: "invalid_query",
        detail: typeof detail === "string" ? detail : expect.stringMatching(detail),
      },
    });
  });

  it("fails as a whole when a log can't be read", async () => {
    const gate = openGate();
    await runInDurableObject(auditLogStub(testEnv, 5) as unknown as DurableObjectStub, (log) => {
      Object.defineProperty(log, "read", {});
    });
    expect(await ask(gate, "/audit")).toMatchObject({ status: 503, body: { code: "unavailable" } });
  });

  it("is for admin keys", async () => {
    const gate = openGate();
    const caller = gate.caller(await gate.mint());
    for (const path of ["/audit", "/stats"]) {
      const { status } = await gate.fetch(`/admin/v1${path}`, { headers: { authorization: `Bearer ${caller.key}` } });
      expect(status).toBe(403);
    }
  });
});

const linesOf = async (response: Response): Promise<Record<string, unknown>[]> =>
  (await response.text())
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("the export", () => {
  it("is a row a line over all pages, and says at its end that it is whole", async () => {
    const gate = openGate();
    const shards = [0, 3, 7];
    for (const shard of shards) {
      const items = Array.from({ length: 400 }, (_, n) => [`${shard}.${n}`, n, { key: KEY, tool: "t", outcome: "ok" }]);
      await auditLogStub(testEnv, shard).write({
        v: 1,
        isolate: `i${shard}`,
        seq: 1,
        parts: [JSON.stringify(items)],
        tallies: "[]",
        lost: { full: 1, refused: 0, unsent: 0, queue: 0 },
      });
    }
    for (const response of [
      await gate.admin("GET", "/audit?kind=call&format=ndjson"),
      await gate.admin("GET", "/audit?kind=call", undefined, { accept: "application/x-ndjson" }),
    ]) {
      expect(response.headers.get("content-type")).toBe("application/x-ndjson");
      const lines = await linesOf(response);
      expect(lines.pop()).toEqual({ kind: "end", rows: 1_200, lost: { ...NOTHING_LOST, full: 3 } });
      expect(new Set(lines.map(({ id }) => id)).size).toBe(1_200);
      expect(lines.map(({ at }) => String(at))).toEqual(
        lines
          .map(({ at }) => String(at))
          .toSorted()
          .toReversed(),
      );
    }
  });

  it("has admin actions with the ends of their chain", async () => {
    const gate = openGate();
    await gate.mint();
    const lines = await linesOf(await gate.admin("GET", "/audit?kind=admin&format=ndjson"));
    expect(lines).toMatchObject([
      { kind: "admin", action: "key.create" },
      { kind: "admin", action: "deploy" },
      { kind: "end", rows: 2, chain: { anchor: { seq: 0 }, head: { seq: 2, hash: lines[0]?.["hash"] } } },
    ]);
  });

  it("breaks off without an end where a log can't be read any more", async () => {
    const gate = openGate();
    await runInDurableObject(auditLogStub(testEnv, 5) as unknown as DurableObjectStub, (log) => {
      Object.defineProperty(log, "read", {});
    });
    const response = await gate.admin("GET", "/audit?format=ndjson");
    await expect(response.text()).rejects.toThrow();
  });
});

const talliesOf = (keys: number): Tally[] =>
  Array.from({ length: keys }, (_, n) => [slotOf(NOW_MS), `k${n}`, "tone", "ok", 0, 1]);

describe("GET /stats", () => {
  const NONE = { p50: null, p90: null, p99: null };

  it("counts what was called lately, by tool and by key", async () => {
    const gate = openGate();
    const slot = slotOf(NOW_MS);
    await count(
      [
        [slot, "k1", "tone", "ok", 2, 98],
        [slot - 12, "k1", "tone", "timeout", 14, 2],
        [slot, "k222222222222222", "tone", "limited", 0, 5],
      ],
      { refused: 4 },
    );
    await count([[slot, "k222222222222222", "(unknown)", "unknown_tool", 0, 1]]);
    await count([[slot - 13, "k3", "tone", "ok", 0, 1_000]]);
    const toneOfK1 = { ok: 98, timeout: 2 };
    const k1 = { calls: 100, errors: 2, denied: 0, outcomes: toneOfK1, latencyMs: { p50: 5, p90: 5, p99: null } };
    const unknown = { calls: 1, errors: 1, denied: 0, outcomes: { unknown_tool: 1 } };
    const latencyMs = { p50: 1, p90: 1, p99: 1 };
    const { status, body } = await ask(gate, "/stats");
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        window: "hour",
        since: "2030-01-01T11:00:00.000Z",
        until: NOW,
        total: {
          calls: 106,
          errors: 3,
          denied: 5,
          outcomes: { ...toneOfK1, limited: 5, unknown_tool: 1 },
          latencyMs: k1.latencyMs,
        },
        tools: [
          { tool: "tone", ...k1, calls: 105, denied: 5, outcomes: { ...toneOfK1, limited: 5 } },
          { tool: "(unknown)", ...unknown, latencyMs },
        ],
        keys: [
          { key: "k1", ...k1 },
          {
            key: "k222222222222222",
            ...unknown,
            calls: 6,
            denied: 5,
            outcomes: { limited: 5, unknown_tool: 1 },
            latencyMs,
          },
        ],
        cut: false,
        lost: { ...NOTHING_LOST, refused: 4 },
      },
    });
    expect((await ask(gate, "/stats?window=day")).body).toMatchObject({ total: { calls: 1_106 } });
    expect((await ask(gate, "/stats?tool=(unknown)")).body).toMatchObject({ total: { calls: 1 } });
    expect((await ask(gate, "/stats?key=k222222222222222&tool=tone")).body).toMatchObject({
      total: { calls: 5, denied: 5, latencyMs: NONE },
    });
  });

  it("has what calls really took, from the calls themselves", async () => {
    vi.useRealTimers();
    const gate = openGate();
    const caller = gate.caller(await gate.mint({ limits: { perMinute: 1, burst: 2 } }));
    const params = { name: "calculate", arguments: { expression: "1" } };
    for (let n = 0; n < 3; n++) await caller.ask("2025-11-25", "tools/call", params);
    await caller.ask("2025-11-25", "tools/call", { name: "made up" });
    expect((await ask(gate, "/stats")).body).toMatchObject({
      total: { calls: 4, errors: 0, denied: 2, outcomes: { ok: 2, limited: 2 } },
      tools: [
        { tool: "calculate", calls: 3, denied: 1 },
        { tool: "(unknown)", calls: 1, denied: 1 },
      ],
    });
  });

  it("lists so many tools and keys and no more, and says so", async () => {
    const gate = openGate();
    await count(talliesOf(LIMITS.statsItems));
    expect((await ask(gate, "/stats")).body).toMatchObject({ total: { calls: LIMITS.statsItems }, cut: false });
    await count(talliesOf(LIMITS.statsItems + 1));
    const { keys, cut } = (await ask(gate, "/stats")).body as { keys: unknown[]; cut: boolean };
    expect([keys.length, cut]).toEqual([LIMITS.statsItems, true]);
  });

  it.each(["series=yes", "window=year", "window=hour&window=day", "x=1", "key=Ada"])("refuses ?%s", async (query) => {
    expect(await ask(openGate(), `/stats?${query}`)).toMatchObject({ status: 400, body: { code: "invalid_query" } });
  });

  it("fails as a whole when a log can't be read", async () => {
    await runInDurableObject(auditLogStub(testEnv, 5) as unknown as DurableObjectStub, (log) => {
      Object.defineProperty(log, "readTallies", {});
    });
    expect(await ask(openGate(), "/stats")).toMatchObject({ status: 503, body: { code: "unavailable" } });
  });
});
