import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { checkSchema } from "../../../src/tools/json-schema/check-schema.ts";
import { compileSchema } from "../../../src/tools/json-schema/compile-schema.ts";

type Schema = Record<string, unknown>;

const DRAFT_7 = "http://json-schema.org/draft-07/schema#";
const OUTSIDE = "leads outside the schema, and is never fetched";
const LOOP = "leads back to itself without looking into the value";

/** `path: message` of what is wrong with a schema; `undefined` when nothing is. */
function refusalOf(schema: unknown): string | undefined {
  const refusal = checkSchema(schema, "output");
  return refusal && `${refusal.path}: ${refusal.message}`;
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

const around = (limit: number): [number, boolean][] => [
  [limit - 1, true],
  [limit, true],
  [limit + 1, false],
];

/** A pattern that takes so many states: one for each letter, one for the repetition and one for the whole. */
const patternOf = (states: number): Schema => ({ pattern: `a{${states - 2}}` });

describe("checkSchema", () => {
  it("wants arguments to be objects, and lets results be anything", () => {
    const refusal = { path: "/type", message: 'expected "object": arguments are always one' };
    const schemas = [
      { type: "object" },
      {},
      { type: ["object", "null"] },
      { type: "array" },
      { anyOf: [{ type: "object" }] },
    ];
    expect(schemas.map((schema) => checkSchema(schema, "input"))).toEqual([
      undefined,
      refusal,
      refusal,
      refusal,
      refusal,
    ]);
    expect(schemas.map((schema) => checkSchema(schema, "output"))).toEqual(schemas.map(() => undefined));
  });

  it("refuses what compileSchema throws for, with the same words", () => {
    expect(() => compileSchema({ properties: { a: { type: "text" } } })).toThrow(
      "/properties/a/type: expected one of null, boolean, object, array, number, string, integer",
    );
  });

  it.each([null, true, 1, "{}", [{}]])("refuses %j", (schema) => {
    expect(refusalOf(schema)).toBe(": expected a JSON Schema object");
  });

  it.each<[Schema, string | undefined]>([
    [{ $schema: "https://json-schema.org/draft/2020-12/schema" }, undefined],
    [{ $schema: "https://json-schema.org/draft/2020-12/schema#" }, undefined],
    [{ $schema: DRAFT_7 }, undefined],
    [{ $schema: "https://json-schema.org/draft-07/schema" }, undefined],
    [
      { $schema: "https://json-schema.org/draft/2019-09/schema" },
      '/$schema: expected JSON Schema 2020-12 or draft-07, got "https://json-schema.org/draft/2019-09/schema"',
    ],
    [{ $schema: 7 }, "/$schema: expected JSON Schema 2020-12 or draft-07, got 7"],
    [
      { $defs: { a: { $id: "a", $schema: DRAFT_7 } } },
      "/$defs/a/$schema: expected the dialect of the whole schema, 2020-12",
    ],
  ])("knows the dialect of %j", (schema, refusal) => {
    expect(refusalOf(schema)).toBe(refusal);
  });

  it.each<[Schema, string]>([
    [
      { type: "text" },
      "/type: expected one of null, boolean, object, array, number, string, integer, or a list of different ones",
    ],
    [
      { type: [] },
      "/type: expected one of null, boolean, object, array, number, string, integer, or a list of different ones",
    ],
    [
      { type: ["null", "null"] },
      "/type: expected one of null, boolean, object, array, number, string, integer, or a list of different ones",
    ],
    [{ enum: "a" }, "/enum: expected a list of values"],
    [{ minimum: "1" }, "/minimum: expected a number"],
    [{ multipleOf: 0 }, "/multipleOf: expected a number above 0"],
    [{ minLength: -1 }, "/minLength: expected a whole number from 0 on"],
    [{ maxItems: 1.5 }, "/maxItems: expected a whole number from 0 on"],
    [{ contains: {}, minContains: "1" }, "/minContains: expected a whole number from 0 on"],
    [{ pattern: 1 }, "/pattern: expected a regular expression"],
    [{ required: "a" }, "/required: expected a list of different names"],
    [{ required: ["a", "a"] }, "/required: expected a list of different names"],
    [{ properties: [] }, "/properties: expected an object of schemas"],
    [{ properties: { "a/b~": 1 } }, "/properties/a~1b~0: expected a schema: an object, true or false"],
    [{ items: [{}] }, "/items: expected a schema: prefixItems takes a list"],
    [{ items: 1 }, "/items: expected a schema: an object, true or false"],
    [{ anyOf: [] }, "/anyOf: expected a list of schemas, at least one"],
    [{ anyOf: [null] }, "/anyOf/0: expected a schema: an object, true or false"],
    [{ not: null }, "/not: expected a schema: an object, true or false"],
    [{ uniqueItems: 1 }, "/uniqueItems: expected true or false"],
    [{ dependentRequired: { a: "b" } }, "/dependentRequired/a: expected a list of different names"],
    [{ $defs: { unused: { minimum: null } } }, "/$defs/unused/minimum: expected a number"],
    [{ $schema: DRAFT_7, dependencies: { a: 1 } }, "/dependencies/a: expected a schema: an object, true or false"],
    [{ $anchor: "1" }, "/$anchor: expected a name: a letter, then letters, digits, dots, dashes or underscores"],
    [{ $id: 1 }, "/$id: expected a URI"],
    [{ $id: "#a" }, "/$id: expected no fragment: $anchor names a place"],
    [{ $id: "http://[" }, '/$id: expected a URI reference, got "http://["'],
    [
      { $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } },
      '/$defs/b/$anchor: expected a name of its own: "/$defs/a" has it, too',
    ],
    [
      { $defs: { a: { $id: "x" }, b: { $id: "x" } } },
      '/$defs/b/$id: expected a name of its own: "/$defs/a" has it, too',
    ],
  ])("refuses %j, which its dialect does not allow", (schema, refusal) => {
    expect(refusalOf(schema)).toBe(refusal);
  });

  it.each<[Schema, string | undefined]>([
    [{ $ref: "http://169.254.169.254/x" }, `/$ref: ${OUTSIDE}: "http://169.254.169.254/x"`],
    [{ $ref: "other.json#/a" }, `/$ref: ${OUTSIDE}: "other.json#/a"`],
    [
      { $ref: "https://json-schema.org/draft/2020-12/schema" },
      `/$ref: ${OUTSIDE}: "https://json-schema.org/draft/2020-12/schema"`,
    ],
    [{ $ref: "#/$defs/a" }, '/$ref: nothing in the schema at "/$defs/a"'],
    [{ $ref: "#/constructor" }, '/$ref: nothing in the schema at "/constructor"'],
    [{ $ref: "#a" }, '/$ref: no such anchor in the schema: "#a"'],
    [{ $ref: "#/%E0" }, "/$ref: expected a URI whose escapes are UTF-8"],
    [{ $ref: 1 }, "/$ref: expected a URI reference"],
    [{ title: "t", items: { $ref: "#/title" } }, "/title: expected a schema: an object, true or false"],
    [
      { items: { $dynamicRef: "#a" } },
      "/items/$dynamicRef: expected $ref instead: where a dynamic reference leads is not bounded",
    ],
    [{ $recursiveRef: "#" }, "/$recursiveRef: expected $ref instead: where a dynamic reference leads is not bounded"],
    [{ $ref: "#" }, `: ${LOOP}`],
    [{ $defs: { a: { allOf: [{ $ref: "#/$defs/b" }] }, b: { anyOf: [{ $ref: "#/$defs/a" }] } } }, `/$defs/a: ${LOOP}`],
    [{ not: { $ref: "#" } }, `: ${LOOP}`],
    [{ if: {}, else: { dependentSchemas: { a: { $ref: "#" } } } }, `: ${LOOP}`],
    [{ $schema: DRAFT_7, dependencies: { a: { $ref: "#" } } }, `: ${LOOP}`],
    [
      { items: { $ref: "#" }, properties: { a: { $ref: "#" } }, contains: { $ref: "#" }, propertyNames: { $ref: "#" } },
      undefined,
    ],
    [{ additionalProperties: { allOf: [{ $ref: "#" }] }, prefixItems: [{ $ref: "#" }] }, undefined],
    [{ x: { y: { minimum: "1" } }, items: { $ref: "#/x/y" } }, "/x/y/minimum: expected a number"],
  ])("follows the references of %j", (schema, refusal) => {
    expect(refusalOf(schema)).toBe(refusal);
  });
});

