import { describe, expect, it } from "vitest";
import { errorOf, LEGACY, META, MODERN, modernHeaders, notification, openCaller, request } from "../../support/app.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";

const SUPPORTED = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const unsupported = (requested: string, id: unknown = 1) => ({
  status: 400,
  body: errorOf(-32022, id, expect.stringContaining(JSON.stringify(requested)), { supported: SUPPORTED, requested }),
});

describe("an unknown MCP-Protocol-Version", () => {
  it.each(["2099-01-01", "2025-06-19", "1.0", "", "2025-11-25, 2025-11-25", "__proto__"])(
    "%j is told what there is",
    async (version) => {
      const { post } = await openCaller();
      const headers = { "mcp-protocol-version": version };
      expect(await post(request("ping"), headers)).toEqual(unsupported(version));
      expect(await post(request("tools/list", {}, "a"), headers)).toEqual(unsupported(version, "a"));
      expect(await post(notification("notifications/initialized"), headers)).toEqual(unsupported(version, null));
      expect(await post([request("ping")], headers)).toEqual(unsupported(version, null));
    },
  );

  it("is refused in a session, too", async () => {
    const { openSession, post } = await openCaller();
    const headers = { "mcp-session-id": await openSession("2025-06-18"), "mcp-protocol-version": "2099-01-01" };
    expect(await post(request("ping"), headers)).toEqual(unsupported("2099-01-01"));
  });
});

describe("the version that _meta declares", () => {
  it.each(["2099-01-01", "", "draft", ...LEGACY])("%j is none of the modern era", async (version) => {
    const { post } = await openCaller();
    const message = request("tools/list", { _meta: { ...META, [VERSION]: version } });
    const headers = { ...modernHeaders("tools/list"), "mcp-protocol-version": version };
    expect(await post(message, headers)).toEqual(unsupported(version));
  });
});

const without = (key: string): object => Object.fromEntries(Object.entries(META).filter(([name]) => name !== key));

describe("_meta", () => {
  it.each<[string, unknown, string]>([
    ["missing", undefined, "_meta must be an object"],
    ["null", null, "_meta must be an object"],
    ["text", "x", "_meta must be an object"],
    ["an array", [META], "_meta must be an object"],
    ["empty", {}, `_meta["${VERSION}"] must be a string`],
    ["without a version", without(VERSION), `_meta["${VERSION}"] must be a string`],
    ["without capabilities", without(CAPABILITIES), `_meta["${CAPABILITIES}"] must be an object`],
    ["with null for capabilities", { ...META, [CAPABILITIES]: null }, `_meta["${CAPABILITIES}"] must be an object`],
    ["with a list of capabilities", { ...META, [CAPABILITIES]: [] }, `_meta["${CAPABILITIES}"] must be an object`],
    [
      "with text for a client",
      { ...META, [CLIENT_INFO]: "x" },
      `_meta["${CLIENT_INFO}"] must be an object when present`,
    ],
  ])("that is %s is −32602", async (_, meta, fault) => {
    const { post } = await openCaller();
    const message = request("tools/list", meta === undefined ? {} : { _meta: meta });
    const answer = { status: 400, body: errorOf(-32602, 1, `Invalid params: ${fault}`) };
    expect(await post(message, modernHeaders("tools/list"))).toEqual(answer);
  });

  it.each([42, null, [MODERN], {}])("with the version %j is refused", async (version) => {
    const { post } = await openCaller();
    const message = request("tools/list", { _meta: { ...META, [VERSION]: version } });
    const answer = { status: 400, body: errorOf(-32602, 1, `Invalid params: _meta["${VERSION}"] must be a string`) };
    expect(await post(message, modernHeaders("tools/list"))).toEqual(answer);
  });
});
