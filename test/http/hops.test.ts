// A tool that reaches this server by a name that the server does not know of must not call it for ever.

import { expect, test, vi } from "vitest";
import * as v from "valibot";
import { defineTool } from "../../src/tools/define-tool.ts";
import { errorOf, openCaller, readAnswer, request } from "../support/app.ts";

const echo = defineTool({ name: "echo", description: "Echoes.", input: v.object({}), run: () => "here" });
const CALL = request("tools/call", { name: "echo" });

test.each([undefined, "0", "1", "nonsense", ""])("a request that says toolgate-hops: %j is served", async (hops) => {
  const { post } = await openCaller([echo]);
  expect((await post(CALL, { "toolgate-hops": hops })).status).toBe(200);
});

test.each(["2", "3", "99999999999999999999"])("a request that says toolgate-hops: %j is a loop", async (hops) => {
  const { post, fetch } = await openCaller([echo]);
  const loop = errorOf(508, null, "Loop detected: at most 1 tool may call this server for another");
  expect(await post(CALL, { "toolgate-hops": hops })).toEqual({ status: 508, body: loop });
  expect(await readAnswer(await fetch("/sse", { headers: { "toolgate-hops": hops } }))).toEqual({
    status: 508,
    body: loop,
  });
});

test("a tool's requests say one more than the call that it runs for", async () => {
  const fetching = defineTool({
    name: "fetching",
    description: "Fetches.",
    input: v.object({}),
    run: async (_, ctx) => String((await ctx.fetch("https://example.com/")).status),
  });
  const { post } = await openCaller([fetching]);
  const fetcher = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(null, { status: 204 }));
  for (const hops of [undefined, "1"])
    await post(request("tools/call", { name: "fetching" }), { "toolgate-hops": hops });
  const told = fetcher.mock.calls.map(([, init]) => new Headers(init?.headers).get("toolgate-hops"));
  fetcher.mockRestore();
  expect(told).toEqual(["1", "2"]);
});
