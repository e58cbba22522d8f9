// What is done with a key is listed and recorded by the registry, whenever that can be reached again.

import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { apiKeyStub } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { openGate, type Gate } from "../support/app.ts";
import { bindObject } from "../support/bind-object.ts";
import { testEnv } from "../support/counting-env.ts";
import { narrow } from "../support/narrow.ts";

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await reset();
});

const objectOf = (id: string): DurableObjectStub => apiKeyStub(testEnv, id) as unknown as DurableObjectStub;

const outOfReach = (): Promise<never> => Promise.reject(new Error("out of reach"));
const noRegistry = {
  idFromName: (name: string) => name,
  get: () => ({ noteKey: outOfReach, closeSockets: outOfReach }),
};

/** Until it is evicted a key's object can't reach the registry. */
const sever = (id: string): Promise<void> => bindObject(objectOf(id), { TOOL_REGISTRY: noRegistry });

async function open() {
  const gate = openGate();
  const { id } = await (await gate.admin("POST", "/keys", { name: "one" })).json<{ id: string }>();
  return { gate, id };
}

/** How the registry lists the keys, and what it has of acts on them, the oldest first. */
async function listed(gate: Gate) {
  const { keys } = await (await gate.admin("GET", "/keys")).json<{ keys: { name: string; status: string }[] }>();
  const trail = await (
    await gate.admin("GET", "/audit?kind=admin&limit=500")
  ).json<{ rows: { action: string; outcome: string }[] }>();
  const acts = trail.rows.filter(({ action }) => action.startsWith("key."));
  return {
    keys: keys.map(({ name, status }) => [name, status]),
    acts: acts.map(({ action, outcome }) => `${action} ${outcome}`).toReversed(),
  };
}

const CREATED = "key.create changed";

describe("what is done with a key while the registry is out of reach", () => {
  it("is listed and recorded later, in order and once, through an eviction", async () => {
    const { gate, id } = await open();
    await sever(id);
    const statuses = [
      (await gate.admin("PATCH", `/keys/${id}`, { name: "two" })).status,
      (await gate.admin("POST", `/keys/${id}/rotate`, { overlapSeconds: 60 })).status,
      (await gate.admin("DELETE", `/keys/${id}`)).status,
    ];
    const before = await listed(gate);
    await evictDurableObject(objectOf(id));
    expect(await runDurableObjectAlarm(objectOf(id))).toBe(true);
    const after = await listed(gate);
    await runDurableObjectAlarm(objectOf(id));
    expect({ statuses, before, after, again: await listed(gate) }).toEqual({
      statuses: [200, 200, 200],
      before: { keys: [["one", "active"]], acts: [CREATED] },
      after: {
        keys: [["two", "revoked"]],
        acts: [CREATED, "key.change changed", "key.rotate changed", "key.revoke changed"],
      },
      again: after,
    });
  });

  it("is tried again after a while", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2100-01-01T00:00:00Z") });
    const { gate, id } = await open();
    await sever(id);
    await gate.admin("PATCH", `/keys/${id}`, { name: "two" });
    const alarmMs = await runInDurableObject(objectOf(id), (_, { storage }) => storage.getAlarm());
    expect(alarmMs).toBe(Date.now() + LIMITS.closureRetryMs);
  });

  it("does not hold up who does it, where the registry stays silent", async () => {
    const { gate, id } = await open();
    const silent = {
      idFromName: (name: string) => name,
      get: () => ({ noteKey: () => new Promise(() => undefined) }),
    };
    await bindObject(objectOf(id), { TOOL_REGISTRY: silent });
    const { setTimeout } = globalThis;
    narrow({ keyNewsTimeoutMs: 1_777 });
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms = 0) =>
      setTimeout(run, ms === 1_777 ? 0 : ms)) as never);
    const { status } = await gate.admin("PATCH", `/keys/${id}`, { name: "two" });
    expect([status, (await listed(gate)).keys]).toEqual([200, [["one", "active"]]]);
  });

  it("comes with the next act, before that", async () => {
    const { gate, id } = await open();
    await sever(id);
    await gate.admin("PATCH", `/keys/${id}`, { name: "two" });
    await evictDurableObject(objectOf(id));
    await gate.admin("DELETE", `/keys/${id}`);
    await gate.admin("DELETE", `/keys/${id}`);
    expect(await listed(gate)).toEqual({
      keys: [["two", "revoked"]],
      acts: [CREATED, "key.change changed", "key.revoke changed", "key.revoke unchanged"],
    });
  });

  it.each([
    [LIMITS.owedActs - 1, 200, LIMITS.owedActs + 2],
    [LIMITS.owedActs, 503, LIMITS.owedActs + 2],
  ])("waits for no more than a bound: after %i acts another is answered %i", async (acts, status, recorded) => {
    const { gate, id } = await open();
    await sever(id);
    const act = { who: "admin", action: "key.change" } as const;
    for (let n = 1; n <= acts; n++) await apiKeyStub(testEnv, id).change({ name: `name ${n}` }, act);
    const change = await gate.admin("PATCH", `/keys/${id}`, { name: "one more" });
    const end = await gate.admin("DELETE", `/keys/${id}`);
    await evictDurableObject(objectOf(id));
    await runDurableObjectAlarm(objectOf(id));
    expect([change.status, end.status, (await listed(gate)).acts.length]).toEqual([status, 200, recorded]);
  });

  it("is told at once where it can be reached, and by nobody twice", async () => {
    const { gate, id } = await open();
    await gate.admin("PATCH", `/keys/${id}`, { name: "two" });
    await runDurableObjectAlarm(objectOf(id));
    expect(await listed(gate)).toEqual({ keys: [["two", "active"]], acts: [CREATED, "key.change changed"] });
  });
});
