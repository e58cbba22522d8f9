// Who is told what when a call fails: the client's author, the model, or nobody but the log.

import { reset } from "cloudflare:test";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import type { ToolResult } from "../../src/tools/content.ts";
import { defineTool, type Tool } from "../../src/tools/define-tool.ts";
import { ToolError } from "../../src/tools/tool-error.ts";
import { COMPLETE, errorOf, MODERN, openCaller, request, resultOf } from "../support/app.ts";

const SECRET = "pg://u:s3cret@10.0.0.5";
const logged: string[] = [];

beforeEach(() => {
  logged.length = 0;
  vi.spyOn(console, "error").mockImplementation((line: string) => void logged.push(line));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const tool = (run: () => unknown, timeoutMs = 5_000): Tool =>
  defineTool({ name: "boom", description: "Fails.", input: v.object({}), timeoutMs, run: () => run() as ToolResult });

const failed = (text: unknown) => ({
  status: 200,
  body: resultOf({ content: [{ type: "text", text }], isError: true }),
});
const FAILED = failed(expect.stringMatching(/^Tool failed \(ref [a-z2-7]{12}\)$/));

const call = async (subject: Tool, args: object = {}) =>
  (await openCaller([subject])).ask("2025-11-25", "tools/call", { name: subject.name, arguments: args });

const raise = (value: unknown) => () => {
  throw value;
};

const picky = defineTool({
  name: "picky",
  description: "Says what it must not.",
  input: v.object({}),
  output: v.object({ order: v.picklist(["asc", "desc"]) }),
  run: () => ({ structuredContent: { order: SECRET as "asc" } }),
});

const cycle: Record<string, unknown> = { secret: SECRET };
cycle["self"] = cycle;

describe("the log of a result that is none", () => {
  it.each<[string, Tool]>([
    ["a value that its schema has no word for", picky],
    [
      "a value that MCP has no word for",
      tool(() => ({ type: "text", text: "a", annotations: { audience: [SECRET] } })),
    ],
  ])("says what was expected of %s, and not what came", async (_, subject) => {
    expect(await call(subject)).toEqual(FAILED);
    const [line = ""] = logged.filter((text) => text.includes("tool_failed"));
    expect([line.includes('expected \\"'), line.includes("s3cret")]).toEqual([true, false]);
  });
});

describe("told by reference alone", () => {
  it.each<[string, () => unknown]>([
    ["an Error", raise(new Error(SECRET))],
    ["an Error with a cause", raise(new Error("x", { cause: new Error(SECRET) }))],
    ["a TypeError from a promise", () => Promise.reject(new TypeError(SECRET))],
    ["text", raise(SECRET)],
    ["a number", raise(7)],
    ["nothing", raise(undefined)],
    ["null", raise(null)],
    ["a symbol", raise(Symbol(SECRET))],
    ["an object", raise({ message: SECRET })],
    ["an object without a prototype", raise(Object.create(null))],
    ["an object that won't be text", raise({ toString: raise(new Error(SECRET)) })],
    ["what only looks like a ToolError", raise({ name: "ToolError", message: SECRET })],
    ["an Error renamed to ToolError", raise(Object.assign(new Error(SECRET), { name: "ToolError" }))],
    ["an Error with a strange stack", raise(Object.assign(new Error("x"), { stack: 1n }))],
    ["an Error with a strange message", raise(Object.assign(new Error("x"), { message: Object.create(null) }))],
    ["a Response", raise(new Response(SECRET))],
  ])("throwing %s", async (_, run) => {
    const answer = await call(tool(run));
    expect(answer).toEqual(FAILED);
    expect(JSON.stringify(answer)).not.toContain("s3cret");
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a number", 7],
    ["a function", () => SECRET],
    ["an empty object", {}],
    ["content that is no list", { content: SECRET }],
    ["content of an unknown type", { type: "video", data: SECRET }],
    ["content without a type", [{ text: SECRET }]],
    ["text that is none", { type: "text", text: 7 }],
    ["an image that is no base64", { type: "image", data: SECRET, mimeType: "image/png" }],
    ["an image whose base64 lacks its padding", { type: "image", data: "QUI", mimeType: "image/png" }],
    ["a resource whose URI is none", { type: "resource", resource: { uri: "notes.txt", text: SECRET } }],
    ["a link whose URI is none", { type: "resource_link", uri: "//x", name: SECRET }],
    [
      "a link whose icon's URI is none",
      { type: "resource_link", uri: "file:///a", name: SECRET, icons: [{ src: "a.png" }] },
    ],
    ["a resource that is no base64", { type: "resource", resource: { uri: "file:///a", blob: SECRET } }],
    ["an image without a MIME type", { type: "image", data: "aW1n" }],
    ["audio of no MIME type", { type: "audio", data: "aW1n", mimeType: "wave" }],
    ["a resource without a body", { type: "resource", resource: { uri: SECRET } }],
    ["a link to a part of a byte", { type: "resource_link", uri: "x:y", name: SECRET, size: 1.5 }],
    ["a link to less than nothing", { type: "resource_link", uri: "x:y", name: SECRET, size: -1 }],
    ["a link without a name", { type: "resource_link", uri: SECRET }],
    ["a priority out of range", { type: "text", text: "x", annotations: { priority: 2 } }],
    ["an unknown audience", { type: "text", text: "x", annotations: { audience: ["all"] } }],
    ["a BigInt for structure", { structuredContent: 1n }],
    ["a BigInt inside the structure, besides content", { content: [], structuredContent: { n: 1n } }],
    ["a cycle for structure", { structuredContent: cycle }],
    ["a cycle, besides content", { content: [], structuredContent: cycle }],
    ["a cycle in _meta", { content: [], _meta: cycle }],
    ["a structure that won't be JSON", { content: [], structuredContent: { toJSON: raise(new Error(SECRET)) } }],
    ["too many items", Array.from({ length: LIMITS.resultItems + 1 }, () => ({ type: "text", text: "x" }))],
  ])("returning %s", async (_, result) => {
    const answer = await call(tool(() => result));
    expect(answer).toEqual(FAILED);
    expect(JSON.stringify(answer)).not.toContain("s3cret");
  });

  it("with the cause in the log, under the same reference", async () => {
    const answer = await call(tool(raise(new RangeError(SECRET))));
    const ref = /ref ([a-z2-7]{12})/.exec(JSON.stringify(answer))?.[1];
    const line: unknown = JSON.parse(logged[0] ?? "");
    expect([logged.length, line]).toMatchObject([
      1,
      { level: "error", event: "tool_failed", ref, tool: "boom", error: `RangeError: ${SECRET}` },
    ]);
  });

  it("in the modern era's frame", async () => {
    const { ask } = await openCaller([tool(raise(new Error(SECRET)))]);
    const text = expect.stringMatching(/^Tool failed \(ref [a-z2-7]{12}\)$/);
    const result = { ...COMPLETE, content: [{ type: "text", text }], isError: true };
    expect(await ask(MODERN, "tools/call", { name: "boom" })).toEqual({ status: 200, body: resultOf(result) });
  });
});

const typed = (result: unknown): Tool =>
  defineTool({
    name: "typed",
    description: "Has a schema.",
    input: v.object({}),
    output: v.strictObject({ n: v.number() }),
    run: () => result as { structuredContent: { n: number } },
  });

describe("a structure that breaks its output schema", () => {
  it.each([
    { structuredContent: { n: SECRET } },
    { structuredContent: { n: 1, more: SECRET } },
    { structuredContent: [1] },
    { structuredContent: null },
    { content: [{ type: "text", text: SECRET }] },
    SECRET,
  ])("%j", async (result) => {
    expect(await call(typed(result))).toEqual(FAILED);
  });

  it("is not asked of an error", async () => {
    const content = [{ type: "text" as const, text: "no" }];
    expect(await call(typed({ content, isError: true }))).toEqual(failed("no"));
  });
});

describe("told to the model", () => {
  it.each([
    ["Ask for another day.", "Ask for another day."],
    ["", "Tool failed"],
    ["x".repeat(LIMITS.errorChars), "x".repeat(LIMITS.errorChars)],
    ["x".repeat(LIMITS.errorChars + 1), `${"x".repeat(LIMITS.errorChars)}…`],
  ])("a ToolError's text, %.30s", async (message, text) => {
    expect(await call(tool(raise(new ToolError(message, { cause: new Error(SECRET) }))))).toEqual(failed(text));
    expect(await call(tool(() => Promise.reject(new ToolError(message))))).toEqual(failed(text));
    expect(logged).toEqual([]);
  });

  const strict = defineTool({
    name: "strict",
    description: "Is strict.",
    input: v.strictObject({
      name: v.string(),
      age: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
      tags: v.optional(v.array(v.strictObject({ label: v.picklist(["a", "b"]) }))),
    }),
    run: () => "ran",
  });

  it.each<[object, string[]]>([
    [{}, ["name (required)"]],
    [{ name: 1 }, ["name (string)"]],
    [{ name: "n", age: -1 }, ["age (min_value)"]],
    [{ name: "n", age: 1.5 }, ["age (integer)"]],
    [{ name: "n", age: null }, ["age (number)"]],
    [{ name: "n", tags: {} }, ["tags (array)"]],
    [{ name: "n", tags: [{ label: "a" }, { label: "c" }] }, ["tags[1].label (picklist)"]],
    [{ name: "n", tags: [{}] }, ["tags[0].label (required)"]],
    [{ name: "n", extra: 1 }, ["extra (strict_object)"]],
    [{ name: 1, age: "x" }, ["name (string)", "age (number)"]],
  ])("which arguments of %j break which rule", async (args, faults) => {
    const { status, body } = await call(strict, args);
    expect({ status, body }).toEqual(failed(expect.stringMatching(/^Invalid arguments for tool strict: /)));
    const { text } = (body as { result: { content: [{ text: string }] } }).result.content[0];
    const named = text.slice("Invalid arguments for tool strict: ".length).split("; ");
    expect(named.map((fault) => fault.split(": ")[0])).toEqual(faults);
  });

  it("that keys of every object are no arguments", async () => {
    const { post } = await openCaller([strict]);
    const args = '{"name":"n","__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}';
    const { status, body } = await post(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"strict","arguments":${args}}}`,
    );
    expect({ status, body }).toEqual(
      failed(expect.stringMatching(/__proto__ \(strict_object\).*constructor \(strict_object\)/)),
    );
    expect([Reflect.get({}, "isAdmin"), Reflect.get({}, "x")]).toEqual([undefined, undefined]);
  });

  it("no more faults than the limit", async () => {
    const many = Array.from({ length: 20 }, () => ({ label: "c" }));
    const { body } = await call(strict, { name: "n", tags: many });
    const { text } = (body as { result: { content: [{ text: string }] } }).result.content[0];
    expect(text.split("; ").length).toBe(LIMITS.validationIssues);
  });

  it("that the result is too large, at one byte more than the limit", async () => {
    const frame = JSON.stringify({ content: [{ type: "text", text: "" }] }).length;
    const ofBytes = (bytes: number) => call(tool(() => "x".repeat(bytes - frame)));
    expect(await ofBytes(LIMITS.resultBytes)).toMatchObject({ body: { result: { content: [{ type: "text" }] } } });
    expect(await ofBytes(LIMITS.resultBytes)).not.toMatchObject({ body: { result: { isError: true } } });
    const tooLarge = failed("Tool failed: its result is larger than 4194304 bytes");
    expect(await ofBytes(LIMITS.resultBytes + 1)).toEqual(tooLarge);
  });

  it("that the result is too large, counted in bytes", async () => {
    const answer = await call(tool(() => "世".repeat(LIMITS.resultBytes / 2)));
    expect(answer).toMatchObject({ body: { result: { isError: true } } });
  });
});

describe("a deadline", () => {
  it("ends a call that never settles, and tells the tool", async () => {
    const reasons: unknown[] = [];
    const endless = defineTool({
      name: "endless",
      description: "Never ends.",
      input: v.object({}),
      timeoutMs: 20,
      run: (_, { signal }) => {
        signal.addEventListener("abort", () => void reasons.push(signal.reason));
        return new Promise<string>(() => {});
      },
    });
    const message = "Tool endless took longer than 20 ms and was stopped";
    expect(await call(endless)).toEqual(failed(message));
    expect(reasons).toEqual([new ToolError(message)]);
  });

  it("drops what comes too late", async () => {
    const { promise, reject } = Promise.withResolvers<string>();
    const { post } = await openCaller([tool(() => promise, 20)]);
    const answer = await post(request("tools/call", { name: "boom" }));
    reject(new Error(SECRET));
    expect(answer).toEqual(failed("Tool boom took longer than 20 ms and was stopped"));
    expect(await post(request("ping"))).toEqual({ status: 200, body: resultOf({}) });
  });
});

describe("told to the client's author", () => {
  it.each(["nothing", "Boom", "", " boom", "__proto__", "constructor"])("that there is no tool %j", async (name) => {
    const { ask } = await openCaller([tool(() => "x")]);
    const answer = { status: 200, body: errorOf(-32602, 1, `Unknown tool: ${name}`) };
    expect(await ask("2025-11-25", "tools/call", { name })).toEqual(answer);
  });

  it("in the modern era, too", async () => {
    const { ask } = await openCaller([]);
    const answer = { status: 200, body: errorOf(-32602, 1, "Unknown tool: boom") };
    expect(await ask(MODERN, "tools/call", { name: "boom" })).toEqual(answer);
  });

  it("with the name cut to size", async () => {
    const { ask } = await openCaller([]);
    const answer = { status: 200, body: errorOf(-32602, 1, `Unknown tool: ${"n".repeat(LIMITS.toolNameChars)}`) };
    expect(await ask("2025-11-25", "tools/call", { name: "n".repeat(100_000) })).toEqual(answer);
  });
});
