import { describe, expect, it } from "vitest";
import { projectSchema } from "../../src/lint/project-schema.ts";
import type { Client } from "../../src/lint/verdict.ts";

const OBJECT = { type: "object", properties: {} };
const withX = (schema: unknown) => ({ type: "object", properties: { x: schema } });

const branch = (type: string) => ({ type: "object", properties: { a: { type } } });

/** What a property becomes, and of what is lost where. */
const propertyFor = (client: Client, schema: unknown, more: object = {}) => {
  const { schema: projected, losses } = projectSchema({ ...withX(schema), ...more }, client);
  const { properties, ...rest } = projected as { properties: { x: unknown } };
  return { x: properties.x, rest, lost: losses.map(({ path }) => path) };
};

describe("for Gemini", () => {
  it.each<[unknown, unknown, string[]]>([
    [{ type: "string", minLength: 1, description: "A" }, { type: "string", minLength: 1, description: "A" }, []],
    [{ type: ["string", "null"] }, { type: "string", nullable: true }, []],
    [{ anyOf: [{ type: "string" }, { type: "null" }], title: "T" }, { type: "string", title: "T", nullable: true }, []],
    [
      { type: ["integer", "array", "null"], minimum: 1, items: { type: "string" }, description: "D" },
      {
        description: "D",
        nullable: true,
        anyOf: [
          { type: "integer", minimum: 1 },
          { type: "array", items: { type: "string" } },
        ],
      },
      [],
    ],
    [{ const: "a" }, { type: "string", enum: ["a"] }, []],
    [{ enum: ["a", "b", null] }, { type: "string", nullable: true, enum: ["a", "b"] }, []],
    [
      { type: "integer", enum: [1, 2], description: "How many" },
      { type: "integer", description: "How many (One of: 1, 2.)" },
      ["/properties/x/enum"],
    ],
    [
      { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 10, maximum: 5 },
      { type: "integer", minimum: 1, maximum: 5 },
      [],
    ],
    [{ type: "number", exclusiveMinimum: 0 }, { type: "number", minimum: 0 }, ["/properties/x"]],
    [{ type: "string", format: "uri" }, { type: "string", description: "Format: uri." }, ["/properties/x/format"]],
    [{ type: "string", format: "date-time" }, { type: "string", format: "date-time" }, []],
    [{ type: "array" }, { type: "array", items: { type: "string" } }, ["/properties/x/items"]],
    [
      { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] },
      { type: "array", items: { anyOf: [{ type: "string" }, { type: "integer" }] } },
      ["/properties/x/prefixItems"],
    ],
    [
      { oneOf: [{ type: "string" }, { type: "integer" }] },
      { anyOf: [{ type: "string" }, { type: "integer" }] },
      ["/properties/x/oneOf"],
    ],
    [
      {
        type: "object",
        allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: { type: "string" } } }],
      },
      { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, required: ["a"] },
      ["/properties/x/allOf"],
    ],
    [
      { type: "object", additionalProperties: false, properties: { a: true } },
      { type: "object", properties: { a: { type: "string" } } },
      ["/properties/x/additionalProperties"],
    ],
    [{ type: "object", required: ["a"] }, { type: "object", properties: {} }, ["/properties/x/required"]],
    [{}, { type: "string" }, ["/properties/x/type"]],
    [{ type: "string", pattern: "^a", $comment: "c", examples: ["a"] }, { type: "string", pattern: "^a" }, []],
    [{ type: "string", "x-mcp-header": "Region" }, { type: "string", "x-mcp-header": "Region" }, []],
  ])("%j is told as %j", (schema, expected, lost) => {
    expect(propertyFor("gemini", schema)).toEqual({ x: expected, rest: { type: "object" }, lost });
  });

  it("writes out in place what stands behind references", () => {
    const $defs = {
      "a/b": { type: "string", minLength: 1 },
      tree: { type: "object", properties: { child: { $ref: "#/$defs/tree" } } },
    };
    expect(propertyFor("gemini", { $ref: "#/$defs/a~1b", description: "D" }, { $defs })).toEqual({
      x: { type: "string", minLength: 1, description: "D" },
      rest: { type: "object" },
      lost: [],
    });
    expect(propertyFor("gemini", { $ref: "#/$defs/tree" }, { $defs })).toEqual({
      x: { type: "object", properties: { child: { type: "object" } } },
      rest: { type: "object" },
      lost: ["/properties/x/properties/child"],
    });
    expect(propertyFor("gemini", { $ref: "https://a.example/s" })).toEqual({
      x: { type: "object" },
      rest: { type: "object" },
      lost: ["/properties/x"],
    });
  });
});

