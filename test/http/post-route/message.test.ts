import { describe, expect, it } from "vitest";
import { errorOf, META, MODERN, modernHeaders, openCaller, openGate, request, resultOf } from "../../support/app.ts";

const refused = (reason: string, id: unknown = null) => ({
  status: 400,
  body: errorOf(-32600, id, `Invalid request: ${reason}`),
});

describe("an id comes back as it was", () => {
  it.each([
    ["0", 0],
    ["-1", -1],
    ["1e3", 1000],
    ["9007199254740991", 9_007_199_254_740_991],
    ["-9007199254740991", -9_007_199_254_740_991],
    ['""', ""],
    ['"0"', "0"],
    ['"null"', "null"],
    [String.raw`"\u0000\ud83d\ude42\ud800"`, "\0🙂\ud800"],
    [`"${"i".repeat(256)}"`, "i".repeat(256)],
  ])("%.40s", async (text, id) => {
    const { post } = await openCaller();
    expect(await post(`{"jsonrpc":"2.0","id":${text},"method":"ping"}`)).toEqual({
      status: 200,
      body: resultOf({}, id),
    });
    const unknown = { status: 200, body: errorOf(-32601, id) };
    expect(await post(`{"jsonrpc":"2.0","id":${text},"method":"no/such"}`)).toEqual(unknown);
  });
});

describe("an id must be an integer or short text", () => {
  it.each(["null", "1.5", "9007199254740992", "1e300", "1e999", "true", "[1]", "{}", `"${"i".repeat(257)}"`])(
    "%.40s",
    async (text) => {
      const { post } = await openCaller();
      const answer = refused('"id" must be an integer or a string of at most 256 characters');
      expect(await post(`{"jsonrpc":"2.0","id":${text},"method":"ping"}`)).toEqual(answer);
    },
  );
});

describe("a message that is none", () => {
  const NO_OBJECT = "a message must be a JSON object";
  const NO_VERSION = '"jsonrpc" must be "2.0"';
  const NO_METHOD = 'a message needs a "method", or an "id" with a "result" or an "error"';
  const BAD_METHOD = '"method" must be a string of at most 256 characters';
  const BAD_PARAMS = '"params" must be an object';

  it.each<[unknown, string, unknown]>([
    ["1", NO_OBJECT, null],
    ["null", NO_OBJECT, null],
    ['"ping"', NO_OBJECT, null],
    ["true", NO_OBJECT, null],
    [{}, NO_VERSION, null],
    [{ id: 1, method: "ping" }, NO_VERSION, 1],
    [{ jsonrpc: "1.0", id: "a", method: "ping" }, NO_VERSION, "a"],
    [{ jsonrpc: 2, id: 1, method: "ping" }, NO_VERSION, 1],
    [{ jsonrpc: "2.0" }, NO_METHOD, null],
    [{ jsonrpc: "2.0", id: 1 }, NO_METHOD, 1],
    [{ jsonrpc: "2.0", result: {} }, NO_METHOD, null],
    [{ jsonrpc: "2.0", id: null, error: { code: 1, message: "" } }, NO_METHOD, null],
    [{ jsonrpc: "2.0", id: 1, method: null }, BAD_METHOD, 1],
    [{ jsonrpc: "2.0", id: 1, method: 7 }, BAD_METHOD, 1],
    [{ jsonrpc: "2.0", id: 1, method: ["ping"] }, BAD_METHOD, 1],
    [request("m".repeat(257)), BAD_METHOD, 1],
    [{ jsonrpc: "2.0", id: 1, method: "ping", params: [] }, BAD_PARAMS, 1],
    [{ jsonrpc: "2.0", id: 1, method: "ping", params: [{}] }, BAD_PARAMS, 1],
    [{ jsonrpc: "2.0", id: 1, method: "ping", params: null }, BAD_PARAMS, 1],
    [{ jsonrpc: "2.0", id: 1, method: "ping", params: "x" }, BAD_PARAMS, 1],
    [{ jsonrpc: "2.0", method: "notifications/initialized", params: [] }, BAD_PARAMS, null],
  ])("%j", async (message, reason, id) => {
    const { post } = await openCaller();
    expect(await post(message)).toEqual(refused(reason, id));
  });
});

it("takes a method as long as the limit for an unknown one", async () => {
  const { post } = await openCaller();
  const method = "m".repeat(256);
  const answer = { status: 200, body: errorOf(-32601, 1, `Method not found: ${method}`) };
  expect(await post(request(method))).toEqual(answer);
});

it("does not mind members that it does not know", async () => {
  const { post } = await openCaller();
  const message = { ...request("ping"), extra: 1, result: 2 };
  expect(await post(message)).toEqual({ status: 200, body: resultOf({}) });
});

it("keeps params from the prototype of anything", async () => {
  const { post } = await openCaller();
  const params = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}';
  const body = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params},"__proto__":{"method":"tools/list"}}`;
  expect(await post(body)).toEqual({ status: 200, body: resultOf({}) });
  expect([Reflect.get({}, "isAdmin"), Reflect.get({}, "x")]).toEqual([undefined, undefined]);
});

it.each<[object, string]>([
  [{}, 'Invalid params: "name" must be a string'],
  [{ name: 1 }, 'Invalid params: "name" must be a string'],
  [{ name: null }, 'Invalid params: "name" must be a string'],
  [{ name: "calculate", arguments: [] }, 'Invalid params: "arguments" must be an object'],
  [{ name: "calculate", arguments: null }, 'Invalid params: "arguments" must be an object'],
  [{ name: "calculate", arguments: "1+1" }, 'Invalid params: "arguments" must be an object'],
])("answers −32602 to a call with the params %j", async (params, message) => {
  const { ask } = await openCaller();
  expect(await ask("2025-11-25", "tools/call", params)).toEqual({ status: 200, body: errorOf(-32602, 1, message) });
});

it("keeps the ids of many callers apart", async () => {
  const { caller, mint } = await openCaller();
  const callers = await Promise.all([1, 2, 3, 4].map(async () => caller(await mint())));
  const asked = Array.from({ length: 40 }, (_, i) => `${i} * 3`);
  const answers = await Promise.all(
    asked.map((expression, i) =>
      callers[i % 4]?.post(request("tools/call", { name: "calculate", arguments: { expression } })),
    ),
  );
  expect(answers).toEqual(
    asked.map((expression, i) => ({
      status: 200,
      body: resultOf({ content: [{ type: "text", text: `${expression} = ${i * 3}` }] }),
    })),
  );
});

it("takes an id of any kind in the modern era, too", async () => {
  const { post } = await openCaller([]);
  for (const id of [0, -5, "a"]) {
    const answer = await post(request("tools/list", { _meta: META }, id), modernHeaders("tools/list"));
    expect(answer).toMatchObject({ status: 200, body: { id } });
  }
  const answer = refused('"id" must be an integer or a string of at most 256 characters');
  expect(await post(request("tools/list", { _meta: META }, null), { "mcp-protocol-version": MODERN })).toEqual(answer);
});

describe("a response of the client's", () => {
  const RESPONSE = { jsonrpc: "2.0", id: 1, result: {} };

  // Under its id the refusal would answer whichever request its client gave that id.
  it.each([
    ["alone", RESPONSE, errorOf(403, null)],
    ["beside a request", [RESPONSE, request("ping", {}, 2)], [errorOf(403, 2)]],
  ])("is never answered under its id: %s", async (_, body, answer) => {
    const gate = openGate();
    const { post } = gate.caller(await gate.mint({ scopes: ["admin:read"] }));
    expect((await post(body)).body).toEqual(answer);
  });
});
