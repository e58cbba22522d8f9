import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { COMPLETE, errorOf, MODERN, openCaller, resultOf, type HeaderFields, LIST_TTL } from "../../support/app.ts";

const echo = defineTool({ name: "echo", description: "Echo.", input: v.object({}), run: () => "hi" });

const CALLED = { status: 200, body: resultOf({ ...COMPLETE, content: [{ type: "text", text: "hi" }] }) };
const mismatch = (reason: string) => ({ status: 400, body: errorOf(-32020, 1, `Header mismatch: ${reason}`) });

const BAD_BASE64 = "Mcp-Name is not valid Base64 of UTF-8 inside =?base64?…?=";
const OTHER_NAME = "Mcp-Name does not match the body";

describe("a call's headers", () => {
  it.each<[string, HeaderFields]>([
    ["as they should be", {}],
    ["the name in Base64", { "mcp-name": "=?base64?ZWNobw==?=" }],
    [
      "names in capitals",
      { "mcp-name": undefined, "MCP-NAME": "echo", "mcp-method": undefined, "MCP-METHOD": "tools/call" },
    ],
    ["space around the values", { "mcp-name": "  echo\t", "mcp-method": " tools/call " }],
    ["a parameter that no schema knows", { "mcp-param-region": "eu" }],
  ])("may be: %s", async (_, headers) => {
    const { ask } = await openCaller([echo]);
    expect(await ask(MODERN, "tools/call", { name: "echo" }, headers)).toEqual(CALLED);
  });

  it.each<[HeaderFields, string]>([
    [{ "mcp-protocol-version": undefined }, "MCP-Protocol-Version is missing"],
    [{ "mcp-protocol-version": "" }, "MCP-Protocol-Version does not match the body"],
    [{ "mcp-protocol-version": "2025-11-25" }, "MCP-Protocol-Version does not match the body"],
    [{ "mcp-protocol-version": "2099-01-01" }, "MCP-Protocol-Version does not match the body"],
    [{ "mcp-protocol-version": "=?base64?MjAyNi0wNy0yOA==?=" }, "MCP-Protocol-Version does not match the body"],
    [{ "mcp-method": undefined }, "Mcp-Method is missing"],
    [{ "mcp-method": "" }, "Mcp-Method does not match the body"],
    [{ "mcp-method": "tools/list" }, "Mcp-Method does not match the body"],
    [{ "mcp-method": "Tools/Call" }, "Mcp-Method does not match the body"],
    [{ "mcp-method": "=?base64?dG9vbHMvY2FsbA==?=" }, "Mcp-Method does not match the body"],
    [{ "mcp-name": undefined }, "Mcp-Name is missing"],
    [{ "mcp-name": "" }, OTHER_NAME],
    [{ "mcp-name": "Echo" }, OTHER_NAME],
    [{ "mcp-name": "echo, echo" }, OTHER_NAME],
    [{ "mcp-name": '"echo"' }, OTHER_NAME],
    [{ "mcp-name": "=?base64?b3RoZXI=?=" }, OTHER_NAME],
    [{ "mcp-name": "=?BASE64?ZWNobw==?=" }, OTHER_NAME],
    [{ "mcp-name": "=?base64?ZWNobw==" }, OTHER_NAME],
    [{ "mcp-name": "ZWNobw==" }, OTHER_NAME],
    [{ "mcp-name": "=?base64??=" }, OTHER_NAME],
    [{ "mcp-name": "=?base64?ZWNobw?=" }, BAD_BASE64],
    [{ "mcp-name": "=?base64?ZWNobx==?=" }, BAD_BASE64],
    [{ "mcp-name": "=?base64?ZWNo bw==?=" }, BAD_BASE64],
    [{ "mcp-name": "=?base64?ZWNobw==ZWNobw==?=" }, BAD_BASE64],
    [{ "mcp-name": "=?base64?-_-_?=" }, BAD_BASE64],
    [{ "mcp-name": "=?base64?/w==?=" }, BAD_BASE64],
    [{ "mcp-name": "=?base64?7aCA?=" }, BAD_BASE64],
    [{ "mcp-name": "ech\u00f6" }, "Mcp-Name has characters that a header can't carry: use =?base64?…?="],
    [{ "mcp-method": "tools/c\u00e4ll" }, "Mcp-Method has characters that a header can't carry"],
  ])("must not be %j", async (headers, reason) => {
    const { ask } = await openCaller([echo]);
    expect(await ask(MODERN, "tools/call", { name: "echo" }, headers)).toEqual(mismatch(reason));
  });
});

it("mirrors the name that was asked for, whether or not there is such a tool", async () => {
  const { ask } = await openCaller([echo]);
  const unknown = { status: 200, body: errorOf(-32602, 1, "Unknown tool: 世界") };
  const params = { name: "世界" };
  expect(await ask(MODERN, "tools/call", params, { "mcp-name": "=?base64?5LiW55WM?=" })).toEqual(unknown);
  const nameless = { "mcp-name": "echo" };
  expect(await ask(MODERN, "tools/call", { name: 7 }, { "mcp-name": "7" })).toEqual(mismatch(OTHER_NAME));
  expect(await ask(MODERN, "tools/call", {}, nameless)).toEqual(mismatch(OTHER_NAME));
});

it("needs Mcp-Name for a call alone", async () => {
  const { ask } = await openCaller([]);
  const answer = { ...COMPLETE, tools: [], ttlMs: LIST_TTL, cacheScope: "public" };
  expect(await ask(MODERN, "tools/list")).toEqual({ status: 200, body: resultOf(answer) });
  expect(await ask(MODERN, "tools/list", {}, { "mcp-method": undefined })).toEqual(mismatch("Mcp-Method is missing"));
});

it("checks headers before it looks for the method", async () => {
  const { ask } = await openCaller([]);
  const answer = mismatch("Mcp-Method does not match the body");
  expect(await ask(MODERN, "no/such", {}, { "mcp-method": "tools/list" })).toEqual(answer);
});

it.each(["2024-11-05", "2025-11-25"] as const)("looks at none of them in %s", async (revision) => {
  const { ask } = await openCaller([echo]);
  const headers = { "mcp-method": "x", "mcp-name": "y" };
  const answer = { status: 200, body: resultOf({ content: [{ type: "text", text: "hi" }] }) };
  expect(await ask(revision, "tools/call", { name: "echo" }, headers)).toEqual(answer);
});
