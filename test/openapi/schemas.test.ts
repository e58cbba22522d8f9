import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { importOperation } from "./one-operation.ts";

/** What becomes of a schema as an argument, and of the schemas that it refers to. */
function convert(schema: unknown, schemas: object = {}, openapi = "3.1.0") {
  const parameters = [
    {
      name: "p",
      in: "query",
      content: { "application/json": { schema: { type: "object", properties: { s: schema } } } },
    },
  ];
  const imported = importOperation({ parameters }, { openapi, components: { schemas } });
  if (imported.reason !== undefined) return { reason: imported.reason };
  const [p] = Object.values(imported.arguments ?? {});
  return { schema: p?.properties?.s, defs: imported.defs, notes: imported.notes };
}

const clean = (schema: unknown) => ({ schema, defs: undefined, notes: [] });

describe("schemas of OpenAPI 3.0", () => {
  it.each([
    [{ type: "string", nullable: true }, { type: ["string", "null"] }],
    [{ nullable: true, anyOf: [{ type: "string" }] }, { anyOf: [{ anyOf: [{ type: "string" }] }, { type: "null" }] }],
    [
      { $ref: "#/components/schemas/S", nullable: true },
      { type: ["string", "null"], minLength: 1 },
    ],
    [
      { $ref: "#/components/schemas/S", description: "Mine", minLength: 5 },
      { type: "string", minLength: 1, description: "Mine" },
    ],
    [
      { type: "number", minimum: 0, exclusiveMinimum: true },
      { type: "number", exclusiveMinimum: 0 },
    ],
    [
      { type: "number", maximum: 9, exclusiveMaximum: false, minimum: 0 },
      { type: "number", maximum: 9, minimum: 0 },
    ],
    [
      { type: "string", example: "x" },
      { type: "string", examples: ["x"] },
    ],
    [{ type: "object", example: { a: 1 } }, { type: "object" }],
    [{ type: "array" }, { type: "array", items: {} }],
    [
      { type: "string", discriminator: {}, xml: {}, externalDocs: {}, "x-y": 1, format: "uuid" },
      { type: "string", format: "uuid" },
    ],
  ])("%j", (schema, converted) => {
    expect(convert(schema, { S: { type: "string", minLength: 1 } }, "3.0.3")).toEqual(clean(converted));
  });
});

describe("schemas of OpenAPI 3.1", () => {
  const all = {
    title: "T",
    type: ["object", "null"],
    properties: { a: true, b: false, $ref: { type: "string" }, c: { const: null } },
    patternProperties: { "^x-": { type: "integer", multipleOf: 5 } },
    additionalProperties: false,
    propertyNames: { maxLength: 9 },
    dependentSchemas: { a: { required: ["b"] } },
    required: ["a"],
    minProperties: 1,
    if: { required: ["a"] },
    ...JSON.parse('{ "then": { "maxProperties": 2 } }'),
    else: { not: {} },
    default: { a: 1 },
    deprecated: true,
  };
  const list = { type: "array", prefixItems: [{ enum: [1, null] }], items: false, contains: {}, uniqueItems: true };

  it("stay as they are", () => {
    expect(convert(all)).toEqual(clean(all));
    expect(convert(list)).toEqual(clean(list));
  });

  it("keep what narrows a reference", () => {
    expect(
      convert({ $ref: "#/components/schemas/S", description: "Mine", maxLength: 5 }, { S: { type: "string" } }),
    ).toEqual(clean({ allOf: [{ type: "string", description: "Mine" }, { maxLength: 5 }] }));
  });
});

