// An object that is asked and says nothing: whoever asked is told so in time, and nothing waits for it for ever.

import { reset } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { boundedEnv } from "../../src/lib/bounded-env.ts";
import { registryStub } from "../../src/env.ts";
import { errorOf, openGate, readAnswer, request } from "../support/app.ts";
import { testEnv } from "../support/counting-env.ts";
import { silentEnv } from "../support/lost-calls.ts";

afterEach(() => reset());

const SECRETS_KEY = crypto.randomUUID();

function open() {
  const { env, silence, find } = silentEnv();
  return { gate: openGate(undefined, { ...env, SECRETS_KEY }), silence, find };
}

const NO_SUCH_KEY = "k234567234567234";

describe("the admin API answers 503 where the object is stalled that is asked", () => {
  it.each([
    ["GET", "/keys", undefined, "TOOL_REGISTRY", "readKeys"],
    ["POST", "/keys", { name: "a" }, "API_KEY", "createListed"],
    ["GET", "/keys/{id}", undefined, "API_KEY", "read"],
    ["PATCH", "/keys/{id}", { name: "b" }, "API_KEY", "change"],
    ["POST", "/keys/{id}/rotate", {}, "API_KEY", "rotate"],
    ["DELETE", "/keys/{id}", undefined, "API_KEY", "revoke"],
    ["DELETE", `/keys/${NO_SUCH_KEY}`, undefined, "TOOL_REGISTRY", "markKeyRevoked"],
    ["GET", "/tools", undefined, "TOOL_REGISTRY", "readSnapshot"],
    ["PATCH", "/tools/tone", { enabled: false }, "TOOL_REGISTRY", "editTools"],
    ["GET", "/tools/tone/history", undefined, "TOOL_REGISTRY", "readToolHistory"],
    ["POST", "/tools/tone/lint", undefined, "TOOL_REGISTRY", "readSnapshot"],
    ["GET", "/upstreams", undefined, "TOOL_REGISTRY", "readUpstreams"],
    ["PUT", "/upstreams/a", { url: "https://up.example/mcp" }, "TOOL_REGISTRY", "writeUpstream"],
    ["DELETE", "/upstreams/a", undefined, "TOOL_REGISTRY", "deleteUpstream"],
    ["GET", "/secrets", undefined, "TOOL_REGISTRY", "readSecrets"],
    ["PUT", "/secrets/TOKEN", { value: "12345678" }, "TOOL_REGISTRY", "writeSecret"],
    ["DELETE", "/secrets/TOKEN", undefined, "TOOL_REGISTRY", "deleteSecret"],
    ["GET", "/sessions", undefined, "TOOL_REGISTRY", "readHubs"],
    ["GET", "/audit?kind=admin", undefined, "TOOL_REGISTRY", "readAdminLog"],
    ["GET", "/audit?kind=call", undefined, "AUDIT_LOG", "read"],
    ["GET", "/stats", undefined, "AUDIT_LOG", "readTallies"],
  ] as const)("%s %s %j, %s.%s", async (method, path, body, binding, step) => {
    const { gate, silence } = open();
    const { id } = await (await gate.admin("POST", "/keys", { name: "a" })).json<{ id: string }>();
    silence(binding, step);
    const { status, body: problem } = await readAnswer(await gate.admin(method, path.replace("{id}", id), body));
    expect([status, problem]).toEqual([503, expect.objectContaining({ code: "unavailable" })]);
  });
});

describe("the endpoint answers 503 where the object is stalled that is asked", () => {
  it.each([
    ["API_KEY", "noteSession"],
    ["TOOL_REGISTRY", "closeSockets"],
  ] as const)("to end a session: %s.%s", async (binding, step) => {
    const { gate, silence } = open();
    const caller = gate.caller(await gate.mint());
    const session = await caller.openSession("2025-11-25");
    silence(binding, step);
    const headers = { authorization: `Bearer ${caller.key}`, "mcp-session-id": session };
    const { status, body } = await readAnswer(await gate.fetch("/mcp", { method: "DELETE", headers }));
    expect([status, body]).toEqual([503, errorOf(503, null, expect.any(String), { retryAfterSeconds: 2 })]);
  });

  it.each([
    ["a call", "tools/call", { name: "current_time", arguments: {} }],
    ["a list", "tools/list", {}],
  ])("for a lease: %s", async (_, method, params) => {
    const { gate, silence } = open();
    const caller = gate.caller(await gate.mint());
    silence("API_KEY", "lease");
    const { status, body } = await caller.post(request(method, params));
    expect([status, body]).toMatchObject([503, errorOf(503)]);
  });

  it("for the catalogue: a list", async () => {
    const { gate, silence } = open();
    const caller = gate.caller(await gate.mint());
    silence("TOOL_REGISTRY", "readSnapshot");
    const { status, body } = await caller.post(request("tools/list"));
    expect([status, body]).toMatchObject([503, errorOf(503)]);
  });
});

/** Asks an object that answers after some time; what came of it. */
async function ask(afterMs: number): Promise<unknown> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const answer = () => new Promise((resolve) => setTimeout(resolve, afterMs, "answer"));
    const late = { idFromName: (name: string) => name, get: () => ({ readHubs: answer }) };
    const env = boundedEnv({ ...testEnv, TOOL_REGISTRY: late as unknown as DurableObjectNamespace });
    const told = registryStub(env).readHubs().then(String, String);
    await vi.advanceTimersByTimeAsync(LIMITS.objectTimeoutMs);
    return await Promise.race([told, "nothing yet"]);
  } finally {
    vi.useRealTimers();
  }
}

describe("a call of an object", () => {
  it("is waited for up to its time", async () => {
    const late = `DeadlineError: registry.readHubs took longer than ${LIMITS.objectTimeoutMs} ms`;
    expect([await ask(LIMITS.objectTimeoutMs - 1), await ask(LIMITS.objectTimeoutMs + 1)]).toEqual(["answer", late]);
  });

  it("that waits for its client is not bounded by it", () => {
    const calls: string[] = [];
    const note = (method: string) => () => {
      calls.push(method);
      return new Promise(() => undefined);
    };
    const relay = { nextEvent: note("nextEvent"), read: note("read") };
    const namespace = { idFromName: (name: string) => name, get: () => relay } as unknown as DurableObjectNamespace;
    const timers = vi.spyOn(globalThis, "setTimeout");
    const env = boundedEnv({ ...testEnv, CALL_RELAY: namespace });
    const stub = env.CALL_RELAY.get(env.CALL_RELAY.idFromName("call")) as unknown as typeof relay;
    void stub.nextEvent();
    void stub.read();
    const set = timers.mock.calls.length;
    timers.mockRestore();
    expect([calls, set]).toEqual([["nextEvent", "read"], 0]);
  });
});
