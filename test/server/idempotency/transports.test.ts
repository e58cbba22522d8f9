// Idempotency keys on every way to the server, what they cost, and what is kept of them.

import { reset, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { apiKeyStub } from "../../../src/env.ts";
import { LIMITS } from "../../../src/lib/limits.ts";
import { text } from "../../../src/tools/content.ts";
import { errorOf, openCaller, openGate, request, resultOf } from "../../support/app.ts";
import { readAllAudit } from "../../support/audit.ts";
import { SseReader } from "../../support/sse-reader.ts";
import { call, edgeClient, modern } from "../../support/stream-client.ts";
import { streamTools } from "../../support/stream-tools.ts";
import { admin, fetchWorker, openTestSession } from "../../support/test-socket.ts";
import { countingEnv, testEnv } from "../../support/counting-env.ts";
import { ask, counted, LEGACY_REVISION, KEY, numbered, order, REPLAYED } from "../../support/order-tool.ts";

afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

describe("on a stream", () => {
  it.each(["2025-06-18", "2025-11-25"])("progress precedes the first answer alone, in %s", async (revision) => {
    const client = await edgeClient(streamTools);
    const headers = await client.initialize(revision);
    const params = { _meta: { progressToken: "t", [KEY]: "k" } };
    const read = async (id: number) => {
      const response = await client.post(call("progress", params, id), headers);
      const isStream = response.headers.get("content-type") === "text/event-stream";
      return isStream ? new SseReader(response).restMessages() : response.json();
    };
    const content = [text("done\u2028\u0085")];
    const first = await read(1);
    expect(first).toHaveLength(4);
    expect(first).toContainEqual(resultOf({ content }, 1));
    expect(await read(2)).toEqual(resultOf({ content, _meta: REPLAYED }, 2));
  });

  it("the header counts in 2026-07-28 too", async () => {
    const client = await edgeClient(streamTools);
    const { message, headers } = modern("tools/call", { name: "logs", arguments: {} });
    const replays = [];
    for (let n = 0; n < 2; n++) {
      const response = await client.post(message, { ...headers, "idempotency-key": '"k"' });
      const { result } = await response.json<{ result: { _meta: object } }>();
      replays.push(JSON.stringify(result).includes("idempotentReplay"));
    }
    expect(replays).toEqual([false, true]);
  });
});

const state = (idempotency: string) => ({ code: 409, data: { idempotency } });

describe("a call that waits for its client's user", () => {
  it("runs for as long as that may take and its tool besides, in whichever round it asks", async () => {
    const client = await edgeClient(streamTools);
    const headers = await client.initialize("2025-06-18", { elicitation: {}, sampling: {}, roots: {} });
    const params = { _meta: { [KEY]: "k" } };
    vi.useFakeTimers({ toFake: ["Date"] });
    const startMs = Date.now();
    const elsewhere = await edgeClient(streamTools, client.key);
    const repeat = async (afterMs: number): Promise<unknown> => {
      vi.setSystemTime(startMs + afterMs);
      const { error } = await (await elsewhere.post(call("greet", params, 2), headers)).json<{ error: object }>();
      return error;
    };
    const answer = (id: string, result: object) => elsewhere.post({ jsonrpc: "2.0", id, result }, headers);
    const stub = apiKeyStub(testEnv, client.key.split("_")[1] ?? "") as unknown as DurableObjectStub;
    const readEnds = () =>
      runInDurableObject(stub, (_, { storage }) => storage.sql.exec("SELECT ends_at FROM claims").toArray());
    const untilEndsAt = (afterMs: number): Promise<void> =>
      expect.poll(readEnds, { interval: 5 }).toEqual([{ ends_at: startMs + afterMs }]);
    const reader = new SseReader(await client.post(call("greet", params), headers));
    const { id } = await reader.nextMessage<{ id: string }>();
    const firstEndMs = LIMITS.inputTimeoutMs + LIMITS.toolTimeoutMs + LIMITS.claimMarginMs;
    await untilEndsAt(firstEndMs);
    expect(await repeat(firstEndMs - 1)).toMatchObject(state("running"));
    await answer(id, { action: "accept", content: { name: "Ada" } });
    await reader.nextMessage();
    await untilEndsAt(2 * firstEndMs - 1);
    expect(await repeat(2 * firstEndMs - 2)).toMatchObject(state("running"));
    expect(await repeat(2 * firstEndMs - 1)).toMatchObject(state("unknown"));
    await reader.cancel();
  });
});

const sum = (key: string, id: number) =>
  request("tools/call", { name: "calculate", arguments: { expression: "1 + 1" }, _meta: { [KEY]: key } }, id);
const mintKey = async (): Promise<string> => (await admin<{ key: string }>("POST", "/keys", { name: "test" })).key;
const SUM = { content: [text("1 + 1 = 2")], structuredContent: { expression: "1 + 1", result: 2 } };

describe("on a socket", () => {
  it("a repeat has the answer that was given over HTTP, and the other way round", async () => {
    const key = await mintKey();
    const socket = await openTestSession(key);
    const post = async (message: object) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const response = await fetchWorker("/mcp", {
        method: "POST",
        headers: { ...headers, "mcp-protocol-version": "2025-11-25" },
        body: JSON.stringify(message),
      });
      return response.json();
    };
    const overSocket = (message: object) => {
      socket.send(message);
      return socket.next();
    };
    expect(await overSocket(sum("a", 1))).toEqual(resultOf(SUM, 1));
    expect(await post(sum("a", 2))).toEqual(resultOf({ ...SUM, _meta: REPLAYED }, 2));
    expect(await post(sum("b", 3))).toEqual(resultOf(SUM, 3));
    expect(await overSocket(sum("b", 4))).toEqual(resultOf({ ...SUM, _meta: REPLAYED }, 4));
    expect(await overSocket({ ...sum("b", 5), params: { ...sum("b", 5).params, arguments: {} } })).toEqual(
      errorOf(422, 5, expect.any(String), { idempotency: "mismatch" }),
    );
  });

  it("of HTTP+SSE the header is refused, which would not reach the session", async () => {
    const headers = { authorization: `Bearer ${await mintKey()}`, "idempotency-key": '"k"' };
    const response = await fetchWorker("/messages?session=x", { method: "POST", headers, body: "{}" });
    expect([response.status, await response.json()]).toEqual([400, errorOf(-32600, null)]);
  });
});

