import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { catalogueReplicaStub, registryStub } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import type { Region } from "../../src/lib/region.ts";
import { countingEnv, testEnv } from "../support/counting-env.ts";
import { openTestSession, type TestSocket } from "../support/test-socket.ts";
import { SnapshotCache } from "../../src/registry/snapshot-cache.ts";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import { admin } from "../support/test-socket.ts";

const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };

const registry = () => registryStub(testEnv);
const asStub = (stub: unknown): DurableObjectStub => stub as DurableObjectStub;
const replica = (region: Region = "oc") => catalogueReplicaStub(testEnv, region);
const publish = (): Promise<boolean> => runDurableObjectAlarm(asStub(registry()));
const readReplica = async (region: Region = "oc"): Promise<number> =>
  (await replica(region).readSnapshot(-1, { region })).version;
const disable = (name: string) => registry().editTools([{ op: "patch", name, patch: { enabled: false } }]);
const pass = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms);
};

/** Replaces a method of a replica with one that fails, as if it could not be reached. */
const cutOff = (region: Region): Promise<void> =>
  runInDurableObject(asStub(replica(region)), (object) => {
    Object.defineProperty(object, "refresh", {
      value: () => {
        throw new Error("out of reach");
      },
    });
  });

const openSocket = async (): Promise<TestSocket> =>
  openTestSession((await admin<{ key: string }>("POST", "/keys", { name: "test" })).key);

const sync = async (socket: TestSocket): Promise<void> => {
  socket.send({ jsonrpc: "2.0", id: "sync", method: "ping" });
  await socket.take((frame) => (frame as { id?: unknown }).id === "sync");
};

describe("CatalogueReplica", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await reset();
  });

  it("answers under its lease without asking, then asks again", async () => {
    const version = await readReplica();
    await disable("tone");
    expect(await readReplica()).toBe(version);
    pass(LIMITS.replicaLeaseMs);
    expect(await replica().readSnapshot(version, { region: "oc" })).toEqual({
      v: 1,
      version: version + 1,
      since: version,
      rows: [{ name: "tone", version: version + 1, row: { name: "tone", enabled: false } }],
      replicas: false,
    });
    expect(await replica().readSnapshot(version + 1, { region: "oc" })).toEqual({
      v: 1,
      version: version + 1,
      replicas: false,
    });
  });

  it("knows a version before any client hears of it", async () => {
    const socket = await openSocket();
    const version = await readReplica();
    await disable("tone");
    expect(await readReplica()).toBe(version);
    await publish();
    await sync(socket);
    // Lists of the isolates that it told before may be older for a moment.
    expect([await readReplica(), socket.rest()]).toEqual([version + 1, []]);
    pass(LIMITS.listLeaseMs);
    await publish();
    await sync(socket);
    expect(socket.rest()).toEqual([CHANGED]);
  });

  it.each([
    [0, LIMITS.listLeaseMs],
    [LIMITS.replicaLeaseMs - LIMITS.listLeaseMs + 1, LIMITS.listLeaseMs - 1],
    [LIMITS.replicaLeaseMs - 1, 1],
  ])("%i ms into its lease has isolates list from it for %i ms", async (agoMs, listableMs) => {
    await readReplica();
    pass(agoMs);
    expect(await replica().readSnapshot(-1, { region: "oc", lists: true })).toMatchObject({ listableMs });
  });

  it("holds a change up while it can't be told, no longer than its lease", async () => {
    const socket = await openSocket();
    const version = await readReplica();
    await cutOff("oc");
    await disable("tone");
    await publish();
    await sync(socket);
    expect([await readReplica(), socket.rest()]).toEqual([version, []]);
    pass(LIMITS.replicaLeaseMs);
    await publish();
    await sync(socket);
    expect([await readReplica(), socket.rest()]).toEqual([version + 1, [CHANGED]]);
  });

  it("lets an earlier change be told of while another replica that can't be told keeps a later one", async () => {
    const version = await readReplica("oc");
    await disable("tone");
    pass(LIMITS.replicaLeaseMs / 2);
    await readReplica("weur");
    await Promise.all([cutOff("oc"), cutOff("weur")]);
    await disable("qr_code");
    pass(LIMITS.replicaLeaseMs / 2);
    await publish();
    expect((await registry().readState()).published).toBe(version + 1);
  });

  it("has lists of before its restart respected", async () => {
    const socket = await openSocket();
    await readReplica();
    await replica().readSnapshot(-1, { region: "oc", lists: true });
    await disable("tone");
    await evictDurableObject(asStub(replica()));
    await readReplica();
    await publish();
    await sync(socket);
    expect(socket.rest()).toEqual([]);
    pass(LIMITS.listLeaseMs);
    await publish();
    await sync(socket);
    expect(socket.rest()).toEqual([CHANGED]);
  });

  it("has its lease respected although another region was silent for long", async () => {
    const socket = await openSocket();
    await readReplica("weur");
    await readReplica("oc");
    pass(LIMITS.regionSeenMs + LIMITS.replicaLeaseMs);
    await readReplica("oc");
    await evictDurableObject(asStub(registry()));
    await disable("tone");
    pass(LIMITS.listLeaseMs);
    await publish();
    await sync(socket);
    expect(socket.rest()).toEqual([]);
  });

  it("does not let a hub that joins meanwhile tell of the change either", async () => {
    await readReplica();
    await cutOff("oc");
    const { version = 0 } = (await disable("tone")) as { version?: number };
    const [early] = [await registry().joinRoster("hub:oc:0")];
    pass(LIMITS.replicaLeaseMs);
    expect([early.version, (await registry().joinRoster("hub:oc:1")).version]).toEqual([version - 1, version]);
  });

  it("has its lease respected by a registry that was evicted meanwhile", async () => {
    const socket = await openSocket();
    await Promise.all([readReplica("oc"), readReplica("weur")]);
    await disable("tone");
    await evictDurableObject(asStub(registry()));
    await publish();
    await sync(socket);
    expect(socket.rest()).toEqual([]);
    pass(LIMITS.replicaLeaseMs);
    await publish();
    await sync(socket);
    expect(socket.rest()).toEqual([CHANGED]);
  });

  it("starts anew after an eviction", async () => {
    const version = await readReplica();
    await disable("tone");
    await evictDurableObject(asStub(replica()));
    expect(await readReplica()).toBe(version + 1);
  });

  it("is asked once there is more than one region, and the registry where it can't answer", async () => {
    const { env, calls } = countingEnv();
    const regions = ["oc", "weur"] as const;
    const isolates = regions.map((region) => {
      const snapshot = new SnapshotCache(builtinTools, () => () => undefined);
      snapshot.region = region;
      return snapshot;
    });
    const list = async (index: number): Promise<string[]> => {
      calls.length = 0;
      pass(LIMITS.listLeaseMs);
      await isolates[index]?.readForList(env, () => undefined);
      return calls.map(({ binding }) => binding);
    };
    expect(await list(0)).toEqual(["TOOL_REGISTRY"]);
    expect(await list(1)).toEqual(["TOOL_REGISTRY"]);
    expect(await list(0)).toEqual(["TOOL_REGISTRY"]);
    expect([await list(0), await list(1)]).toEqual([["CATALOGUE_REPLICA"], ["CATALOGUE_REPLICA"]]);
    await runInDurableObject(asStub(replica("oc")), (object) => {
      Object.defineProperty(object, "readSnapshot", {});
    });
    expect(await list(0)).toEqual(["CATALOGUE_REPLICA", "TOOL_REGISTRY"]);
  });
});
