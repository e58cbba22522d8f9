// How long parts of the server wait for the registry, its replicas and hubs, and how often they try: below and beyond each.

import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { hubName, hubStub, registryStub, type Env } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { SnapshotCache } from "../../src/registry/snapshot-cache.ts";
import { testEnv } from "../support/counting-env.ts";

const NOW_MS = Date.parse("2100-01-01T00:00:00Z");
const HUB = hubName("weur");

const asStub = (stub: unknown): DurableObjectStub => stub as DurableObjectStub;
const registry = () => registryStub(testEnv);
const inRegistry = <T>(run: (sql: SqlStorage) => T): Promise<T> =>
  runInDurableObject(asStub(registry()), (_, { storage }) => run(storage.sql));

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await reset();
});

/** Objects with one method, which answers by a clock that the test sets. */
const answering = (method: string, answer: () => Promise<unknown>): DurableObjectNamespace =>
  ({ idFromName: (name: string) => name, get: () => ({ [method]: answer }) }) as unknown as DurableObjectNamespace;

const after = <T>(ms: number, value: T): Promise<T> => new Promise((resolve) => setTimeout(resolve, ms, value));

describe("an isolate that asks for the catalogue", () => {
  it.each([
    [LIMITS.replicaTimeoutMs - 1, 7],
    [LIMITS.replicaTimeoutMs + 1, 9],
  ])("waits for its replica for a while, here %i ms, and then asks the registry: version %i", async (ms, version) => {
    vi.useFakeTimers();
    const env = {
      TOOL_REGISTRY: answering("readSnapshot", () => Promise.resolve({ v: 1, version: 9, rows: [], replicas: true })),
      CATALOGUE_REPLICA: answering("readSnapshot", () => after(ms, { v: 1, version: 7, rows: [], replicas: true })),
    } as unknown as Env;
    const first = {
      ...env,
      TOOL_REGISTRY: answering("readSnapshot", () => after(0, { v: 1, version: 1, rows: [], replicas: true })),
    };
    const cache = new SnapshotCache([], () => () => undefined);
    cache.region = "weur";
    const learnt = cache.readForList(first, () => undefined);
    await vi.advanceTimersByTimeAsync(1);
    await learnt;
    const listed = cache.readForList(env, () => undefined);
    await vi.advanceTimersByTimeAsync(LIMITS.replicaTimeoutMs + 1);
    expect((await listed).version).toBe(version);
  });

  it.each([
    [LIMITS.snapshotTimeoutMs - 1, "version 9"],
    [LIMITS.snapshotTimeoutMs + 1, "CatalogueUnavailable"],
  ])("waits for the registry for a while, here %i ms: %s", async (ms, outcome) => {
    vi.useFakeTimers();
    const env = {
      TOOL_REGISTRY: answering("readSnapshot", () => after(ms, { v: 1, version: 9, rows: [] })),
    } as unknown as Env;
    const listed = new SnapshotCache([], () => () => undefined)
      .readForList(env, () => undefined)
      .then(
        ({ version }) => `version ${version}`,
        ({ constructor }: Error) => constructor.name,
      );
    await vi.advanceTimersByTimeAsync(LIMITS.snapshotTimeoutMs + 1);
    expect(await listed).toBe(outcome);
  });
});

it.each([
  [LIMITS.regionSeenMs - 1, true],
  [LIMITS.regionSeenMs, false],
])("a region that asked %i ms ago still counts: %s", async (agoMs, isServed) => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
  await registry().readSnapshot(-1, { region: "weur" });
  vi.setSystemTime(NOW_MS + agoMs);
  await evictDurableObject(asStub(registry()));
  expect((await registry().readSnapshot(-1, { region: "enam" })).replicas ?? false).toBe(isServed);
});

/** How long it is left alone after so many failures. */
async function pauseAfter(failures: number): Promise<number> {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
  await registry().joinRoster(HUB);
  await runInDurableObject(asStub(hubStub(testEnv, HUB)), (hub) => void Object.defineProperty(hub, "publish", {}));
  await registry().editTools([{ op: "patch", name: "tone", patch: { enabled: false } }]);
  await inRegistry(
    (sql) => void sql.exec("INSERT OR REPLACE INTO meta (name, value) VALUES ('failures', ?)", failures - 1),
  );
  await runDurableObjectAlarm(asStub(registry()));
  const { value } = await inRegistry((sql) =>
    sql.exec<{ value: number }>("SELECT value FROM meta WHERE name = 'due'").one(),
  );
  return value - NOW_MS;
}

describe("a hub that can't be reached", () => {
  const doublings = Math.floor(Math.log2(LIMITS.publishRetryMaxMs / LIMITS.publishRetryMs));

  it.each([
    [1, LIMITS.publishRetryMs],
    [2, 2 * LIMITS.publishRetryMs],
    [doublings + 1, LIMITS.publishRetryMs * 2 ** doublings],
    [doublings + 2, LIMITS.publishRetryMaxMs],
    [40, LIMITS.publishRetryMaxMs],
  ])("%i times is tried again after %i ms", async (failures, pauseMs) => {
    expect(await pauseAfter(failures)).toBe(pauseMs);
  });

  it("is given up after a time where it stays silent", async () => {
    await registry().joinRoster(HUB);
    await runInDurableObject(asStub(hubStub(testEnv, HUB)), (hub) => {
      Object.assign(hub, { publish: () => new Promise(() => undefined) });
    });
    await registry().editTools([{ op: "patch", name: "tone", patch: { enabled: false } }]);
    const { setTimeout } = globalThis;
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms = 0) =>
      setTimeout(run, ms === LIMITS.publishTimeoutMs ? 0 : ms)) as never);
    await runDurableObjectAlarm(asStub(registry()));
    expect(await inRegistry((sql) => sql.exec("SELECT value FROM meta WHERE name = 'failures'").toArray())).toEqual([
      { value: 1 },
    ]);
  });
});

it("an upstream is listed again after about the same time, each time another", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
  const dues: number[] = [];
  for (const random of [0, 0.5, 0.999_999]) {
    vi.spyOn(Math, "random").mockReturnValue(random);
    await registry().writeUpstream("up", { url: "https://up.example/mcp" });
    dues.push(
      await inRegistry((sql) => sql.exec<{ due_at: number }>("SELECT due_at FROM upstreams").one().due_at - NOW_MS),
    );
  }
  const { upstreamIntervalMs: middle, upstreamIntervalJitterShare: share } = LIMITS;
  expect(dues.map((ms) => Math.round(ms / 1_000))).toEqual(
    [1 - share, 1, 1 + share].map((part) => Math.round((middle * part) / 1_000)),
  );
});
