import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { defineTool } from "../../src/tools/define-tool.ts";

const base = { name: "t", description: "A tool.", run: () => "ok" };
const input = v.strictObject({
  region: v.optional(v.string()),
  count: v.optional(v.pipe(v.number(), v.integer())),
  size: v.optional(v.number()),
});

describe("defineTool", () => {
  it.each(["", "a.b", "a/b", "a b", "x".repeat(65), "é"])("refuses the name %j", (name) => {
    expect(() => defineTool({ ...base, name, input })).toThrow(/name .* must match/);
  });

  it("refuses a tool that says nothing of itself, or that could run for hours", () => {
    expect(() => defineTool({ ...base, description: " ", input })).toThrow(/needs a description/);
    expect(() => defineTool({ ...base, timeoutMs: 3_600_000, input })).toThrow(/timeoutMs/);
  });

  it.each([
    ["date", v.date()],
    ["map", v.optional(v.map(v.string(), v.number()))],
    ["set", v.array(v.set(v.string()))],
    ["bigint", v.pipe(v.bigint(), v.description("many"))],
    ["instance", v.union([v.string(), v.instance(URL)])],
  ])("refuses a %s, which no call could send and no result could have", (type, schema) => {
    const fault = new RegExp(String.raw`^defineTool: ${base.name} (input|output) has v\.${type}\(\), which is no JSON`);
    expect(() => defineTool({ ...base, input: v.object({ at: schema }) })).toThrow(fault);
    const output = v.object({ at: schema });
    expect(() => defineTool({ ...base, input, output, run: () => ({ structuredContent: {} as never }) })).toThrow(
      fault,
    );
  });

  it("takes a text that becomes a date", () => {
    const at = v.pipe(
      v.string(),
      v.isoTimestamp(),
      v.transform((text) => new Date(text)),
      v.date(),
    );
    const tool = defineTool({ ...base, input: v.object({ at }) });
    expect(tool.definition.inputSchema["properties"]).toEqual({ at: { type: "string", format: "date-time" } });
    const time = "2026-01-31T00:00:00Z";
    expect(tool.validateInput({ at: time })).toEqual({ ok: true, value: { at: new Date(time) } });
  });

  it("makes a JSON Schema of its input, properties always there", () => {
    expect(defineTool({ ...base, input: v.strictObject({}) }).definition.inputSchema).toEqual({
      type: "object",
      properties: {},
      required: [],
    });
  });

  it("takes a union of objects, and nothing else but objects, when it is made", () => {
    const either = v.variant("kind", [
      v.strictObject({ kind: v.literal("a"), a: v.string() }),
      v.strictObject({ kind: v.literal("b") }),
    ]);
    expect(defineTool({ ...base, input: either }).definition.inputSchema).toMatchObject({
      type: "object",
      properties: {},
      oneOf: [{ type: "object" }, { type: "object" }],
    });
    const text = v.string() as unknown as typeof input;
    expect(() => defineTool({ ...base, input: text })).toThrow(/must be an object schema/);
  });

  it("names every unknown argument, and the rule that each value breaks", () => {
    const tool = defineTool({ ...base, input });
    expect(tool.validateInput({ region: 1, a: 1, b: 2 })).toEqual({
      ok: false,
      issues: [
        { path: "region", rule: "string", message: "expected a string, received a number" },
        { path: "a", rule: "strict_object", message: "unknown argument: expected region, count, size" },
        { path: "b", rule: "strict_object", message: "unknown argument: expected region, count, size" },
      ],
    });
  });

  it("says that an argument is missing", () => {
    const tool = defineTool({ ...base, input: v.object({ user: v.object({ name: v.string() }) }) });
    expect(tool.validateInput({})).toEqual({
      ok: false,
      issues: [{ path: "user", rule: "required", message: "is missing" }],
    });
    expect(tool.validateInput({ user: {} })).toEqual({
      ok: false,
      issues: [{ path: "user.name", rule: "required", message: "is missing" }],
    });
    expect(tool.validateInput({ user: 1 })).toMatchObject({ issues: [{ path: "user", rule: "object" }] });
  });

  it("annotates the arguments that clients mirror into headers", () => {
    const paramHeaders = { region: "Region", count: "Count" };
    expect(defineTool({ ...base, input, paramHeaders }).definition.inputSchema["properties"]).toMatchObject({
      region: { type: "string", "x-mcp-header": "Region" },
      count: { type: "integer", "x-mcp-header": "Count" },
      size: { type: "number" },
    });
  });

  it.each([
    [{ nothing: "X" }, /no such property/],
    [{ size: "Size" }, /expected a string, integer or boolean/],
    [{ region: "" }, /not the name of a header/],
    [{ region: "A\r\nX: y" }, /not the name of a header/],
    [{ region: "Same", count: "same" }, /mirrors another property/],
  ])("refuses the headers %j", (paramHeaders: Record<string, string>, message) => {
    expect(() => defineTool({ ...base, input, paramHeaders })).toThrow(message);
  });
});
