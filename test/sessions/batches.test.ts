// Batches on a WebSocket session of 2025-03-26: what each message is taken for.

import { reset, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, expect, it } from "vitest";
import { registryStub } from "../../src/env.ts";
import { testEnv } from "../support/counting-env.ts";
import { admin, openTestSession } from "../support/test-socket.ts";

afterEach(() => reset());

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const listen = (id: string, more: object = { _meta: META }) => ({
  jsonrpc: "2.0",
  id,
  method: "subscriptions/listen",
  params: { ...more, notifications: { toolsListChanged: true } },
});
const unknown = (id: string) => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32601, message: "Method not found: subscriptions/listen" },
});
const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };

it("is its session's with all that it holds, whatever that declares, and so subscribes nobody", async () => {
  const { key } = await admin<{ key: string }>("POST", "/keys", { name: "test" });
  const socket = await openTestSession(key, "2025-03-26");
  socket.send([listen("a"), listen("b", {}), { jsonrpc: "2.0", id: "c", method: "ping" }]);
  expect(await socket.next()).toEqual([unknown("a"), unknown("b"), { jsonrpc: "2.0", id: "c", result: {} }]);
  socket.send(listen("b", {}));
  expect(await socket.next()).toEqual(unknown("b"));
  socket.send(listen("d"));
  expect(await socket.next()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
  await admin("PATCH", "/tools/tone", { enabled: false });
  await runDurableObjectAlarm(registryStub(testEnv) as unknown as DurableObjectStub);
  const changed = { ...CHANGED, params: { _meta: { "io.modelcontextprotocol/subscriptionId": "d" } } };
  expect([await socket.next(), await socket.next()]).toEqual([changed, CHANGED]);
});