describe("what is no JSON Schema", () => {
  it.each([
    [{ type: "any" }, {}],
    [{ type: "datetime", description: 7, required: true, minLength: "1", items: [{}] }, {}],
    [{ type: "string", pattern: "^\\_$" }, { type: "string" }],
    [
      { type: "string", pattern: "x".repeat(LIMITS.patternChars) },
      { type: "string", pattern: "x".repeat(LIMITS.patternChars) },
    ],
    [{ type: "string", pattern: "x".repeat(LIMITS.patternChars + 1) }, { type: "string" }],
    [{ pattern: "^(?=a)" }, {}],
    [{ pattern: "^(?<!a)b" }, {}],
    [{ pattern: "(a)\\1" }, {}],
    [{ pattern: "^a{1,1000}$" }, {}],
    [{ pattern: "^(?:a{1,999}|(?<n>b))$" }, { pattern: "^(?:a{1,999}|(?<n>b))$" }],
    [{ enum: [] }, {}],
    [{ enum: ["a", "a", null] }, { enum: ["a", null] }],
    [{ allOf: [] }, {}],
    [{ multipleOf: 0 }, {}],
    ["text", {}],
    [{ patternProperties: { "(": {}, "^a": {} } }, { patternProperties: { "^a": {} } }],
  ])("in %j is left out", (schema, converted) => {
    expect(convert(schema)).toEqual(clean(converted));
  });
});

describe("a schema that loses a condition", () => {
  const lossy = { type: "string", pattern: "(?=a)" };
  const loose = { type: "string" };

  it.each([
    ["under not", { not: lossy }, {}],
    ["under if", { if: lossy, else: { const: "a" } }, { else: { const: "a" } }],
    ["under oneOf", { oneOf: [lossy, { const: 1 }] }, { anyOf: [loose, { const: 1 }] }],
    ["under oneOf beside anyOf", { oneOf: [lossy], anyOf: [true] }, { anyOf: [true] }],
    ["under contains", { contains: lossy, minContains: 1, maxContains: 2 }, { contains: loose, minContains: 1 }],
    ["beside unevaluatedProperties", { allOf: [lossy], unevaluatedProperties: false }, { allOf: [loose] }],
    [
      "in a property",
      { properties: { a: lossy }, additionalProperties: false },
      { properties: { a: loose }, additionalProperties: false },
    ],
    [
      "in a property's name",
      { patternProperties: { "(?=a)": {} }, additionalProperties: false },
      { patternProperties: {} },
    ],
    ["by a long enum", { not: { enum: Array.from({ length: LIMITS.schemaEnumItems + 1 }, (_, n) => n) } }, {}],
  ])("%s refuses nothing that it took before", (_, schema, converted) => {
    expect(convert(schema)).toEqual(clean(converted));
  });
});

describe("texts", () => {
  it.each([
    ["a\u0000b\u202Ec\u{E0041}d\u200Be", "abcde"],
    ["a\r\n\r\n\r\n\r\nb \n c\t", "a\n\nb\n c"],
    ["x".repeat(LIMITS.importTextChars), "x".repeat(LIMITS.importTextChars)],
    ["x".repeat(LIMITS.importTextChars + 1), `${"x".repeat(LIMITS.importTextChars - 1)}…`],
    [`${"x".repeat(LIMITS.importTextChars - 5)} word`, `${"x".repeat(LIMITS.importTextChars - 5)} word`],
    [`${"x".repeat(LIMITS.importTextChars - 5)} words`, `${"x".repeat(LIMITS.importTextChars - 5)}…`],
    [`${"x".repeat(LIMITS.importTextChars - 2)}😀y`, `${"x".repeat(LIMITS.importTextChars - 2)}…`],
  ])("are cleaned and cut", (description, kept) => {
    expect(convert({ description })).toEqual(clean({ description: kept }));
  });
});

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const loop = (at: string) => ({ properties: { next: { $ref: at } } });

