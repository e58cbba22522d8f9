import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { defineTool } from "../../../src/tools/define-tool.ts";
import {
  COMPLETE,
  errorOf,
  LEGACY,
  META,
  MODERN,
  modernHeaders,
  notification,
  openCaller,
  LIST_TTL,
  DISCOVER_TTL,
} from "../../support/app.ts";
import { request, resultOf, type HeaderFields, type RevisionName } from "../../support/app.ts";

const echo = defineTool({
  name: "echo",
  description: "Says it again.",
  input: v.strictObject({ text: v.string() }),
  run: ({ text }) => text,
});

const ECHO = {
  name: "echo",
  description: "Says it again.",
  inputSchema: {
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
  },
};

const CALL = { name: "echo", arguments: { text: "hi" } };
const CONTENT = [{ type: "text", text: "hi" }];
const NOT_FOUND = (method: string) => errorOf(-32601, 1, `Method not found: ${method}`);

const LEGACY_ANSWERS: [string, object, unknown][] = [
  ["ping", {}, resultOf({})],
  ["ping", { _meta: { progressToken: 7 } }, resultOf({})],
  ["tools/list", {}, resultOf({ tools: [ECHO] })],
  ["tools/call", CALL, resultOf({ content: CONTENT })],
  ["server/discover", {}, NOT_FOUND("server/discover")],
  ["subscriptions/listen", {}, NOT_FOUND("subscriptions/listen")],
  ["prompts/list", {}, NOT_FOUND("prompts/list")],
  ["Tools/List", {}, NOT_FOUND("Tools/List")],
  ["constructor", {}, NOT_FOUND("constructor")],
  ["__proto__", {}, NOT_FOUND("__proto__")],
  ["", {}, NOT_FOUND("")],
];

/** Clients name the revision in a header from 2025-06-18 on. */
const sessionHeaders = (revision: RevisionName, sessionId: string): HeaderFields => ({
  "mcp-session-id": sessionId,
  ...(revision >= "2025-06-18" && { "mcp-protocol-version": revision }),
});

describe.each(LEGACY)("%s", (revision) => {
  it.each(LEGACY_ANSWERS)("answers %s %j without a session", async (method, params, body) => {
    const { ask } = await openCaller([echo]);
    expect(await ask(revision, method, params)).toEqual({ status: 200, body });
  });

  it.each(LEGACY_ANSWERS)("answers %s %j in a session", async (method, params, body) => {
    const { openSession, post } = await openCaller([echo]);
    const headers = sessionHeaders(revision, await openSession(revision));
    expect(await post(request(method, params), headers)).toEqual({ status: 200, body });
  });

  it.each([
    notification("notifications/initialized"),
    notification("notifications/cancelled", { requestId: 1 }),
    notification("notifications/nobody/knows"),
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 9, result: {} },
    { jsonrpc: "2.0", id: "9", error: { code: -1, message: "no" } },
  ])("accepts %j with no body", async (message) => {
    const { openSession, post } = await openCaller([echo]);
    const headers = sessionHeaders(revision, await openSession(revision));
    expect(await post(message, headers)).toEqual({ status: 202, body: null });
    expect(await post(message, { "mcp-protocol-version": revision })).toEqual({ status: 202, body: null });
  });
});

describe("2026-07-28", () => {
  it.each([
    [
      "server/discover",
      {},
      200,
      resultOf({
        ...COMPLETE,
        supportedVersions: [MODERN, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
        capabilities: { tools: { listChanged: true }, logging: {} },
        ttlMs: DISCOVER_TTL,
        cacheScope: "public",
      }),
    ],
    ["tools/list", {}, 200, resultOf({ ...COMPLETE, tools: [ECHO], ttlMs: LIST_TTL, cacheScope: "public" })],
    ["tools/call", CALL, 200, resultOf({ ...COMPLETE, content: CONTENT })],
    ["ping", {}, 404, NOT_FOUND("ping")],
    ["initialize", { protocolVersion: MODERN }, 404, NOT_FOUND("initialize")],
    ["prompts/list", {}, 404, NOT_FOUND("prompts/list")],
    ["constructor", {}, 404, NOT_FOUND("constructor")],
  ])("answers %s %j with %i", async (method, params, status, body) => {
    const { ask } = await openCaller([echo]);
    expect(await ask(MODERN, method, params)).toEqual({ status, body });
  });

  it("takes a client that does not say who it is", async () => {
    const { "io.modelcontextprotocol/clientInfo": _, ...anonymous } = META;
    const { post } = await openCaller([echo]);
    const message = request("tools/call", { ...CALL, _meta: anonymous });
    const answer = { status: 200, body: resultOf({ ...COMPLETE, content: CONTENT }) };
    expect(await post(message, modernHeaders("tools/call", CALL))).toEqual(answer);
  });

  it.each([
    ["Mcp-Method", { "mcp-protocol-version": MODERN, "mcp-method": "notifications/cancelled" }],
    ["no Mcp-Method", { "mcp-protocol-version": MODERN }],
  ])("accepts a notification with %s", async (_, headers) => {
    const { post } = await openCaller([echo]);
    const message = notification("notifications/cancelled", { requestId: 1, _meta: META });
    expect(await post(message, headers)).toEqual({ status: 202, body: null });
  });

  it("refuses a response, which its clients must not send", async () => {
    const { post } = await openCaller([echo]);
    const answer = { status: 400, body: errorOf(-32600, null) };
    expect(await post({ jsonrpc: "2.0", id: 9, result: {} }, { "mcp-protocol-version": MODERN })).toEqual(answer);
  });
});

it("takes a request that names no revision for 2025-03-26", async () => {
  const { post } = await openCaller([echo]);
  expect(await post([request("ping")])).toEqual({ status: 200, body: [resultOf({})] });
});
