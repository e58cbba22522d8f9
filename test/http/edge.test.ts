// What goes straight to its route and what goes through the app is answered alike.

import { reset } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { errorOf, HOST, openGate, readAnswer, request, resultOf } from "../support/app.ts";

afterEach(() => reset());

const body = JSON.stringify(request("ping"));

async function send(path: string, more: Record<string, string> = {}, bindings = {}) {
  const gate = openGate([], bindings);
  const key = await openGate([]).mint();
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}`, ...more };
  return readAnswer(await gate.fetch(path, { method: "POST", headers, body }));
}

const PONG = { status: 200, body: resultOf({}) };

it.each(["/mcp", "/mcp/", "/mcp?a=b", "/%6dcp", "https://else.example/mcp", "https://gate.example:8443/mcp"])(
  "serves a POST to %s",
  async (path) => {
    expect(await send(path)).toEqual(PONG);
  },
);

it.each(["/mcps", "/mc", "/x/mcp", "/?/mcp", "//mcp", "/MCP"])("has nothing at %s", async (path) => {
  const gate = openGate([]);
  expect((await gate.fetch(HOST + path, { method: "POST", body })).status).toBe(404);
});

const forbidden = (reason: string) => ({ status: 403, body: errorOf(403, null, `Forbidden: ${reason}`) });

it("refuses hosts, origins and loops before a key is looked at", async () => {
  expect(await send("/mcp", {}, { ALLOWED_HOSTS: "gate.example" })).toEqual(PONG);
  expect(await send("/mcp", {}, { ALLOWED_HOSTS: "else.example" })).toEqual(forbidden("this host is not allowed"));
  expect(await send("/mcp", { origin: "https://else.example" })).toEqual(forbidden("this origin is not allowed"));
  expect((await send("/mcp", { "toolgate-hops": "99" })).status).toBe(508);
});

it("makes no subrequest for a warm call", async () => {
  const gate = openGate();
  const caller = gate.caller(await gate.mint());
  const params = { name: "calculate", arguments: { expression: "1 + 1" } };
  await caller.ask("2025-11-25", "tools/call", params);
  const fetcher = vi.spyOn(globalThis, "fetch");
  const { status } = await caller.ask("2025-11-25", "tools/call", params);
  const sent = fetcher.mock.calls.length;
  fetcher.mockRestore();
  expect([status, sent]).toEqual([200, 0]);
});
