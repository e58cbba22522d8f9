import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { allParts, composeWorker } from "../../src/compose.ts";
import type { Env } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { ADMIN_KEY, HOST, openGate, readAnswer } from "../support/app.ts";
import { countingEnv, testEnv } from "../support/counting-env.ts";
import { narrow } from "../support/narrow.ts";

const AS_ADMIN = { headers: { authorization: `Bearer ${ADMIN_KEY}` } };
const WELL = { status: "ok", name: "toolgate", version: "0.1.0" };

const auditState = (shard: number) => ({
  name: `audit:${shard}`,
  state: "ok",
  ms: expect.any(Number),
  databaseBytes: expect.any(Number),
  lost: { full: 0, refused: 0, unsent: 0, queue: 0, trimmed: 0 },
});

const unreachable = (method: string): DurableObjectNamespace =>
  ({
    idFromName: () => "id",
    get: () => ({
      [method]: () => Promise.reject(new Error("gone")),
      readHubs: () => Promise.reject(new Error("gone")),
    }),
  }) as unknown as DurableObjectNamespace;

describe("to an admin key", () => {
  it.each([
    [3, 3],
    [2, 2],
  ])("tells of at most %i of three hubs: %i", async (healthHubs, told) => {
    narrow({ healthHubs });
    const { TOOL_REGISTRY } = testEnv;
    const registry = {
      idFromName: (name: string) => TOOL_REGISTRY.idFromName(name),
      get: () => ({ readHubs: () => Promise.resolve(["hub:weur:0", "hub:weur:1", "hub:weur:2"]) }),
    };
    const hub = {
      idFromName: (name: string) => name,
      get: () => ({ readStatus: () => Promise.resolve({ v: 1, total: 0, awakeSinceMs: 0 }) }),
    };
    const gate = openGate([], {
      TOOL_REGISTRY: registry as unknown as DurableObjectNamespace,
      SESSION_HUB: hub as unknown as DurableObjectNamespace,
    });
    const { objects } = await (await gate.fetch("/healthz", AS_ADMIN)).json<{ objects: { hubs: unknown[] } }>();
    expect(objects.hubs).toHaveLength(told);
  });

  it("tells how the objects are, and never what is secret", async () => {
    const gate = openGate();
    await gate.mint();
    const response = await gate.fetch("/healthz", AS_ADMIN);
    const text = await response.text();
    expect([response.status, response.headers.get("cache-control"), JSON.parse(text)]).toEqual([
      200,
      "no-store",
      {
        ...WELL,
        revisions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
        catalogueVersion: null,
        ...(testEnv.CF_VERSION_METADATA && { deployment: expect.anything() }),
        configured: {
          previousSigningSecret: false,
          adminKeyHash: false,
          secretsKey: false,
          codeTools: true,
          strangersCeiling: true,
          auditAnalytics: false,
          auditQueue: false,
        },
        checkedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        objects: {
          registry: [
            {
              name: "registry",
              state: "ok",
              ms: expect.any(Number),
              version: expect.any(Number),
              published: expect.any(Number),
              toolRows: 0,
              keys: 1,
              hubs: 0,
              lateHubs: 0,
              sockets: 0,
              upstreams: 0,
              failingUpstreams: 0,
              databaseBytes: expect.any(Number),
            },
          ],
          auditLogs: Array.from({ length: LIMITS.auditShards }, (_, shard) => auditState(shard)),
          hubs: [],
        },
      },
    ]);
    expect(text).not.toContain(ADMIN_KEY);
    expect(text).not.toContain(testEnv.SIGNING_SECRET);
  });

  it("tells it to a key that may only read, too", async () => {
    const gate = openGate();
    const key = await gate.mint({ scopes: ["admin:read"] });
    const { status, body } = await readAnswer(await gate.fetch("/healthz", { headers: { "x-api-key": key } }));
    expect([status, body]).toEqual([200, expect.objectContaining({ ...WELL, objects: expect.anything() })]);
  });

  it.each([
    ["the registry", "TOOL_REGISTRY", "readState", "registry"],
    ["a log", "AUDIT_LOG", "readState", "auditLogs"],
  ] as const)("says that %s can't be reached", async (_, binding, method, kind) => {
    const gate = openGate([], { [binding]: unreachable(method) });
    const { status, body } = await readAnswer(await gate.fetch("/healthz", AS_ADMIN));
    const { objects, ...told } = body as { objects: Record<string, { state: string }[]> };
    expect([status, told, objects[kind]?.[0]]).toEqual([
      200,
      expect.objectContaining({ status: "degraded" }),
      expect.objectContaining({ state: "unreachable" }),
    ]);
  });
});

describe("to others", () => {
  it.each<[string, (gate: ReturnType<typeof openGate>) => Promise<Record<string, string>>]>([
    ["nobody", async () => ({})],
    ["a key that is none", async () => ({ authorization: "Bearer nonsense" })],
    ["a client's key", async (gate) => ({ "x-api-key": await gate.mint() })],
    ["two keys at once", async () => ({ authorization: `Bearer ${ADMIN_KEY}`, "x-api-key": "another" })],
  ])("says to %s no more than that it is well", async (_, makeHeaders) => {
    const gate = openGate();
    const response = await gate.fetch("/healthz", { headers: await makeHeaders(gate) });
    expect(await readAnswer(response)).toEqual({ status: 200, body: WELL });
  });

  it("says no more when the key can't be looked up", async () => {
    const key = await openGate().mint({ scopes: ["admin:read"] });
    const gate = openGate([], { API_KEY: unreachable("lease") });
    const response = await gate.fetch("/healthz", { headers: { "x-api-key": key } });
    expect(await readAnswer(response)).toEqual({ status: 200, body: WELL });
  });

  it("answers HEAD", async () => {
    const response = await openGate().fetch("/healthz", { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });
});

describe("objects", () => {
  afterEach(() => vi.useRealTimers());

  it("are asked once in a while, however often an admin asks", async () => {
    const counted = countingEnv();
    const env: Env = { ...counted.env, ADMIN_KEY };
    const { app } = composeWorker([], allParts());
    const ask = async (): Promise<number> => {
      const ctx = createExecutionContext();
      await (await app.fetch(new Request(`${HOST}/healthz`, AS_ADMIN), env, ctx)).text();
      await waitOnExecutionContext(ctx);
      return counted.calls.length;
    };
    vi.useFakeTimers({ toFake: ["Date"] });
    const first = await ask();
    vi.setSystemTime(Date.now() + LIMITS.healthFreshMs - 1);
    const second = await ask();
    vi.setSystemTime(Date.now() + 1);
    // The registry for its state and its roster, and every log.
    expect([first, second, await ask()]).toEqual([2 + LIMITS.auditShards, first, 2 * first]);
  });

  it("that do not answer in time hold nobody up", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const silent = { idFromName: () => "id", get: () => ({ readState: () => new Promise(() => undefined) }) };
    const answered = openGate([], { AUDIT_LOG: silent as unknown as DurableObjectNamespace }).fetch(
      "/healthz",
      AS_ADMIN,
    );
    await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThanOrEqual(LIMITS.auditShards), { interval: 1 });
    await vi.advanceTimersByTimeAsync(LIMITS.healthTimeoutMs);
    expect(await (await answered).json()).toMatchObject({ status: "degraded" });
  });
});
