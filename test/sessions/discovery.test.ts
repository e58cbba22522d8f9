// A key with discovery on a WebSocket session.

import { reset } from "cloudflare:test";
import { afterEach, expect, it } from "vitest";
import { admin, openTestSession } from "../support/test-socket.ts";

afterEach(() => reset());

it("lists, searches and calls over a socket", async () => {
  const { key } = await admin<{ key: string }>("POST", "/keys", { name: "test", discovery: true });
  const socket = await openTestSession(key);
  const ask = async (id: number, method: string, params: object = {}): Promise<unknown> => {
    socket.send({ jsonrpc: "2.0", id, method, params });
    return socket.next();
  };
  const call = (id: number, name: string, args: object) => ask(id, "tools/call", { name, arguments: args });
  const sum = { expression: "6 * 7" };
  const answers = [
    await ask(1, "tools/list"),
    await call(2, "search_tools", { query: "arithmetic calculation", limit: 1 }),
    await call(3, "call_tool", { name: "calculate", arguments: sum }),
    await call(4, "calculate", sum),
  ];
  const result = { content: [{ type: "text", text: expect.stringContaining("42") }] };
  expect(answers).toMatchObject([
    { id: 1, result: { tools: [{ name: "call_tool" }, { name: "search_tools" }] } },
    { id: 2, result: { structuredContent: { tools: [{ name: "calculate" }] } } },
    { id: 3, result },
    { id: 4, result },
  ]);
});
