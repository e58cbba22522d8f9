// Tools of other MCP servers, of both eras and made with the official SDKs, over real sockets.

import { afterAll, describe, expect, test, vi } from "vitest";
import { prepareMachine, startDevProcess } from "./support/dev-process.ts";
import { openListener } from "./support/listeners.ts";
import { openHttpSession, post, request } from "./support/rpc.ts";
import { openSession } from "./support/socket.ts";
import { startLegacyServer, startModernServer } from "./support/upstream-servers.ts";

const TOKEN = "t0ken-of-this-test";
const [legacy, modern] = [await startLegacyServer(), await startModernServer()];
const server = await startDevProcess(
  await prepareMachine({ vars: { EGRESS_ALLOW: `${legacy.host} ${modern.host}` }, atEnd: afterAll }),
);
await server.admin("PUT", "/secrets/UPSTREAM_TOKEN", { value: TOKEN });
const headers = { authorization: "Bearer {{secret:UPSTREAM_TOKEN}}" };
await server.admin("PUT", "/upstreams/old", { url: legacy.url, headers });
await server.admin("PUT", "/upstreams/new", { url: modern.url, headers });
const { key } = await server.mintKey({ limits: { perMinute: 6_000 } });
const session = await openHttpSession(server.endpoint(), key);

const call = async (name: string, args: object = {}) =>
  (await post(server.endpoint(), key, request("tools/call", { name, arguments: args }), session)).body.result;
const text = (value: string) => ({ content: [{ type: "text", text: value }] });

const progress = (step: number) => ({ progressToken: "p", progress: step, total: 3, message: `step ${step}` });

describe.each([
  { name: "old", upstream: legacy, revision: "2025-11-25" },
  { name: "new", upstream: modern, revision: "2026-07-28" },
])("an upstream of revision $revision", ({ name, upstream, revision }) => {
  test("has its tools served, all pages of them, but for those that can't be", async () => {
    const names = (await server.toolNames()).filter((tool) => tool.startsWith(`${name}_`));
    expect(names).toEqual([
      `${name}_echo`,
      expect.stringMatching(/^\w+_n_me_with_spaces_[0-9a-f]{6}$/),
      `${name}_steps`,
      `${name}_wait`,
    ]);
    const { body } = await server.admin("GET", `/upstreams/${name}`);
    expect(body).toMatchObject({
      name,
      headers,
      enabled: true,
      status: {
        state: "ok",
        revision,
        tools: 4,
        skipped: [
          { tool: "hidden", reason: expect.stringMatching(/^\/description: Characters that nobody sees/) },
          { tool: "strange", reason: expect.stringMatching(/^inputSchema.*\$dynamicRef/) },
        ],
      },
    });
  });

  test("is called with its own credentials, which don't come back, and never with the caller's key", async () => {
    expect(await call(`${name}_echo`, { label: "hello" })).toEqual(text("hello, Bearer [redacted]"));
    expect(upstream.arrived.at(-1)).toMatchObject({ authorization: `Bearer ${TOKEN}`, "toolgate-hops": "1" });
    expect(JSON.stringify(upstream.arrived)).not.toContain(key);
  });

  test("is not asked when the arguments are wrong", async () => {
    const before = upstream.arrived.length;
    const refused = { isError: true, content: [{ type: "text", text: expect.stringMatching(/label \(required\)/) }] };
    expect(await call(`${name}_echo`)).toEqual(refused);
    expect(upstream.arrived.length).toBe(before);
  });

  test("is called again when it has forgotten its sessions", async () => {
    upstream.forgetSessions();
    expect(await call(`${name}_steps`)).toEqual(text("Three steps."));
  });

  test("reports progress while it works, and is told when its call is cancelled", async () => {
    const socket = await openSession(server.socketEndpoint(), { headers: { authorization: `Bearer ${key}` } });
    socket.send(request("tools/call", { name: `${name}_steps`, arguments: {}, _meta: { progressToken: "p" } }, 7));
    await socket.until("answer", (all) => all.find(({ id }) => id === 7));
    const news = socket.received.filter(({ method }) => method === "notifications/progress");
    expect(news.map(({ params }) => params)).toEqual([progress(1), progress(2), progress(3)]);

    const params = { name: `${name}_wait`, arguments: { label: name }, _meta: { progressToken: "w" } };
    socket.send(request("tools/call", params, 8));
    await socket.until("progress of wait", (all) => all.find((it) => it.params?.["progressToken"] === "w"));
    socket.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 8 } });
    await vi.waitFor(() => expect(upstream.cancelled).toEqual([name]), { timeout: 10_000, interval: 50 });
    socket.close();
  });

  test("that has a new tool is heard of, once it is listed again", async () => {
    const listener = await openListener("WebSocket", server);
    const tool = { name: "later", description: "Came later.", inputSchema: { type: "object" as const, b: 1, a: 1.0 } };
    upstream.tools.unshift(tool);
    const { status, body } = await server.admin("POST", `/upstreams/${name}/refresh`);
    expect([status, body["status"]]).toEqual([200, expect.objectContaining({ state: "ok", tools: 5 })]);
    await listener.hear(1);
    expect(await listener.list()).toContain(`${name}_later`);
    expect(await call(`${name}_later`)).toEqual(text("This is later."));
  });

  test("that has a tool no more is heard of as well", async () => {
    const listener = await openListener("WebSocket", server);
    upstream.tools.splice(0, 1);
    await server.admin("POST", `/upstreams/${name}/refresh`);
    await listener.hear(1);
    expect(await listener.list()).not.toContain(`${name}_later`);
  });
});

test("an upstream that can't be reached is shown as failing, and takes nothing else with it", async () => {
  legacy.close();
  const { status, body } = await server.admin("POST", "/upstreams/old/refresh");
  expect([status, body["status"]]).toEqual([
    200,
    expect.objectContaining({ state: "failing", reason: "Upstream old can't be reached.", tools: 4 }),
  ]);
  expect(await call("old_steps")).toEqual({
    content: [{ type: "text", text: "Upstream old can't be reached." }],
    isError: true,
  });
  expect(await call("new_steps")).toEqual(text("Three steps."));
  await server.admin("DELETE", "/upstreams/old");
  expect((await server.toolNames()).filter((name) => name.startsWith("old_"))).toEqual([]);
});
