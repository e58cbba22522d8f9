// JSON-RPC batches: 2025-03-26, basic, "Batching". No other revision has them.

import * as v from "valibot";
import { beforeEach, expect, it } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import {
  errorOf,
  META,
  modernHeaders,
  notification,
  openCaller,
  openGate,
  request,
  resultOf,
} from "../../support/app.ts";

let calls = 0;

beforeEach(() => {
  calls = 0;
});
/** Answers late calls first. */
const turn = defineTool({
  name: "turn",
  description: "Waits as many turns as it is told.",
  input: v.object({ turns: v.number() }),
  run: async ({ turns }) => {
    calls++;
    for (let left = turns; left > 0; left--) await Promise.resolve();
    return `after ${turns}`;
  },
});

const call = (id: unknown, turns: number) => request("tools/call", { name: "turn", arguments: { turns } }, id);
const called = (id: unknown, turns: number) => resultOf({ content: [{ type: "text", text: `after ${turns}` }] }, id);
const refused = (reason: string) => ({ status: 400, body: errorOf(-32600, null, `Invalid request: ${reason}`) });

it("answers each request in the order of the batch, and no notification", async () => {
  const { post } = await openCaller([turn]);
  const batch = [
    call("slow", 50),
    notification("notifications/initialized"),
    1,
    call(2, 0),
    { jsonrpc: "2.0", id: 3, result: {} },
    request("no/such", {}, 4),
    { jsonrpc: "2.0", id: 5, method: 6 },
    request("ping", {}, "slow"),
  ];
  expect(await post(batch)).toEqual({
    status: 200,
    body: [
      called("slow", 50),
      errorOf(-32600, null),
      called(2, 0),
      errorOf(-32601, 4, "Method not found: no/such"),
      errorOf(-32600, 5),
      resultOf({}, "slow"),
    ],
  });
});

it("answers a batch of one as an array", async () => {
  const { ask: _, openSession, post } = await openCaller([turn]);
  const headers = { "mcp-session-id": await openSession("2025-03-26") };
  expect(await post([call(1, 0)], headers)).toEqual({ status: 200, body: [called(1, 0)] });
  expect(await post([1], headers)).toEqual({ status: 200, body: [errorOf(-32600, null)] });
  expect(await post([[]], headers)).toEqual({ status: 200, body: [errorOf(-32600, null)] });
});

it("accepts notifications and responses alone with no body", async () => {
  const { post } = await openCaller([turn]);
  const batch = [notification("notifications/initialized"), { jsonrpc: "2.0", id: 1, result: {} }];
  expect(await post(batch)).toEqual({ status: 202, body: null });
});

it("refuses an empty one", async () => {
  const { post } = await openCaller([turn]);
  expect(await post([])).toEqual(refused("a batch must not be empty"));
});

it("refuses one with a handshake in it, and runs nothing of it", async () => {
  const { send } = await openCaller([turn]);
  const response = await send([call(1, 0), request("initialize", { protocolVersion: "2025-03-26" }, 2)]);
  const { status, headers } = response;
  expect({ status, body: await response.json() }).toEqual(refused("initialize must not be part of a batch"));
  expect([headers.has("mcp-session-id"), calls]).toEqual([false, 0]);
});

it("takes as many as the limit says and refuses one more, with nothing run", async () => {
  const { post } = await openCaller([turn]);
  const batch = Array.from({ length: LIMITS.batchItems }, (_, id) => call(id, 0));
  expect(await post(batch)).toEqual({ status: 200, body: batch.map(({ id }) => called(id, 0)) });
  calls = 0;
  expect(await post([...batch, call("more", 0)])).toEqual(refused("a batch holds at most 20 messages"));
  expect(calls).toBe(0);
});

it.each(["2024-11-05", "2025-06-18", "2025-11-25"] as const)("is refused in %s, with nothing run", async (revision) => {
  const { openSession, post } = await openCaller([turn]);
  const answer = refused("batches are part of revision 2025-03-26 only");
  const session = { "mcp-session-id": await openSession(revision) };
  for (const batch of [[call(1, 0)], [], [1], [notification("notifications/initialized")]]) {
    expect(await post(batch, session)).toEqual(answer);
    expect(await post(batch, { "mcp-protocol-version": revision })).toEqual(answer);
  }
  expect(calls).toBe(0);
});

it("is refused in 2026-07-28, with nothing run", async () => {
  const { post } = await openCaller([turn]);
  const params = { name: "turn", arguments: { turns: 0 }, _meta: META };
  const answer = refused("batches are part of revision 2025-03-26 only");
  expect(await post([request("tools/call", params)], modernHeaders("tools/call", params))).toEqual(answer);
  expect(calls).toBe(0);
});

it("pays for each call of its own", async () => {
  const gate = openGate([turn]);
  const { post } = gate.caller(await gate.mint({ limits: { perMinute: 1, burst: 3 } }));
  const { status, body } = await post(Array.from({ length: 5 }, (_, id) => call(id, 0)));
  const codes = (body as { error?: { code: number } }[]).map(({ error }) => error?.code ?? 0);
  expect([status, codes.toSorted()]).toEqual([200, [0, 0, 0, 429, 429]]);
  expect(calls).toBe(3);
});

// 2025-03-26, basic/transports, "Sending Messages to the Server", 4: 202, or an error as the status of the whole.
it("never answers notifications one by one, even where they are too many", async () => {
  const { post } = await openCaller([turn]);
  const batch = Array.from({ length: LIMITS.batchItems }, () => notification("notifications/initialized"));
  const answers = [];
  for (let sent = 0; sent <= LIMITS.controlBurst; sent += batch.length) answers.push(await post(batch));
  expect(answers.filter(({ status, body }) => status < 400 && body !== null)).toEqual([]);
});