describe("for others", () => {
  it.each<[Client, unknown, unknown, string[]]>([
    ["openai", { type: "array" }, { type: "array", items: {} }, []],
    ["openai", { type: "string", pattern: "^(?!a)" }, { type: "string" }, ["/properties/x/pattern"]],
    ["openai", { type: "string", pattern: "^(?:a)" }, { type: "string", pattern: "^(?:a)" }, []],
    ["vscode", { type: ["array", "null"] }, { type: ["array", "null"], items: {} }, []],
    ["claude", { type: "integer", minimum: 0, exclusiveMinimum: true }, { type: "integer", exclusiveMinimum: 0 }, []],
    ["claude", { type: "integer", maximum: 9, exclusiveMaximum: false }, { type: "integer", maximum: 9 }, []],
    ["claude", { items: [{ type: "string" }] }, { prefixItems: [{ type: "string" }] }, []],
    ["claude", { $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }, []],
    ["cursor", { type: ["string", "null"] }, { type: "string" }, ["/properties/x/type"]],
    ["cursor", { type: ["string", "integer"] }, { anyOf: [{ type: "string" }, { type: "integer" }] }, []],
    [
      "cursor",
      { $ref: "#/properties/x/default", default: { type: "integer" } },
      { type: "integer", default: { type: "integer" } },
      [],
    ],
    ["all", { type: "array" }, { type: "array" }, []],
  ])("%s is told of %j as %j", (client, schema, expected, lost) => {
    expect(propertyFor(client, schema)).toEqual({ x: expected, rest: { type: "object" }, lost });
  });

  it.each<Client>(["claude", "openai", "gemini", "cursor", "vscode"])("the root is one object for %s", (client) => {
    const a = {
      type: "object",
      properties: { kind: { type: "string" }, a: { type: "string" } },
      required: ["kind", "a"],
    };
    const b = {
      type: "object",
      properties: { kind: { type: "string" }, b: { type: "string" } },
      required: ["kind", "b"],
    };
    const union = {
      type: "object",
      properties: { kind: { type: "string" }, a: { type: "string" }, b: { type: "string" } },
      required: ["kind"],
    };
    expect(projectSchema({ anyOf: [a, b] }, client)).toEqual({
      schema: union,
      losses: [{ path: "/anyOf", message: "The root's anyOf is told as one object." }],
    });
    expect(projectSchema({ allOf: [a, b] }, client).schema).toEqual({ ...union, required: ["kind", "a", "b"] });
    expect(projectSchema({}, client)).toEqual({ schema: OBJECT, losses: [] });
  });

  it("a property that branches tell differently becomes a choice", () => {
    expect(projectSchema({ oneOf: [branch("string"), branch("integer")], not: {}, enum: [1] }, "openai")).toEqual({
      schema: { type: "object", properties: { a: { anyOf: [{ type: "string" }, { type: "integer" }] } } },
      losses: [
        { path: "/oneOf", message: "The root's oneOf is told as one object." },
        { path: "/enum", message: "The root's enum is not told." },
        { path: "/not", message: "The root's not is not told." },
      ],
    });
  });
});

it("changes nothing in the schema that it is given", () => {
  const schema = Object.freeze(withX(Object.freeze({ type: Object.freeze(["string", "null"]) })));
  projectSchema(schema, "gemini");
  expect(schema).toEqual(withX({ type: ["string", "null"] }));
});
