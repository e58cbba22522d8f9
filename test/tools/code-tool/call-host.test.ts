// The side of a call that an isolate reaches, when what comes is not from the harness that we wrote.

import { expect, it, vi } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { createRedactor } from "../../../src/sanitize/secrets.ts";
import { createCallHost } from "../../../src/tools/code-tool/call-host.ts";
import { toolContext } from "../../support/tool-context.ts";

const REFUSED = { refused: true };

function open(given: Parameters<typeof toolContext>[0] = {}) {
  const ctx = toolContext({ reportProgress: vi.fn(), log: vi.fn(), fetch: vi.fn(), ...given });
  const host = createCallHost(ctx, { toolName: "code", hosts: ["api.example.com"], redactor: createRedactor([]) });
  return { ctx, host };
}

it.each<[string, unknown, unknown]>([
  ["an unknown operation", "requireInput", "{}"],
  ["an operation that is no text", { toString: () => "fetch" }, "{}"],
  ["an argument that is no text", "progress", [1]],
  ["no argument", "log", undefined],
  ["what is not JSON", "progress", "[1"],
  ["nesting beyond the limit", "log", `["info",${"[".repeat(LIMITS.jsonDepth)}${"]".repeat(LIMITS.jsonDepth)}]`],
])("refuses %s", async (_, op, text) => {
  const { ctx, host } = open();
  expect(await host.answer(op, text)).toEqual(REFUSED);
  expect([ctx.reportProgress, ctx.log, ctx.fetch].map((way) => vi.mocked(way).mock.calls)).toEqual([[], [], []]);
});

it.each([
  ["that is not JSON", "{"],
  ["without a URL", '{"method":"GET","headers":{}}'],
  [
    "that brings hosts of its own",
    '{"url":"https://evil.example.com/","method":"GET","headers":{},"hosts":["evil.example.com"]}',
  ],
  ["with a method that is none", '{"url":"https://api.example.com/","method":"GET /x HTTP/1.1\\r\\n","headers":{}}'],
  [
    "that is too long",
    JSON.stringify({
      url: "https://api.example.com/",
      method: "GET",
      headers: { a: "x".repeat(LIMITS.notificationChars) },
    }),
  ],
])("sends no request %s", async (_, text) => {
  const { ctx, host } = open();
  expect(await host.answer("fetch", text)).toEqual({
    error: { isToolError: true, message: "fetch: the request can't be read, or its headers are too large." },
  });
  expect(ctx.fetch).not.toHaveBeenCalled();
});

it("counts news that are sent past the harness", async () => {
  const { ctx, host } = open();
  for (let report = 0; report < LIMITS.callNotifications; report++) await host.answer("progress", `[${report}]`);
  expect(await host.answer("progress", "[9999]")).toEqual(REFUSED);
  expect(ctx.reportProgress).toHaveBeenCalledTimes(LIMITS.callNotifications);
});

it("tells a failure that nobody foresaw by reference, and the log its cause", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { host } = open({ fetch: () => Promise.reject(new Error("EGRESS_ALLOW: expected host:port")) });
  const answer = await host.answer("fetch", '{"url":"https://api.example.com/","method":"GET","headers":{}}');
  expect(answer).toEqual({
    error: { isToolError: false, message: expect.stringMatching(/^fetch failed \(ref [a-z2-7]{12}\)$/) },
  });
  expect(String(logged.mock.calls[0]?.[0])).toContain("EGRESS_ALLOW: expected host:port");
  logged.mockRestore();
});

it("says when the call is cut, and that it is over", async () => {
  const controller = new AbortController();
  const { host } = open({ signal: controller.signal });
  const cut = host.answer("cut", "");
  controller.abort();
  expect(await cut).toEqual({ reason: "the call is over" });
  const other = open();
  const over = other.host.answer("cut", "");
  other.host.end();
  expect([await over, await other.host.answer("progress", "[1,null,null]")]).toEqual([
    { reason: "the call is over" },
    REFUSED,
  ]);
});
