// MCP 2026-07-28, basic/transports/streamable-http, "Custom Headers from Tool Parameters".

import { describe, expect, it } from "vitest";
import { text } from "../../../src/tools/content.ts";
import type { Tool } from "../../../src/tools/define-tool.ts";
import { COMPLETE, errorOf, MODERN, openCaller, resultOf, type HeaderFields } from "../../support/app.ts";

const mirrored = (type: string, name: string) => ({ type, "x-mcp-header": name });

/** Takes any arguments, so that what refuses them is the check of headers alone. */
const route: Tool = {
  name: "route",
  definition: {
    name: "route",
    description: "Mirrors its parameters.",
    inputSchema: {
      type: "object",
      properties: {
        region: mirrored("string", "Region"),
        count: mirrored("integer", "Count"),
        dry: mirrored("boolean", "Dry"),
        toString: mirrored("string", "Text"),
        place: { type: "object", properties: { zone: mirrored("string", "Zone") } },
        stops: { type: "array", items: { type: "object", properties: { name: mirrored("string", "Stop") } } },
        plain: { type: "string" },
      },
    },
  },
  timeoutMs: 1_000,
  validateInput: (value) => ({ ok: true, value }),
  run: async () => ({ content: [text("routed")] }),
};

const ROUTED = { status: 200, body: resultOf({ ...COMPLETE, content: [{ type: "text", text: "routed" }] }) };

/** The headers `Mcp-Param-…` with these names. */
const paramHeaders = (fields: HeaderFields): HeaderFields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`mcp-param-${name}`, value]));

async function call(args: object | undefined, fields: HeaderFields) {
  const { ask } = await openCaller([route]);
  const params = { name: "route", ...(args && { arguments: args }) };
  return ask(MODERN, "tools/call", params, paramHeaders(fields));
}

describe("arguments and headers agree", () => {
  it.each<[object | undefined, HeaderFields]>([
    [undefined, {}],
    [{}, {}],
    [{ plain: "x" }, { plain: "y" }],
    [{ region: "us-west1" }, { region: "us-west1" }],
    [{ region: "us-west1" }, { REGION: "us-west1" }],
    [{ region: "" }, { region: "" }],
    [{ region: "42" }, { region: "42" }],
    [{ region: "Hello, 世界" }, { region: "=?base64?SGVsbG8sIOS4lueVjA==?=" }],
    [{ region: " padded " }, { region: "=?base64?IHBhZGRlZCA=?=" }],
    [{ region: "line1\nline2" }, { region: "=?base64?bGluZTEKbGluZTI=?=" }],
    [{ region: "=?base64?literal?=" }, { region: "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=" }],
    [{ region: "\ufeffbom" }, { region: "=?base64?77u/Ym9t?=" }],
    [{ region: "plain" }, { region: "=?base64?cGxhaW4=?=" }],
    [{ region: null }, {}],
    [{ count: 42 }, { count: "42" }],
    [{ count: 42 }, { count: "42.0" }],
    [{ count: 42 }, { count: "=?base64?NDI=?=" }],
    [{ count: -7 }, { count: "-7" }],
    [{ count: 0 }, { count: "0" }],
    [{ count: 9_007_199_254_740_991 }, { count: "9007199254740991" }],
    [{ dry: true }, { dry: "true" }],
    [{ dry: false }, { dry: "false" }],
    [{ place: { zone: "a" } }, { zone: "a" }],
    [{ place: {} }, {}],
    [{ place: null }, {}],
    [{ place: "text" }, {}],
    [{ place: [{ zone: "a" }] }, {}],
    [{ stops: [{ name: "a" }] }, {}],
    [{ stops: [{ name: "a" }] }, { stop: "b" }],
    [
      { region: "eu", count: 1, dry: true, place: { zone: "a" } },
      { region: "eu", count: "1", dry: "true", zone: "a" },
    ],
  ])("%j with %j", async (args, headers) => {
    expect(await call(args, headers)).toEqual(ROUTED);
  });
});

const MISSING = "is missing";
const DIFFERENT = "does not match the body";
const ALONE = "is present, but the argument is not";
const BAD_BASE64 = "is not valid Base64 of UTF-8 inside =?base64?…?=";

