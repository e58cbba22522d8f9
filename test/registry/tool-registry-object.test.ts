import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { hubName, hubStub, registryStub } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { writeClosure } from "../../src/registry/outbox-store.ts";
import type { EditOutcome, ToolEdit, ToolPatch, ToolRow } from "../../src/registry/registry-contract.ts";
import { testEnv } from "../support/counting-env.ts";

const registry = () => registryStub(testEnv);
const patch = (name: string, to: ToolPatch, ifVersion?: number): Promise<EditOutcome> =>
  registry().editTools([{ op: "patch", name, patch: to }], ifVersion);
const asStub = (stub: unknown): DurableObjectStub => stub as DurableObjectStub;
const alarm = (): Promise<boolean> => runDurableObjectAlarm(asStub(registry()));
const evict = (): Promise<void> => evictDurableObject(asStub(registry()));
const readTable = (query: string): Promise<unknown[]> =>
  runInDurableObject(asStub(registry()), (_, { storage }) => storage.sql.exec(query).toArray());

const published = async () => (await registry().readState()).published;
const list = () => registry().readSnapshot(-1, { lists: true });
const due = async (): Promise<unknown> => (await readTable("SELECT value FROM meta WHERE name = 'due'"))[0];

const HUB = hubName("weur");

const recordOf = (description: string) => ({
  description,
  inputSchema: '{"type":"object"}',
  source: { kind: "http" as const, method: "GET" as const, url: "https://api.example/" },
});
const rowOf = (name: string, description = "a tool"): ToolRow => ({
  name,
  enabled: true,
  record: recordOf(description),
});
const put = (name: string, description?: string): ToolEdit => ({ op: "put", name, row: rowOf(name, description) });
const putCode = (name: string, hash: string): ToolEdit => ({
  op: "put",
  name,
  row: { name, enabled: true, record: { ...recordOf("code"), source: { kind: "code", hash } } },
  module: `module ${hash}`,
});
const DISABLE_TONE: ToolEdit = { op: "patch", name: "tone", patch: { enabled: false } };