describe("a batch", () => {
  const headers = { "mcp-protocol-version": "2025-03-26" };

  it("has a key for each call", async () => {
    const { tool, runs } = numbered();
    const caller = await openCaller([tool]);
    const batch = ["a", "b", undefined].map((key, id) =>
      request("tools/call", key === undefined ? { name: "order" } : order(key), id),
    );
    const { body: first } = await caller.post(batch, headers);
    const { body: second } = await caller.post(batch, headers);
    const results = (first as { result: object }[]).map(({ result }) => result);
    expect(second).toEqual([
      resultOf({ ...results[0], _meta: REPLAYED }, 0),
      resultOf({ ...results[1], _meta: REPLAYED }, 1),
      resultOf({ content: [text("order 4")] }, 2),
    ]);
    expect(runs()).toBe(4);
  });

  it("is refused as a whole with one in the header", async () => {
    const { tool, runs } = numbered();
    const caller = await openCaller([tool]);
    const batch = [request("tools/call", order("a"), 1)];
    const { status, body } = await caller.post(batch, { ...headers, "idempotency-key": '"a"' });
    expect([status, body, runs()]).toEqual([400, errorOf(-32600, null), 0]);
  });
});

describe("what a key costs", () => {
  it("is nothing where there is none, and two object calls where there is one", async () => {
    const { tool } = numbered();
    const { env, calls } = countingEnv();
    const caller = await openCaller([tool], { API_KEY: env.API_KEY });
    await ask(caller, LEGACY_REVISION, { name: "order" });
    const methods = async (params: Record<string, unknown>) => {
      calls.length = 0;
      await ask(caller, LEGACY_REVISION, params);
      return calls
        .filter(({ binding, method }) => binding === "API_KEY" && method !== "lease")
        .map(({ method }) => method);
    };
    expect(await methods({ name: "order" })).toEqual([]);
    expect(await methods(order("k"))).toEqual(["claimCall", "settleCall"]);
    expect(await methods(order("k"))).toEqual(["claimCall"]);
  });

  it("is a call, whether it runs or not", async () => {
    const { tool } = numbered();
    const gate = openGate([tool]);
    const caller = gate.caller(await gate.mint({ limits: { perMinute: 1, burst: 2 } }));
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await ask(caller, LEGACY_REVISION, order("k"))).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it("never shows: the object knows hashes alone", async () => {
    const { tool } = numbered();
    const { env, calls } = countingEnv();
    const caller = await openCaller([tool], { API_KEY: env.API_KEY });
    await ask(caller, LEGACY_REVISION, order("the-key-itself"));
    const claims = calls.filter(({ method }) => ["claimCall", "settleCall"].includes(method));
    expect(claims).toHaveLength(2);
    expect(JSON.stringify(claims)).not.toMatch(/the-key-itself|soup/);
  });
});

it("tells the audit trail what was only said again, and what was not", async () => {
  const { tool } = counted(() => ({ content: [], isError: true }));
  const caller = await openCaller([tool]);
  await ask(caller, LEGACY_REVISION, order("k"));
  await ask(caller, LEGACY_REVISION, order("k"));
  await ask(caller, LEGACY_REVISION, order("k", { arguments: {} }));
  const rows = (await readAllAudit(caller)).map(({ outcome, replayed }) => [outcome, replayed]);
  expect(rows.toReversed()).toEqual([
    ["tool_error", undefined],
    ["tool_error", true],
    ["not_repeated", undefined],
  ]);
});