describe("arguments and headers disagree", () => {
  it.each<[object | undefined, HeaderFields, string]>([
    [{ region: "eu" }, {}, `Mcp-Param-Region ${MISSING}`],
    [{ region: "" }, {}, `Mcp-Param-Region ${MISSING}`],
    [{ region: "eu" }, { region: "us" }, `Mcp-Param-Region ${DIFFERENT}`],
    [{ region: "eu" }, { region: "EU" }, `Mcp-Param-Region ${DIFFERENT}`],
    [{ region: "eu" }, { region: "" }, `Mcp-Param-Region ${DIFFERENT}`],
    [{ region: "eu" }, { region: "eu, us" }, `Mcp-Param-Region ${DIFFERENT}`],
    [undefined, { region: "eu" }, `Mcp-Param-Region ${ALONE}`],
    [{}, { region: "" }, `Mcp-Param-Region ${ALONE}`],
    [{ region: null }, { region: "null" }, `Mcp-Param-Region ${ALONE}`],
    [{ region: "=?base64?literal?=" }, { region: "=?base64?literal?=" }, `Mcp-Param-Region ${BAD_BASE64}`],
    [{ region: "eu" }, { region: "=?base64?ZXU?=" }, `Mcp-Param-Region ${BAD_BASE64}`],
    [{ region: "é" }, { region: "é" }, "Mcp-Param-Region has characters that a header can't carry: use =?base64?…?="],
    [{ count: 42 }, {}, `Mcp-Param-Count ${MISSING}`],
    [{ count: 42 }, { count: "43" }, `Mcp-Param-Count ${DIFFERENT}`],
    [{ count: 42 }, { count: "forty-two" }, `Mcp-Param-Count ${DIFFERENT}`],
    [{ count: 0 }, { count: "" }, `Mcp-Param-Count ${DIFFERENT}`],
    [{ count: 0 }, { count: "=?base64?IA==?=" }, `Mcp-Param-Count ${DIFFERENT}`],
    [{ count: 9_007_199_254_740_991 }, { count: "9007199254740990" }, `Mcp-Param-Count ${DIFFERENT}`],
    [{ dry: true }, {}, `Mcp-Param-Dry ${MISSING}`],
    [{ dry: true }, { dry: "True" }, `Mcp-Param-Dry ${DIFFERENT}`],
    [{ dry: true }, { dry: "1" }, `Mcp-Param-Dry ${DIFFERENT}`],
    [{ dry: false }, { dry: "" }, `Mcp-Param-Dry ${DIFFERENT}`],
    [{ place: { zone: "a" } }, {}, `Mcp-Param-Zone ${MISSING}`],
    [{ place: { zone: "a" } }, { zone: "b" }, `Mcp-Param-Zone ${DIFFERENT}`],
    [{}, { zone: "a" }, `Mcp-Param-Zone ${ALONE}`],
    [{ place: "text" }, { zone: "a" }, `Mcp-Param-Zone ${ALONE}`],
    [{}, { text: "function toString() { [native code] }" }, `Mcp-Param-Text ${ALONE}`],
  ])("%j with %j", async (args, headers, reason) => {
    expect(await call(args, headers)).toEqual({ status: 400, body: errorOf(-32020, 1, `Header mismatch: ${reason}`) });
  });

  // The value is the decimal representation: what reads it elsewhere knows no other notation.
  it.each(["0x2a", "0b101010", "0o52"])("42 with %j, which is no decimal number", async (count) => {
    const answer = { status: 400, body: errorOf(-32020, 1, `Header mismatch: Mcp-Param-Count ${DIFFERENT}`) };
    expect(await call({ count: 42 }, { count })).toEqual(answer);
  });
});

it("checks none of it in the legacy era", async () => {
  const { ask } = await openCaller([route]);
  const answer = { status: 200, body: resultOf({ content: [{ type: "text", text: "routed" }] }) };
  const params = { name: "route", arguments: { region: "eu" } };
  expect(await ask("2025-11-25", "tools/call", params, { "mcp-param-region": "us" })).toEqual(answer);
});
