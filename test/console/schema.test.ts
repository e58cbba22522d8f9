import { expect, it } from "vitest";
import { describeType, resolve, type Schema } from "../../src/console/schema/json-schema.ts";
import { sampleOf } from "../../src/console/schema/sample.ts";

it.each<[string, Schema, unknown]>([
  ["nothing that need not be there", { type: "object", properties: { a: { type: "string" } } }, {}],
  [
    "what is required, to the depth of it",
    {
      type: "object",
      properties: { a: { type: "object", properties: { b: { type: "integer", minimum: 3 } }, required: ["b"] } },
      required: ["a"],
    },
    { a: { b: 3 } },
  ],
  ["a default", { default: ["UTC"] }, ["UTC"]],
  ["a constant", { const: 7 }, 7],
  ["the first of some values", { enum: ["b", "a"] }, "b"],
  [
    "the first of some shapes",
    { oneOf: [{ type: "object", properties: { kind: { const: "x" } }, required: ["kind"] }, { type: "string" }] },
    { kind: "x" },
  ],
  ["as many items as there must be", { type: "array", items: { type: "boolean" }, minItems: 2 }, [false, false]],
  ["null for what may be anything", {}, null],
])("begins a value with %s", (_, schema, value) => {
  expect(sampleOf(schema, schema)).toEqual(value);
});

it("follows references, to what has no end as well", () => {
  const schema: Schema = {
    $defs: { "a/b": { type: "object", properties: { next: { $ref: "#/$defs/a~1b" } }, required: ["next"] } },
    $ref: "#/$defs/a~1b",
  };
  expect(Object.keys(sampleOf(schema, schema) as object)).toEqual(["next"]);
});

it("lays what all parts say over one another", () => {
  const schema: Schema = {
    description: "A ship.",
    allOf: [
      { type: "object", properties: { a: {} }, required: ["a"], description: "A part." },
      { properties: { b: {} }, required: ["b"] },
    ],
  };
  expect(resolve(schema, schema)).toEqual({
    description: "A ship.",
    type: "object",
    properties: { a: {}, b: {} },
    required: ["a", "b"],
  });
});

it.each<[Schema, string]>([
  [{ type: "string" }, "string"],
  [{ type: ["integer", "null"] }, "integer or null"],
  [{ type: "array", items: { enum: ["a", 1] } }, 'list of "a" | 1'],
  [{ anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }, "string or list of string"],
  [{}, "anything"],
])("describes %j as %s", (schema, words) => {
  expect(describeType(schema, schema)).toBe(words);
});
