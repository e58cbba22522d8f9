import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Env } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import type { Catalogue } from "../../src/registry/catalogue.ts";
import { createLoader } from "../../src/registry/load-tool.ts";
import type { RowChange, Snapshot } from "../../src/registry/registry-contract.ts";
import { CatalogueUnavailable, SnapshotCache } from "../../src/registry/snapshot-cache.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { narrow } from "../support/narrow.ts";

const TOOLS = ["a", "b"].map((name) => defineTool({ name, description: name, input: v.object({}), run: () => name }));

/** A cache before a scripted registry. */
function setUp() {
  const registry = {
    version: 1,
    disabled: [] as string[],
    reads: [] as number[],
    down: false,
    resets: 0,
    listableMs: 0,
  };
  const readSnapshot = async (have: number): Promise<Snapshot> => {
    registry.reads.push(have);
    if (registry.down) throw new Error("registry is down");
    if (registry.resets-- > 0) throw Object.assign(new Error("reset"), { durableObjectReset: true });
    const { version, disabled } = registry;
    const told = { v: 1, version, ...(registry.listableMs > 0 && { listableMs: registry.listableMs }) } as const;
    if (have === version) return told;
    return { ...told, rows: disabled.map((name) => ({ name, version, row: { name, enabled: false } })) };
  };
  const namespace = { idFromName: (name: string) => name, get: () => ({ readSnapshot }) };
  const env = { TOOL_REGISTRY: namespace } as unknown as Env;
  const background: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>): number => background.push(work);
  const cache = new SnapshotCache(TOOLS, () => () => undefined);
  const call = async (): Promise<string[]> => (await cache.readForCall(env, waitUntil)).tools.map(({ name }) => name);
  return { registry, cache, env, waitUntil, call, settle: () => Promise.all(background.splice(0)) };
}

const toolsOf = ({ byName }: Catalogue) => ["x", "y", "z"].map((name) => byName.get(name)?.tool);

const pass = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms);
};

