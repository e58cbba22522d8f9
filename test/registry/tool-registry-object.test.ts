import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { hubName, hubStub, registryStub } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { writeClosure } from "../../src/registry/outbox-store.ts";
import { testEnv } from "../support/counting-env.ts";

const registry = () => registryStub(testEnv);
const asStub = (stub: unknown): DurableObjectStub => stub as DurableObjectStub;
const alarm = (): Promise<boolean> => runDurableObjectAlarm(asStub(registry()));
const evict = (): Promise<void> => evictDurableObject(asStub(registry()));
const readTable = (query: string): Promise<unknown[]> =>
  runInDurableObject(asStub(registry()), (_, { storage }) => storage.sql.exec(query).toArray());

const HUB = hubName("weur");

describe("ToolRegistry", () => {
  afterEach(() => reset());

  it("gives a change the next version, and no version to a change of nothing", async () => {
    const { version } = await registry().readSnapshot(-1);
    expect(await registry().changeTool("tone", { enabled: false })).toEqual({
      v: 1,
      outcome: "changed",
      version: version + 1,
    });
    expect(await registry().changeTool("tone", { enabled: false })).toEqual({
      v: 1,
      outcome: "changed",
      version: version + 1,
    });
    expect(await registry().readSnapshot(-1)).toEqual({
      v: 1,
      version: version + 1,
      rows: [{ name: "tone", enabled: false }],
    });
  });

  it("answers the version alone to who has it", async () => {
    const { version } = await registry().readSnapshot(-1);
    expect(await registry().readSnapshot(version)).toEqual({ v: 1, version });
  });

  it("changes only the version that was asked for, and no tool that is not there", async () => {
    const { version } = await registry().readSnapshot(-1);
    expect(await registry().changeTool("tone", { enabled: false }, version - 1)).toEqual({
      v: 1,
      outcome: "version_mismatch",
      version,
    });
    expect(await registry().changeTool("nothing", { enabled: false })).toEqual({ v: 1, outcome: "unknown_tool" });
    expect(await registry().changeTool("tone", { enabled: false }, version)).toMatchObject({ outcome: "changed" });
  });

  it("has rows and version after an eviction", async () => {
    await registry().changeTool("tone", { enabled: false });
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
    await registry().changeTool("tone", { enabled: false });
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
    await registry().changeTool("tone", { enabled: false });
    const [first] = await readTable("SELECT value FROM meta WHERE name = 'due'");
    await registry().changeTool("qr_code", { enabled: false });
    expect(await readTable("SELECT value FROM meta WHERE name = 'due'")).toEqual([first]);
    expect(await alarm()).toBe(true);
    expect(await alarm()).toBe(false);
  });

  it("takes up a publication that an eviction left undone", async () => {
    await registry().joinRoster(HUB);
    await registry().changeTool("tone", { enabled: false });
    await runInDurableObject(asStub(registry()), async (_, { storage }) => {
      await storage.deleteAlarm();
      storage.sql.exec("DELETE FROM meta WHERE name = 'due'");
    });
    await evict();
    await registry().readSnapshot(-1);
    expect(await alarm()).toBe(true);
    expect(await readTable("SELECT * FROM roster")).toEqual([]);
  });

  it("tries a hub again that could not be reached, and keeps its place", async () => {
    await registry().joinRoster(HUB);
    await runInDurableObject(asStub(hubStub(testEnv, HUB)), (hub) => {
      Object.defineProperty(hub, "publish", {});
    });
    await registry().changeTool("tone", { enabled: false });
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