describe("references", () => {
  it("are replaced by what they stand for, as long as that does not hold itself", () => {
    const schemas = {
      Leaf: { type: "string" },
      Pair: { properties: { left: ref("Leaf"), right: ref("Leaf") } },
      Tree: { properties: { children: { type: "array", items: ref("Tree") }, leaf: ref("Leaf") } },
    };
    expect(convert({ properties: { pair: ref("Pair"), tree: ref("Tree") } }, schemas)).toEqual({
      schema: {
        properties: {
          pair: { properties: { left: { type: "string" }, right: { type: "string" } } },
          tree: { $ref: "#/$defs/Tree" },
        },
      },
      defs: {
        Tree: {
          properties: { children: { type: "array", items: { $ref: "#/$defs/Tree" } }, leaf: { type: "string" } },
        },
      },
      notes: [],
    });
  });

  it("of the same last name get names of their own", () => {
    const document = {
      components: { schemas: { A: loop("#/components/schemas/A") }, "x-more": { A: loop("#/components/x-more/A") } },
    };
    const properties = { one: { $ref: "#/components/schemas/A" }, two: { $ref: "#/components/x-more/A" } };
    const requestBody = { required: true, content: { "application/json": { schema: { type: "object", properties } } } };
    expect(importOperation({ requestBody }, { method: "post", document })).toMatchObject({
      arguments: { one: { $ref: "#/$defs/A" }, two: { $ref: "#/$defs/A_2" } },
      defs: { A: loop("#/$defs/A"), A_2: loop("#/$defs/A_2") },
    });
  });

  it.each([
    ["other.yaml#/S", '"other.yaml#/S" leads to another document: bundle them first'],
    [
      "https://internal.example/s.json",
      '"https://internal.example/s.json" leads to another document: bundle them first',
    ],
    ["#/components/schemas/None", '"#/components/schemas/None" leads nowhere'],
    ["#/components/schemas/constructor", '"#/components/schemas/constructor" leads nowhere'],
  ])("to %s are not followed", ($ref, why) => {
    const parameters = [{ name: "p", in: "path", required: true, schema: { $ref } }];
    expect(importOperation({ parameters }, { path: "/{p}" })).toEqual({ reason: `path parameter "p": $ref ${why}` });
  });

  it("that lead in circles have an end", () => {
    const schemas = { A: ref("B"), B: ref("A") };
    expect(convert(ref("A"), schemas)).toMatchObject({
      notes: ['left out query parameter "p": a $ref that leads in circles'],
    });
  });

  it("may be pointers with escapes", () => {
    const document = { components: { "a/b": { "c~d": { "e f": { type: "string" } } } } };
    const parameters = [{ name: "p", in: "query", schema: { $ref: "#/components/a~1b/c~0d/e%20f" } }];
    expect(importOperation({ parameters }, { document })).toMatchObject({ arguments: { p: { type: "string" } } });
  });
});

describe("directions", () => {
  it("ask for no property that another part of allOf says is the other's", () => {
    const server = { type: "object", properties: { id: { type: "integer", readOnly: true } } };
    const schema = { allOf: [{ $ref: "#/components/schemas/Server" }, { required: ["id", "name"] }], required: ["id"] };
    expect(convert(schema, { Server: server })).toEqual(
      clean({ allOf: [{ type: "object", properties: {} }, { required: ["name"] }] }),
    );
  });

  const schemas = {
    Id: { type: "integer", readOnly: true },
    Thing: {
      type: "object",
      required: ["id", "by", "pin"],
      properties: {
        id: { $ref: "#/components/schemas/Id" },
        by: { type: "string", readOnly: true },
        pin: { type: "string", writeOnly: true },
      },
    },
  };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } };

  it("have the properties that are theirs", () => {
    const operation = { requestBody: { required: true, content }, responses: { 200: { content } } };
    const around = { method: "post", components: { schemas }, options: { outputSchemas: "on" } as const };
    expect(importOperation(operation, around)).toMatchObject({
      arguments: { pin: { type: "string" } },
      required: ["pin"],
      outputSchema: {
        type: "object",
        required: ["id", "by"],
        properties: { id: { type: "integer" }, by: { type: "string" } },
      },
    });
  });
});