describe("ToolRegistry", () => {
  afterEach(() => reset());

  it("gives a change the next version, and no version to a change of nothing", async () => {
    const { version } = await registry().readSnapshot(-1);
    expect(await patch("tone", { enabled: false })).toEqual({
      v: 1,
      outcome: "changed",
      version: version + 1,
      created: [],
    });
    expect(await patch("tone", { enabled: false })).toEqual({
      v: 1,
      outcome: "changed",
      version: version + 1,
      created: [],
      unchanged: true,
    });
    expect(await registry().readSnapshot(-1)).toEqual({
      v: 1,
      version: version + 1,
      rows: [{ name: "tone", version: version + 1, row: { name: "tone", enabled: false } }],
    });
  });

  it("answers the version alone to who has it", async () => {
    const { version } = await registry().readSnapshot(-1);
    expect(await registry().readSnapshot(version)).toEqual({ v: 1, version });
  });

  it("changes only the version that was asked for, and no tool that is not there", async () => {
    const { version } = await registry().readSnapshot(-1);
    expect(await patch("tone", { enabled: false }, version - 1)).toEqual({
      v: 1,
      outcome: "version_mismatch",
      version,
    });
    expect(await patch("nothing", { enabled: false })).toEqual({ v: 1, outcome: "unknown_tool", name: "nothing" });
    expect(await patch("tone", { enabled: false }, version)).toMatchObject({ outcome: "changed" });
  });

  it("makes several edits one change, or none", async () => {
    const { version } = await registry().readSnapshot(-1);
    const { edits, rows } = { edits: [put("x"), put("y"), DISABLE_TONE], rows: [rowOf("x"), rowOf("y")] };
    expect(await registry().editTools([...edits, { op: "delete", name: "z" }])).toEqual({
      v: 1,
      outcome: "unknown_tool",
      name: "z",
    });
    expect(await registry().readSnapshot(version)).toEqual({ v: 1, version });
    expect(await registry().editTools(edits)).toEqual({
      v: 1,
      outcome: "changed",
      version: version + 1,
      created: ["x", "y"],
    });
    expect(await registry().readSnapshot(version)).toEqual({
      v: 1,
      version: version + 1,
      since: version,
      rows: [{ name: "tone", enabled: false }, ...rows].map((row) => ({
        name: row.name,
        version: version + 1,
        row,
      })),
    });
    expect(await registry().editTools(edits)).toMatchObject({ version: version + 1, created: [] });
  });

  it("tells of a deleted tool by a mark, to who knew it", async () => {
    const { version } = await registry().readSnapshot(-1);
    await registry().editTools([put("x")]);
    await registry().editTools([{ op: "delete", name: "x" }]);
    expect(await registry().readSnapshot(version + 1)).toEqual({
      v: 1,
      version: version + 2,
      since: version + 1,
      rows: [{ name: "x", version: version + 2, row: null }],
    });
    expect(await registry().readSnapshot(-1)).toEqual({ v: 1, version: version + 2, rows: [] });
  });

  it("replaces and deletes no tool of the code's", async () => {
    expect(await registry().editTools([put("tone")])).toEqual({ v: 1, outcome: "builtin_tool", name: "tone" });
    expect(await registry().editTools([{ op: "delete", name: "tone" }])).toMatchObject({ outcome: "builtin_tool" });
  });

  it("remembers what a tool was, the latest versions of it", async () => {
    const limits = LIMITS as { toolVersions: number };
    const before = limits.toolVersions;
    onTestFinished(() => void (limits.toolVersions = before));
    limits.toolVersions = 2;
    const { version } = await registry().readSnapshot(-1);
    await registry().editTools([put("x", "first")], undefined, "admin");
    await registry().editTools([put("x", "second")], undefined, "admin");
    await registry().editTools([{ op: "delete", name: "x" }], undefined, "kaaa");
    expect(await registry().readToolHistory("x")).toEqual([
      { version: version + 3, atMs: expect.any(Number), who: "kaaa", row: null },
      { version: version + 2, atMs: expect.any(Number), who: "admin", row: rowOf("x", "second") },
    ]);
  });

  it("keeps a module while a tool or what it was has it", async () => {
    const limits = LIMITS as { toolVersions: number };
    const before = limits.toolVersions;
    onTestFinished(() => void (limits.toolVersions = before));
    limits.toolVersions = 1;
    await registry().editTools([putCode("x", "h1")]);
    expect(await registry().readModule("h1")).toBe("module h1");
    await registry().editTools([putCode("x", "h2")]);
    expect([await registry().readModule("h1"), await registry().readModule("h2")]).toEqual([undefined, "module h2"]);
  });

  it.each([
    ["tools", { toolRecords: 2 }],
    ["characters", { catalogueChars: 2 * JSON.stringify(rowOf("x")).length }],
  ])("takes %s up to its limit and not beyond", async (_, bound) => {
    const before = { ...LIMITS };
    onTestFinished(() => void Object.assign(LIMITS, before));
    Object.assign(LIMITS, bound);
    expect(await registry().editTools([put("x"), put("y")])).toMatchObject({ outcome: "changed" });
    expect(await registry().editTools([put("z")])).toEqual({ v: 1, outcome: "catalogue_full" });
    expect(await registry().editTools([{ op: "delete", name: "x" }, put("z")])).toMatchObject({ outcome: "changed" });
  });

  it("has rows and version after an eviction", async () => {
    await patch("tone", { enabled: false });
    const before = await registry().readSnapshot(-1);
    await evict();
    expect(await registry().readSnapshot(-1)).toEqual(before);
  });

  it("gives a version to a build that changes the tools in the code, once", async () => {
    const { version } = await registry().readSnapshot(-1);
    await runInDurableObject(asStub(registry()), (_, { storage }) => {
      storage.sql.exec("UPDATE meta SET value = 'an older build' WHERE name = 'build'");
    });
    await evict();
    expect((await registry().readSnapshot(-1)).version).toBe(version + 1);
    await evict();
    expect((await registry().readSnapshot(-1)).version).toBe(version + 1);
  });

  it("lists keys by pages in the order of their ids", async () => {
    const row = { name: "n", urlKey: false, scopes: ["mcp" as const], createdAtMs: 1 };
    for (const id of ["c", "a", "b"]) await registry().addKey({ ...row, id });
    const first = await registry().readKeys("", 2);
    expect(first.keys.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(first.next).toBe("b");
    expect(await registry().readKeys("b", 2)).toEqual({ keys: [{ ...row, id: "c" }] });
  });

  it("drops a hub without sockets from the roster when it publishes", async () => {
    await registry().joinRoster(HUB);
    await patch("tone", { enabled: false });
    expect(await alarm()).toBe(true);
    expect(await readTable("SELECT * FROM roster")).toEqual([]);
  });

  it("does not drop a hub that joined again in the meantime", async () => {
    const { epoch } = await registry().joinRoster(HUB);
    await registry().joinRoster(HUB);
    expect(
      await hubStub(testEnv, HUB).publish({ v: 1, version: 9, epoch, closures: [], changes: [], audience: 0 }),
    ).toEqual({
      v: 1,
      sockets: 0,
    });
    expect(await readTable("SELECT hub FROM roster")).toEqual([{ hub: HUB }]);
  });

  it("keeps the newest closures for a hub that stays out of reach, and no more than the limit", async () => {
    const limits = LIMITS as { closures: number };
    const before = { ...limits };
    onTestFinished(() => void Object.assign(limits, before));
    limits.closures = 100;
    await registry().joinRoster(HUB);
    await runInDurableObject(asStub(registry()), (_, { storage }) => {
      for (let n = 1; n <= LIMITS.closures + 3; n++) writeClosure(storage.sql, `key:${n}`, 1_000);
    });
    expect(await readTable("SELECT tag FROM closures ORDER BY seq LIMIT 1")).toEqual([{ tag: "key:4" }]);
    expect(await readTable("SELECT COUNT(*) AS count FROM closures")).toEqual([{ count: LIMITS.closures }]);
    expect(await readTable("SELECT tag FROM closures ORDER BY seq DESC LIMIT 1")).toEqual([
      { tag: `key:${LIMITS.closures + 3}` },
    ]);
  });

  it("coalesces a burst of changes into one publication that no later change puts off", async () => {
    await registry().joinRoster(HUB);
    await patch("tone", { enabled: false });
    const [first] = await readTable("SELECT value FROM meta WHERE name = 'due'");
    await patch("qr_code", { enabled: false });
    expect(await readTable("SELECT value FROM meta WHERE name = 'due'")).toEqual([first]);
    expect(await alarm()).toBe(true);
    expect(await alarm()).toBe(false);
  });

  it("is not put off by changes that come while the publication is late, and makes good one that is lost", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    await registry().joinRoster(HUB);
    await patch("tone", { enabled: false });
    const first = await due();
    vi.setSystemTime(Date.now() + LIMITS.publishDelayMs + LIMITS.publishOverdueMs - 1);
    await patch("qr_code", { enabled: false });
    expect(await due()).toEqual(first);
    vi.setSystemTime(Date.now() + 1);
    await patch("calculate", { enabled: false });
    expect(await due()).not.toEqual(first);
  });

  it("takes up a publication that an eviction left undone", async () => {
    await registry().joinRoster(HUB);
    await patch("tone", { enabled: false });
    await runInDurableObject(asStub(registry()), async (_, { storage }) => {
      await storage.deleteAlarm();
      storage.sql.exec("DELETE FROM meta WHERE name = 'due'");
    });
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    await evict();
    await registry().readSnapshot(-1);
    expect(await alarm()).toBe(true);
    // It does not remember which lists may be older.
    expect(await readTable("SELECT hub FROM roster")).toEqual([{ hub: HUB }]);
    vi.setSystemTime(Date.now() + LIMITS.listLeaseMs);
    expect(await alarm()).toBe(true);
    expect(await readTable("SELECT * FROM roster")).toEqual([]);
  });

  it("publishes no version while a list may be older, but those before that none can be older than", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { version } = await list();
    expect(await patch("tone", { enabled: false })).toMatchObject({ listedInMs: LIMITS.listLeaseMs });
    vi.setSystemTime(Date.now() + LIMITS.listLeaseMs / 2);
    expect(await list()).toMatchObject({ version: version + 1, listableMs: LIMITS.listLeaseMs });
    expect(await patch("qr_code", { enabled: false })).toMatchObject({ listedInMs: LIMITS.listLeaseMs });
    // Who says the same once more must not be answered sooner.
    expect(await patch("qr_code", { enabled: false })).toMatchObject({
      unchanged: true,
      listedInMs: LIMITS.listLeaseMs,
    });
    await alarm();
    const early = await published();
    vi.setSystemTime(Date.now() + LIMITS.listLeaseMs / 2);
    await alarm();
    const between = await published();
    vi.setSystemTime(Date.now() + LIMITS.listLeaseMs / 2);
    await alarm();
    expect([early, between, await published()]).toEqual([version, version + 1, version + 2]);
    expect(await patch("tone", { enabled: true })).not.toHaveProperty("listedInMs");
  });

  it("tries a hub again that could not be reached, and keeps its place", async () => {
    await registry().joinRoster(HUB);
    await runInDurableObject(asStub(hubStub(testEnv, HUB)), (hub) => {
      Object.defineProperty(hub, "publish", {});
    });
    await patch("tone", { enabled: false });
    await alarm();
    expect(await readTable("SELECT hub FROM roster")).toEqual([{ hub: HUB }]);
    expect(await readTable("SELECT value FROM meta WHERE name = 'failures'")).toEqual([{ value: 1 }]);
    expect(await alarm()).toBe(true);
    expect(await readTable("SELECT value FROM meta WHERE name = 'failures'")).toEqual([{ value: 2 }]);
    await evictDurableObject(asStub(hubStub(testEnv, HUB)));
    expect(await alarm()).toBe(true);
    expect(await readTable("SELECT value FROM meta WHERE name = 'failures'")).toEqual([]);
    expect(await alarm()).toBe(false);
  });
});