describe("a schema is bounded", () => {
  it.each(around(LIMITS.schemaChars))("in characters: %i is %s", (chars, isTaken) => {
    const schema = { description: "" };
    schema.description = "d".repeat(chars - JSON.stringify(schema).length);
    const refusal = `: expected at most ${LIMITS.schemaChars} characters, got ${chars}`;
    expect(refusalOf(schema)).toBe(isTaken ? undefined : refusal);
  });

  it.each(around(LIMITS.schemaDepth))("in levels of schemas: %i is %s", (depth, isTaken) => {
    const nested = times(depth - 1, String).reduce<Schema>((inner) => ({ allOf: [inner] }), {});
    const refusal = `${"/allOf/0".repeat(LIMITS.schemaDepth)}: nested too deep: expected at most ${LIMITS.schemaDepth} levels of schemas`;
    expect(refusalOf(nested)).toBe(isTaken ? undefined : refusal);
  });

  it.each(around(LIMITS.jsonDepth))("in levels of JSON: %i is %s", (depth, isTaken) => {
    const nested = times(depth - 1, String).reduce<Schema>((inner) => ({ x: inner }), {});
    const refusal = `${"/x".repeat(LIMITS.jsonDepth)}: nested too deep: at most ${LIMITS.jsonDepth} levels`;
    expect(refusalOf(nested)).toBe(isTaken ? undefined : refusal);
  });

  it.each(around(LIMITS.subschemas))("in subschemas: %i is %s", (count, isTaken) => {
    const schema = { anyOf: times(count - 1, () => true) };
    const refusal = `/anyOf/${count - 2}: expected at most ${LIMITS.subschemas} subschemas`;
    expect(refusalOf(schema)).toBe(isTaken ? undefined : refusal);
  });

  it.each(around(LIMITS.subschemas))("in subschemas that only references lead to: %i is %s", (count, isTaken) => {
    const inner = { anyOf: times(count - 3, () => true) };
    const refusal = `/x/anyOf/${count - 4}: expected at most ${LIMITS.subschemas} subschemas`;
    expect(refusalOf({ x: inner, items: { $ref: "#/x" } })).toBe(isTaken ? undefined : refusal);
  });

  it.each(around(LIMITS.schemaEnumItems))("in values of an enum: %i is %s", (count, isTaken) => {
    const refusal = `/enum: expected at most ${LIMITS.schemaEnumItems} values`;
    expect(refusalOf({ enum: times(count, String) })).toBe(isTaken ? undefined : refusal);
  });

  it.each(around(LIMITS.patternChars))("in characters of a regular expression: %i is %s", (chars, isTaken) => {
    const pattern = "a".repeat(chars);
    const refusal = `expected at most ${LIMITS.patternChars} characters, got ${chars}`;
    expect([{ pattern }, { patternProperties: { [pattern]: true } }].map(refusalOf)).toEqual(
      isTaken ? [undefined, undefined] : [`/pattern: ${refusal}`, `/patternProperties/${pattern}: ${refusal}`],
    );
  });

  it.each(around(LIMITS.schemaPatterns))("in regular expressions: %i is %s", (count, isTaken) => {
    const all = times(count, (at) => ({ pattern: `^a${at}` }));
    const refusal = `/allOf/${count - 1}/pattern: expected at most ${LIMITS.schemaPatterns} different regular expressions`;
    expect(refusalOf({ allOf: [...all, ...all] })).toBe(isTaken ? undefined : refusal);
  });

  it.each(around(LIMITS.schemaPatternStates))("in states of their automata: %i is %s", (states, isTaken) => {
    const half = LIMITS.schemaPatternStates / 2;
    const refusal = `/allOf/1/pattern: expected at most ${LIMITS.schemaPatternStates} states in all regular expressions: counted repetition such as {1,100} takes one each`;
    expect(refusalOf({ allOf: [patternOf(half), patternOf(states - half)] })).toBe(isTaken ? undefined : refusal);
  });
});
