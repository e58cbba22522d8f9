// Schemas within their bounds that would take long on values within theirs.

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { compileSchema } from "../../../src/tools/json-schema/compile-schema.ts";

type Schema = Record<string, unknown>;

const TOO_MUCH = {
  ok: false,
  issues: [
    {
      path: "",
      rule: "work",
      message: `takes too long to check: expected fewer or smaller values (at most ${LIMITS.validationSteps} steps, ${LIMITS.validationDepth} deep)`,
    },
  ],
};

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const members = (count: number): Schema => Object.fromEntries(times(count, (at) => [`k${at}`, 1]));
const nested = (depth: number, inner: unknown): unknown =>
  times(depth, String).reduce<unknown>((value) => [value], inner);

/** Each refers to the next one. */
const chain = (length: number, refer: (ref: Schema) => Schema, last: Schema): Schema => ({
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(
    times(length, (at) => [`d${at}`, at === length - 1 ? last : refer({ $ref: `#/$defs/d${at + 1}` })]),
  ),
});

describe("the work of a validation is bounded", () => {
  it.each([
    [LIMITS.validationSteps - 1, true],
    [LIMITS.validationSteps, true],
    [LIMITS.validationSteps + 1, false],
  ])("in steps: %i is %s", (steps, isTaken) => {
    // One for the array, one for each item.
    const value = times(steps - 1, () => true);
    expect(compileSchema({ items: { type: "boolean" } })(value)).toEqual(isTaken ? { ok: true, value } : TOO_MUCH);
  });

  it.each([
    [LIMITS.resultValidationSteps - 1, true],
    [LIMITS.resultValidationSteps, true],
    [LIMITS.resultValidationSteps + 1, false],
  ])("in other steps for results: %i is %s", (steps, isTaken) => {
    const value = times(steps - 1, () => true);
    const outcome = compileSchema({ items: { type: "boolean" } }, LIMITS.resultValidationSteps)(value);
    expect([outcome.ok, outcome.ok || outcome.issues[0]?.rule]).toEqual(isTaken ? [true, true] : [false, "work"]);
  });

  it.each([
    [LIMITS.validationDepth - 2, true],
    [LIMITS.validationDepth, true],
    [LIMITS.validationDepth + 2, false],
  ])("in schemas inside each other: %i is %s", (depth, isTaken) => {
    const schema = { $ref: "#/$defs/n", $defs: { n: { items: { $ref: "#/$defs/n" } } } };
    const value = nested(depth / 2 - 1, []);
    expect(compileSchema(schema)(value)).toEqual(isTaken ? { ok: true, value } : TOO_MUCH);
  });

  it.each<[string, Schema, unknown]>([
    ["two references at every step", chain(40, (ref) => ({ anyOf: [ref, ref] }), { type: "string" }), 1],
    [
      "the same, to be marked as evaluated",
      chain(40, (ref) => ({ anyOf: [ref, ref], unevaluatedProperties: false }), { properties: { a: {} } }),
      { a: 1 },
    ],
    [
      "a long way at every level of the value",
      chain(900, (ref) => ref, { items: { $ref: "#/$defs/d0" } }),
      nested(60, 1),
    ],
    [
      "many alternatives, told by items",
      { items: { contains: { anyOf: times(900, (at) => ({ const: `c${at}` })) } } },
      times(30, () => times(300, String)),
    ],
    [
      "names that must be there",
      { items: { required: times(6_000, (at) => `k${at}`) } },
      times(200, () => members(6_000)),
    ],
    ["many counts of many members", { allOf: times(900, (at) => ({ maxProperties: 9_999 + at })) }, members(9_000)],
    [
      "many members against many patterns",
      { patternProperties: Object.fromEntries(times(199, (at) => [`^z${at}`, true])) },
      members(9_000),
    ],
    ["many unknown members", { allOf: times(450, () => ({ additionalProperties: { minimum: 1 } })) }, members(9_000)],
    ["many items compared", { allOf: times(900, () => ({ uniqueItems: true })) }, times(9_000, String)],
    ["objects compared", { anyOf: times(900, (at) => ({ const: { at } })) }, members(9_000)],
    [
      "long texts against many patterns",
      { allOf: times(199, (at) => ({ pattern: `^[a-z${at}]*$` })) },
      "a".repeat(1_000_000),
    ],
    ["a pattern with many states", { pattern: "a.{900}c" }, "ab".repeat(5_000)],
    ["lengths in code points", { allOf: times(900, (at) => ({ maxLength: 400_000 + at })) }, "😀".repeat(250_000)],
  ])("whatever takes it: %s", (_, schema, value) => {
    expect(compileSchema(schema)(value)).toEqual(TOO_MUCH);
  });

  it.each<[string, Schema, unknown]>([
    ["10,000 objects that differ", { items: { type: "object" }, uniqueItems: true }, times(10_000, (at) => ({ at }))],
    ["10,000 numbers", { items: { type: "number", minimum: 0, multipleOf: 0.5 } }, times(10_000, (at) => at / 2)],
    ["a text of 1 MiB", { type: "string", minLength: 1, pattern: "^[a-z]*$" }, "a".repeat(1_048_576)],
    [
      "records with five members",
      {
        items: {
          type: "object",
          required: ["a"],
          properties: {
            a: { type: "integer" },
            b: { enum: ["x", "y"] },
            c: { type: ["string", "null"], maxLength: 20 },
            d: { pattern: "^[a-z]+$" },
            e: {},
          },
          additionalProperties: false,
        },
      },
      times(1_666, (a) => ({ a, b: "x", c: null, d: "hello", e: true })),
    ],
    [
      "a tree",
      {
        $defs: { n: { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/$defs/n" } }] } },
        $ref: "#/$defs/n",
      },
      nested(60, times(5_000, String)),
    ],
  ])("but enough for %s", (_, schema, value) => {
    expect(compileSchema(schema)(value)).toEqual({ ok: true, value });
  });
});
