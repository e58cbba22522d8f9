// What is answered when an object can't be asked, or was asked and its answer never came.

import { reset } from "cloudflare:test";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { errorOf, openGate } from "../support/app.ts";
import { losingEnv } from "../support/lost-calls.ts";

afterEach(() => reset());

const answerOf = async (response: Response) => ({
  status: response.status,
  wait: response.headers.get("retry-after"),
  body: await response.json(),
});

const UNAVAILABLE = {
  status: 503,
  wait: "2",
  body: {
    type: "about:blank",
    title: "Temporarily unavailable",
    status: 503,
    code: "unavailable",
    detail:
      "A part of the server that this needs can't be reached right now. A change may have been made all the same: look before you make it again",
  },
};

const RECORD = {
  description: "Finds a user.",
  inputSchema: { type: "object" },
  source: { kind: "http", method: "GET", url: "https://api.example.com/", headers: { a: "{{secret:TOKEN_OF_A}}" } },
};

function open() {
  const { env, lose } = losingEnv();
  return { gate: openGate(undefined, env), lose };
}

describe("the admin API says that something is out of reach, not that it is broken", () => {
  it.each([
    ["GET", "/keys", "readKeys", "request"],
    ["GET", "/tools", "readSnapshot", "answer"],
    ["PATCH", "/tools/tone", "editTools", "request"],
    ["PATCH", "/tools/tone", "editTools", "answer"],
  ] as const)("%s %s where the %s of its registry is lost", async (method, path, step, what) => {
    const { gate, lose } = open();
    lose("TOOL_REGISTRY", step, what);
    const body = method === "PATCH" ? { enabled: false } : undefined;
    expect(await answerOf(await gate.admin(method, path, body))).toEqual(UNAVAILABLE);
  });
});

describe("a change that was made is told as made", () => {
  it("although the secrets that it needs can't be looked up", async () => {
    const { gate, lose } = open();
    lose("TOOL_REGISTRY", "readSecrets", "request");
    const response = await gate.admin("PUT", "/tools/find_user", RECORD);
    const { version, warnings } = await response.json<{ version: number; warnings: { rule: string }[] }>();
    const rules = warnings.map(({ rule }) => rule);
    expect([response.status, version, rules.includes("secret-unset")]).toEqual([201, 2, false]);
  });

  it("although sockets can't be closed at once: the key's object sees to them", async () => {
    const { gate, lose } = open();
    const { id } = await (await gate.admin("POST", "/keys", { name: "gone" })).json<{ id: string }>();
    lose("TOOL_REGISTRY", "closeSockets", "request");
    const { status, body } = await answerOf(await gate.admin("DELETE", `/keys/${id}`));
    expect([status, body]).toEqual([200, { id, status: "revoked" }]);
  });
});

it("a stream is refused where its hub does not answer at all", async () => {
  const silent = { idFromName: (name: string) => name, get: () => ({ fetch: () => new Promise(() => undefined) }) };
  const gate = openGate(undefined, { SESSION_HUB: silent as unknown as DurableObjectNamespace });
  const caller = gate.caller(await gate.mint());
  const session = await caller.openSession("2025-11-25");
  const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms: number) => {
    if (ms === LIMITS.openingMs) queueMicrotask(run);
    return 0;
  }) as never);
  onTestFinished(() => timers.mockRestore());
  const response = await gate.fetch("/mcp", {
    headers: { authorization: `Bearer ${caller.key}`, "mcp-session-id": session, accept: "text/event-stream" },
  });
  expect(await answerOf(response)).toEqual({
    status: 503,
    wait: "1",
    body: errorOf(503, null, "This region took too long to open a stream", { retryAfterSeconds: 1 }),
  });
});

describe("the endpoint says so too", () => {
  it.each([
    ["a stream of changes", "GET", "SESSION_HUB", "fetch"],
    ["the end of a session", "DELETE", "API_KEY", "noteSession"],
  ] as const)("of %s", async (_, method, binding, step) => {
    const { gate, lose } = open();
    const caller = gate.caller(await gate.mint());
    const session = await caller.openSession("2025-11-25");
    lose(binding, step, "request");
    const response = await gate.fetch("/mcp", {
      method,
      headers: { authorization: `Bearer ${caller.key}`, "mcp-session-id": session, accept: "text/event-stream" },
    });
    const message = "Temporarily unavailable: a part of the server that this needs can't be reached right now";
    expect(await answerOf(response)).toEqual({
      status: 503,
      wait: "2",
      body: errorOf(503, null, message, { retryAfterSeconds: 2 }),
    });
  });
});