describe("SnapshotCache", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("asks once, and nobody while it is fresh", async () => {
    const { registry, call } = setUp();
    await call();
    pass(LIMITS.snapshotFreshMs);
    expect([await call(), registry.reads]).toEqual([["a", "b"], [-1]]);
  });

  it("serves once more while it revalidates in the background", async () => {
    const { registry, call, settle } = setUp();
    await call();
    Object.assign(registry, { version: 2, disabled: ["a"] });
    pass(LIMITS.snapshotFreshMs + 1);
    expect(await call()).toEqual(["a", "b"]);
    await settle();
    expect([await call(), registry.reads]).toEqual([["b"], [-1, 1]]);
  });

  it("never serves a call from a catalogue older than its bound", async () => {
    const { registry, call } = setUp();
    await call();
    Object.assign(registry, { version: 2, disabled: ["a"] });
    pass(LIMITS.snapshotStaleMs + 1);
    expect(await call()).toEqual(["b"]);
  });

  it("serves what it has while the registry is down, for a time", async () => {
    const { registry, call } = setUp();
    await call();
    registry.down = true;
    pass(LIMITS.snapshotUsableMs);
    expect(await call()).toEqual(["a", "b"]);
    pass(1);
    await expect(call()).rejects.toBeInstanceOf(CatalogueUnavailable);
  });

  it("asks for every list", async () => {
    const { registry, cache, env, waitUntil } = setUp();
    await cache.readForList(env, waitUntil);
    Object.assign(registry, { version: 2, disabled: ["a"] });
    expect((await cache.readForList(env, waitUntil)).tools.map(({ name }) => name)).toEqual(["b"]);
    expect(registry.reads).toEqual([-1, 1]);
  });

  it("lists for as long as it was told from when it asked, without asking again", async () => {
    const { registry, cache, env, waitUntil } = setUp();
    Object.assign(registry, { listableMs: LIMITS.listLeaseMs });
    const list = async () => (await cache.readForList(env, waitUntil)).version;
    await list();
    Object.assign(registry, { version: 2, disabled: ["a"] });
    pass(LIMITS.listLeaseMs - 1);
    const last = await list();
    pass(1);
    expect([last, await list(), registry.reads]).toEqual([1, 2, [-1, 1]]);
  });

  it("asks once for all that come while a question is on its way, and after they came", async () => {
    const { registry, cache, env, waitUntil } = setUp();
    const lists = Array.from({ length: 50 }, () => cache.readForList(env, waitUntil));
    Object.assign(registry, { version: 2, disabled: ["a"] });
    const versions = (await Promise.all(lists)).map(({ version }) => version);
    expect([versions[0], new Set(versions.slice(1)), registry.reads]).toEqual([1, new Set([2]), [-1, 1]]);
  });

  it.each([
    [LIMITS.lostCallAttempts - 1, 2],
    [LIMITS.lostCallAttempts, 1],
  ])("asks again for a list when the registry was reset %i times in a row: version %i", async (resets, version) => {
    const { registry, cache, env, waitUntil } = setUp();
    await cache.readForList(env, waitUntil);
    Object.assign(registry, { version: 2, disabled: ["a"], resets });
    expect((await cache.readForList(env, waitUntil)).version).toBe(version);
  });

  it("lets calls share the question that is on its way", async () => {
    const { registry, call } = setUp();
    await Promise.all(Array.from({ length: 50 }, call));
    expect(registry.reads).toEqual([-1]);
  });

  it("fails all that share a question, and asks anew for the next", async () => {
    const { registry, cache, env, waitUntil } = setUp();
    registry.down = true;
    const lists = Array.from({ length: 50 }, () => cache.readForList(env, waitUntil));
    const outcomes = await Promise.allSettled(lists);
    expect(outcomes.map(({ status }) => status)).toEqual(lists.map(() => "rejected"));
    expect(registry.reads).toEqual([-1, -1]);
    registry.down = false;
    expect((await cache.readForList(env, waitUntil)).version).toBe(1);
  });

  it("does not wait for a question whose request was cut off", async () => {
    const { cache, env, waitUntil } = setUp();
    const never = { idFromName: (name: string) => name, get: () => ({ readSnapshot: () => new Promise(() => {}) }) };
    const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void) => {
      queueMicrotask(run);
      return 0;
    }) as never);
    onTestFinished(() => timers.mockRestore());
    const cutOff = cache.readForList({ TOOL_REGISTRY: never } as unknown as Env, waitUntil);
    await expect(cutOff).rejects.toBeInstanceOf(CatalogueUnavailable);
    expect((await cache.readForList(env, waitUntil)).version).toBe(1);
  });

  it("lets an unknown name ask once a second, and unknown names together not much more", async () => {
    const { registry, cache, env, waitUntil } = setUp();
    await cache.readForCall(env, waitUntil);
    for (let call = 0; call < 5; call++) await cache.readForUnknownTool("x", env, waitUntil);
    await cache.readForUnknownTool("y", env, waitUntil);
    expect(registry.reads).toEqual([-1, 1]);
    pass(LIMITS.unknownToolsFloorMs);
    for (let call = 0; call < 5; call++) await cache.readForUnknownTool("y", env, waitUntil);
    expect(registry.reads).toEqual([-1, 1, 1]);
    pass(LIMITS.unknownToolFloorMs);
    await cache.readForUnknownTool("x", env, waitUntil);
    expect(registry.reads).toEqual([-1, 1, 1, 1]);
  });

  it("remembers so many unknown names, and none that no tool can have", async () => {
    narrow({ unknownTools: 2 });
    const { registry, cache, env, waitUntil } = setUp();
    await cache.readForCall(env, waitUntil);
    const asks = async (name: string): Promise<boolean> => {
      pass(LIMITS.unknownToolsFloorMs);
      const before = registry.reads.length;
      await cache.readForUnknownTool(name, env, waitUntil);
      return registry.reads.length > before;
    };
    const longest = "n".repeat(LIMITS.toolNameChars);
    expect([await asks("x"), await asks(longest), await asks("x"), await asks(`${longest}n`)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([await asks("x"), await asks("y"), await asks("x")]).toEqual([false, true, false]);
    expect([await asks("z"), await asks("y")]).toEqual([true, true]);
  });

  it("finds a tool that comes and goes within the second", async () => {
    const { registry, cache, env, waitUntil } = setUp();
    Object.assign(registry, { disabled: ["a"] });
    const find = async (): Promise<boolean> => (await cache.readForUnknownTool("a", env, waitUntil)).byName.has("a");
    await cache.readForCall(env, waitUntil);
    expect(await find()).toBe(false);
    pass(LIMITS.unknownToolFloorMs);
    Object.assign(registry, { version: 2, disabled: [] });
    expect(await find()).toBe(true);
    pass(LIMITS.unknownToolsFloorMs);
    Object.assign(registry, { version: 3, disabled: ["a"] });
    expect(await find()).toBe(false);
  });

  it("keeps the tools of all rows that did not change", async () => {
    const { env, waitUntil } = setUp();
    const source = { kind: "http", method: "GET", url: "https://api.example.com/" } as const;
    const changeOf = (name: string, version: number): RowChange => {
      const record = { description: `Is of ${version}.`, inputSchema: '{"type":"object","properties":{}}', source };
      return { name, version, row: { name, enabled: true, record } };
    };
    const answers: Snapshot[] = [
      { v: 1, version: 1, rows: [changeOf("x", 1), changeOf("y", 1), changeOf("z", 1)] },
      { v: 1, version: 2, since: 1, rows: [changeOf("y", 2), { name: "z", version: 2, row: null }] },
    ];
    const asked: number[] = [];
    const readSnapshot = async (have: number): Promise<Snapshot | undefined> => {
      asked.push(have);
      return answers.shift();
    };
    const namespace = { idFromName: (name: string) => name, get: () => ({ readSnapshot }) };
    const cache = new SnapshotCache([], createLoader);
    const read = () => cache.readForList({ ...env, TOOL_REGISTRY: namespace } as unknown as Env, waitUntil);
    const [first, second] = [await read(), await read()];
    const [[x1], [x2, y2, z2]] = [toolsOf(first), toolsOf(second)];
    expect(asked).toEqual([-1, 1]);
    expect(x2).toBe(x1);
    expect([x2?.definition.description, y2?.definition.description, z2]).toEqual(["Is of 1.", "Is of 2.", undefined]);
  });

  it("does not let an answer that was overtaken bring an older version back", async () => {
    const { registry, cache, env, waitUntil, settle } = setUp();
    await cache.readForList(env, waitUntil);
    const late = Promise.withResolvers<Snapshot>();
    const slow = { idFromName: (name: string) => name, get: () => ({ readSnapshot: () => late.promise }) };
    pass(LIMITS.snapshotFreshMs + 1);
    await cache.readForCall({ TOOL_REGISTRY: slow } as unknown as Env, waitUntil);
    late.resolve({ v: 1, version: 2, rows: [] });
    Object.assign(registry, { version: 3, disabled: ["a"] });
    await cache.readForList(env, waitUntil);
    await settle();
    expect((await cache.readForList(env, waitUntil)).version).toBe(3);
  });
});
