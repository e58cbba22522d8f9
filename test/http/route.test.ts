import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { errorOf, HOST, openCaller, openGate, readAnswer, request, resultOf, unreadStream } from "../support/app.ts";

const worker = (exports as unknown as { default: Fetcher }).default;

const HEALTHY = { status: "ok", name: "toolgate", version: "0.1.0" };

describe("the Worker", () => {
  it("says that it is well", async () => {
    expect(await readAnswer(await worker.fetch(`${HOST}/healthz`))).toEqual({ status: 200, body: HEALTHY });
  });

  it("opens to nobody without a key", async () => {
    const response = await worker.fetch(`${HOST}/mcp`, { method: "POST" });
    expect(await readAnswer(response)).toEqual({ status: 401, body: errorOf(401, null) });
  });
});

it("is not well without its signing secret", async () => {
  const answer = await readAnswer(await openGate([], { SIGNING_SECRET: "" }).fetch("/healthz"));
  expect(answer).toEqual({ status: 503, body: { ...HEALTHY, status: "misconfigured" } });
});

it("tells by reference alone what goes wrong inside", async () => {
  const key = await openGate().mint();
  const response = await openGate([], { SIGNING_SECRET: "" }).caller(key).send(request("ping"));
  expect([response.status, await response.text()]).toEqual([
    500,
    expect.stringMatching(/^Internal error \(ref [a-z2-7]{12}\)\n$/),
  ]);
});

describe("OAuth is off", () => {
  it.each([
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/mcp",
    "/mcp/.well-known/openid-configuration",
  ])("%s is 404", async (path) => {
    expect((await openGate([]).fetch(path)).status).toBe(404);
  });

  it.each(["/register", "/register/"])("POST %s says so", async (path) => {
    const response = await openGate([]).fetch(path, { method: "POST", body: unreadStream() });
    expect(await readAnswer(response)).toEqual({
      status: 400,
      body: {
        error: "invalid_request",
        error_description:
          "This server does not use OAuth. Send your API key as `Authorization: Bearer <key>` or `X-API-Key: <key>`.",
      },
    });
  });
});

describe("the endpoint", () => {
  it.each(["/mcp", "/mcp/"])("POST %s is served where it is asked for", async (path) => {
    const { fetch, key } = await openCaller();
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(request("ping")) });
    expect(await readAnswer(response)).toEqual({ status: 200, body: resultOf({}) });
  });

  const NO_STREAM =
    "Method not allowed: GET opens a session's stream: it needs the Mcp-Session-Id that initialize, sent by POST, was " +
    "answered with. Revision 2026-07-28 has no sessions: send subscriptions/listen by POST";
  const NO_END =
    "Method not allowed: DELETE ends a session: it needs its Mcp-Session-Id. Revision 2026-07-28 has no sessions";

  it.each([
    ["GET", "/mcp", {}, NO_STREAM],
    ["GET", "/mcp/", { accept: "text/event-stream" }, NO_STREAM],
    ["GET", "/mcp", { "mcp-session-id": "x", "mcp-protocol-version": "2026-07-28" }, NO_STREAM],
    ["DELETE", "/mcp", {}, NO_END],
  ])(
    "%s %s with %j tells of the session that it needs",
    async (method, path, more: Record<string, string>, message) => {
      const { fetch, key } = await openCaller();
      const response = await fetch(path, { method, headers: { "x-api-key": key, ...more } });
      const { headers } = response;
      expect([headers.get("allow"), headers.get("content-type"), await readAnswer(response)]).toEqual([
        "POST, GET, DELETE",
        "application/json",
        { status: 405, body: errorOf(405, null, message) },
      ]);
    },
  );

  it.each([
    ["HEAD", "/mcp"],
    ["PUT", "/mcp"],
    ["PATCH", "/mcp/"],
  ])("%s %s is not a method of its", async (method, path) => {
    const { fetch, key } = await openCaller();
    const response = await fetch(path, { method, headers: { "x-api-key": key, accept: "text/event-stream" } });
    const { status, headers } = response;
    expect([status, headers.get("allow"), await response.text()]).toEqual([405, "POST, GET, DELETE", ""]);
  });

  it("GET with a URL key is 405, too", async () => {
    const gate = openGate();
    const response = await gate.fetch(`/k/${await gate.mint({ urlKey: true })}/mcp`);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, GET, DELETE"]);
  });

  it("GET without a key is 401", async () => {
    const answer = { status: 401, body: errorOf(401, null) };
    expect(await readAnswer(await openGate().fetch("/mcp"))).toEqual(answer);
    expect(await readAnswer(await openGate().fetch("/k/x/mcp"))).toEqual(answer);
  });

  it.each(["/mcp/x", "/MCP", "//mcp", "/k/mcp", "/nowhere", "/admin", "/admin/v2/keys"])(
    "%s is not it",
    async (path) => {
      const response = await openGate().fetch(HOST + path, { method: "POST", body: "{}" });
      expect(response.status).toBe(404);
    },
  );
});

it.each(["/", "/healthz", "/healthz/"])("GET %s is there and is no redirect", async (path) => {
  expect((await openGate([]).fetch(path)).status).toBe(200);
});

it("names no tool to those without a key", async () => {
  expect(await (await openGate().fetch("/")).text()).not.toMatch(/calculate|qr_code/);
});
