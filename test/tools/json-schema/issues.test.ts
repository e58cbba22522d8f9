// oxlint-disable unicorn/no-thenable -- it is JSON Schema's word

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { compileSchema } from "../../../src/tools/json-schema/compile-schema.ts";

type Schema = Record<string, unknown>;

/** `path (rule): message` of each issue, as a model is told. */
function issuesOf(schema: Schema, value: unknown): string[] {
  const outcome = compileSchema(schema)(value);
  return outcome.ok ? [] : outcome.issues.map(({ path, rule, message }) => `${path} (${rule}): ${message}`);
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`);

/** `not` before a type, with so many references between them. */
const chain = (length: number): Schema => {
  const steps = Array.from({ length }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }] as const);
  return {
    $defs: { ...Object.fromEntries(steps), [`d${length}`]: { type: "string" } },
    not: { $ref: "#/$defs/d0" },
  };
};

const USER = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    age: { type: "integer", minimum: 0, maximum: 150 },
    tags: { type: "array", items: { type: "string", pattern: "^[a-z]+$" }, maxItems: 3 },
    sort: { enum: ["asc", "desc"] },
  },
  required: ["name"],
  additionalProperties: false,
};
const IN_USER = { type: "object", properties: { user: USER }, required: ["user"], additionalProperties: false };

describe("an issue says where, which rule, and what was expected", () => {
  it.each<[string, Schema, unknown, string[]]>([
    ["what is missing", IN_USER, {}, ["user (required): is missing: expected object with name"]],
    ["a type", IN_USER, { user: [] }, ["user (type): expected object with name, got array"]],
    ["a type of several", { type: ["string", "null"] }, 1, [" (type): expected string or null, got number"]],
    ["a number that is not whole", { type: "integer" }, 1.5, [" (type): expected integer, got 1.5"]],
    ["a null", { type: "integer" }, null, [" (type): expected integer, got null"]],
    ["an item", IN_USER, { user: { name: "a", tags: ["a", 2] } }, ["user.tags[1] (type): expected string, got number"]],
    [
      "a pattern",
      IN_USER,
      { user: { name: "a", tags: ["B"] } },
      ["user.tags[0] (pattern): expected a match of the regular expression ^[a-z]+$"],
    ],
    [
      "one of several values",
      IN_USER,
      { user: { name: "a", sort: "up" } },
      ['user.sort (enum): expected "asc" or "desc"'],
    ],
    ["one value", { const: { a: 1 } }, 1, [' (const): expected {"a":1}']],
    ["a bound", IN_USER, { user: { name: "a", age: -1 } }, ["user.age (minimum): expected at least 0, got -1"]],
    ["a length", IN_USER, { user: { name: "" } }, ["user.name (minLength): expected at least 1 character, got 0"]],
    [
      "a count",
      IN_USER,
      { user: { name: "a", tags: ["a", "b", "c", "d"] } },
      ["user.tags (maxItems): expected at most 3 items, got 4"],
    ],
    [
      "an unknown member",
      IN_USER,
      { user: { name: "a", nam: 1 } },
      ["user.nam (additionalProperties): unknown member: expected name, age, tags, sort"],
    ],
    [
      "unknown arguments, each",
      { properties: { a: {} }, patternProperties: { "^x-": {} }, additionalProperties: false },
      { b: 1, c: 2 },
      [
        "b (additionalProperties): unknown argument: expected a, a match of ^x-",
        "c (additionalProperties): unknown argument: expected a, a match of ^x-",
      ],
    ],
    [
      "an unknown argument of a schema in parts",
      { allOf: [{ properties: { a: {} } }], properties: { b: {} }, unevaluatedProperties: false },
      { c: 1 },
      ["c (unevaluatedProperties): unknown argument: expected b, a"],
    ],
    ["what goes together", { dependentRequired: { a: ["b"] } }, { a: 1 }, ["b (required): is missing, needed with a"]],
    [
      "a name",
      { propertyNames: { maxLength: 2 } },
      { abc: 1 },
      ["abc (propertyNames): not a name for a member: expected at most 2 characters, got 3"],
    ],
    [
      "a duplicate",
      { uniqueItems: true },
      [1, 2, 1],
      ["[2] (uniqueItems): expected items that differ: this one equals item 0"],
    ],
    [
      "too many items of a tuple",
      { prefixItems: [{}, {}], items: false },
      [1, 2, 3, 4],
      [" (items): expected at most 2 items, got 4"],
    ],
    [
      "what is not there",
      { contains: { type: "string" } },
      [1],
      [" (contains): expected at least 1 of string among the items, got 0"],
    ],
    ["what must not be", { not: { type: "string" } }, "a", [" (not): expected anything but string"]],
    ["what has no place", { properties: { a: false } }, { a: 1 }, ["a (false): expected nothing here"]],
    ["a multiple", { multipleOf: 0.1 }, 0.25, [" (multipleOf): expected a multiple of 0.1, got 0.25"]],
    [
      "what a condition asks for",
      { if: { properties: { kind: { const: "a" } } }, then: { required: ["a"] }, else: { required: ["b"] } },
      { kind: "b" },
      ["b (required): is missing"],
    ],
    [
      "what a reference asks for",
      { $defs: { n: { minimum: 3 } }, properties: { n: { $ref: "#/$defs/n" } } },
      { n: 1 },
      ["n (minimum): expected at least 3, got 1"],
    ],
  ])("%s", (_, schema, value, issues) => {
    expect(issuesOf(schema, value)).toEqual(issues);
  });

  it("comes with others, what is missing or unknown before what is wrong deeper down", () => {
    const value = { nam: "a", age: "old", tags: [1] };
    expect(issuesOf(USER, value)).toEqual([
      "name (required): is missing: expected string",
      "nam (additionalProperties): unknown argument: expected name, age, tags, sort",
      "age (type): expected integer, got string",
      "tags[0] (type): expected string, got number",
    ]);
  });

  it("comes alone when the kind of value is wrong", () => {
    expect(issuesOf({ type: "string", enum: ["a"], minLength: 3, pattern: "x" }, 1)).toEqual([
      ' (type): expected "a", got number',
    ]);
  });
});

describe("alternatives are told by the one that was meant", () => {
  const CIRCLE = {
    type: "object",
    properties: { kind: { const: "circle" }, r: { type: "number" } },
    required: ["kind", "r"],
  };
  const SQUARE = {
    type: "object",
    properties: { kind: { const: "square" }, a: { type: "number" } },
    required: ["kind", "a"],
  };
  const SHAPE = { properties: { shape: { oneOf: [CIRCLE, SQUARE] } } };

  it.each<[string, Schema, unknown, string[]]>([
    ["by its tag", SHAPE, { shape: { kind: "square", a: "x" } }, ["shape.a (type): expected number, got string"]],
    [
      "by its tag, with a member missing",
      SHAPE,
      { shape: { kind: "circle" } },
      ["shape.r (required): is missing: expected number"],
    ],
    ["all tags", SHAPE, { shape: { kind: "line" } }, ['shape.kind (enum): expected "circle" or "square"']],
    [
      "by its type",
      { anyOf: [{ type: "string" }, { type: "number", minimum: 1 }] },
      0,
      [" (minimum): expected at least 1, got 0"],
    ],
    [
      "all types",
      { anyOf: [{ type: "string" }, CIRCLE, { enum: ["a", 1] }] },
      true,
      [' (anyOf): expected string, object with kind "circle" or "a" or 1, got a boolean'],
    ],
    [
      "all that could be meant",
      { anyOf: [{ required: ["id"] }, { properties: { name: {} }, required: ["name"] }] },
      {},
      [" (anyOf): expected object with id or object with name"],
    ],
    [
      "both that fit",
      { oneOf: [{ type: "integer" }, { minimum: 2 }] },
      3,
      [" (oneOf): expected exactly one of 2 alternatives, fits both integer (1) and what its schema allows (2)"],
    ],
    [
      "one behind a reference",
      { $defs: { c: CIRCLE }, anyOf: [{ $ref: "#/$defs/c" }, { type: "null" }] },
      { kind: "circle", r: "1" },
      ["r (type): expected number, got string"],
    ],
  ])("%s", (_, schema, value, issues) => {
    expect(issuesOf(schema, value)).toEqual(issues);
  });
});

describe("what is told is bounded", () => {
  it.each([LIMITS.validationIssues - 1, LIMITS.validationIssues, LIMITS.validationIssues + 1])(
    "to so many issues: %i",
    (count) => {
      const issues = issuesOf({ required: names(count) }, {});
      expect(issues).toEqual(
        names(count)
          .slice(0, LIMITS.validationIssues)
          .map((name) => `${name} (required): is missing`),
      );
    },
  );

  it.each([LIMITS.issueValues - 1, LIMITS.issueValues, LIMITS.issueValues + 1])("to so many values: %i", (count) => {
    const all = names(count).map((name) => `"${name}"`);
    const more = `${all.slice(0, LIMITS.issueValues).join(", ")} and ${count - LIMITS.issueValues} more`;
    const told = count > LIMITS.issueValues ? more : `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
    expect(issuesOf({ enum: names(count) }, 1)).toEqual([` (enum): expected ${told}`]);
  });

  it.each([LIMITS.issueValueChars - 1, LIMITS.issueValueChars, LIMITS.issueValueChars + 1])(
    "to so much of a value: %i",
    (chars) => {
      const text = JSON.stringify("v".repeat(chars - 2));
      const told = chars > LIMITS.issueValueChars ? `${text.slice(0, LIMITS.issueValueChars)}…` : text;
      expect(issuesOf({ const: JSON.parse(text) }, 1)).toEqual([` (const): expected ${told}`]);
    },
  );

  it.each([LIMITS.issueNameChars - 1, LIMITS.issueNameChars, LIMITS.issueNameChars + 1])(
    "to so much of a name: %i",
    (chars) => {
      const name = "n".repeat(chars);
      const told = chars > LIMITS.issueNameChars ? `${name.slice(0, LIMITS.issueNameChars)}…` : name;
      expect(issuesOf({ properties: { [name]: { type: "null" } } }, { [name]: 1 })).toEqual([
        `${told} (type): expected null, got number`,
      ]);
    },
  );

  it("to so many references followed", () => {
    // One more leads from the first reference into the chain, and another to what is at its end.
    const last = LIMITS.issueSchemaDepth - 2;
    expect([last, last + 1, last + 2].map((length) => issuesOf(chain(length), "a"))).toEqual([
      [" (not): expected anything but string"],
      [" (not): expected anything but what its schema allows"],
      [" (not): expected anything but what its schema allows"],
    ]);
  });
});

describe("names that objects inherit", () => {
  const text = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}';

  it("are unknown arguments like others", () => {
    const schema = { type: "object", properties: { a: {} }, additionalProperties: false };
    expect(issuesOf(schema, JSON.parse(text))).toEqual([
      "__proto__ (additionalProperties): unknown argument: expected a",
      "constructor (additionalProperties): unknown argument: expected a",
    ]);
  });

  it("stay a value's own where they are allowed, and reach no other object", () => {
    const outcome = compileSchema({ type: "object", properties: { toString: { type: "string" } } })(JSON.parse(text));
    const value = outcome.ok ? (outcome.value as object) : {};
    expect([outcome.ok, Object.keys(value), JSON.stringify(value)]).toEqual([true, ["__proto__", "constructor"], text]);
    expect([Reflect.get({}, "isAdmin"), Reflect.get({}, "x")]).toEqual([undefined, undefined]);
  });

  it("are missing when they are only inherited", () => {
    expect(issuesOf({ required: ["toString", "__proto__"] }, {})).toEqual([
      "toString (required): is missing",
      "__proto__ (required): is missing",
    ]);
  });
});
