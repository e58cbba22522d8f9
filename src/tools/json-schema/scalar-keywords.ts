// Keywords that say what kind of value it is, and those on numbers and texts.

import { LIMITS } from "../../lib/limits.ts";
import { countOf, describeSchema, describeValues, typeOf } from "./describe-value.ts";
import { keyOf } from "./json-key.ts";
import { isMultiple } from "./multiple-of.ts";
import type { Budget } from "./pattern/pattern.ts";
import { expectCount, expectNumber, type KeywordCompiler, type Site } from "./site.ts";

const TYPES = ["null", "boolean", "object", "array", "number", "string", "integer"];
/** What it costs to compare decimals that are not whole. */
const DECIMAL_STEPS = 8;

/** Characters that are counted in about one step. */
const STEP_CHARS = 16;

const FREE: Budget = { spend: () => undefined };

const compileType: KeywordCompiler = (value, site) => {
  const types = new Set<unknown>(Array.isArray(value) ? value : [value]);
  const areTypes = types.size > 0 && [...types].every((type) => TYPES.includes(type as string));
  if (!areTypes || (Array.isArray(value) && value.length !== types.size)) {
    site.refuse(`one of ${TYPES.join(", ")}, or a list of different ones`);
  }
  const [takesNumbers, takesIntegers] = [types.has("number"), types.has("integer")];
  site.node.gates.push((value, run) => {
    if (
      typeof value === "number" ? takesNumbers || (takesIntegers && Number.isInteger(value)) : types.has(typeOf(value))
    ) {
      return true;
    }
    if (run.findings === undefined) return false;
    const got = typeof value === "number" && takesIntegers ? String(value) : typeOf(value);
    return run.report("type", `expected ${describeSchema(site.node)}, got ${got}`);
  });
};

function compileValues(rule: string, values: readonly unknown[], { node }: Site): void {
  const keys = new Set(values.map((value) => keyOf(value, FREE)));
  let words: string | undefined;
  const holdsStructures = values.some((value) => typeof value === "object" && value !== null);
  node.gates.push((value, run) => {
    const canBe = holdsStructures || typeof value !== "object" || value === null;
    if (canBe && keys.has(keyOf(value, run))) return true;
    if (run.findings === undefined) return false;
    words ??= describeValues(values);
    return run.add({ path: run.path, rule, message: `expected ${words}`, allowed: values });
  });
}

const compileEnum: KeywordCompiler = (value, site) => {
  if (!Array.isArray(value)) return site.refuse("a list of values");
  if (value.length > LIMITS.schemaEnumItems) return site.refuse(`at most ${LIMITS.schemaEnumItems} values`);
  return compileValues("enum", value, site);
};

/** A bound on numbers: what keeps it, and the words for it. */
const onNumbers =
  (rule: string, words: string, keeps: (value: number, bound: number) => boolean): KeywordCompiler =>
  (value, site) => {
    const bound = expectNumber(value, site);
    site.node.checks.push((value, run) => {
      if (typeof value !== "number" || keeps(value, bound)) return true;
      return run.findings !== undefined && run.report(rule, `expected ${words} ${bound}, got ${value}`);
    });
  };

const compileMultipleOf: KeywordCompiler = (value, site) => {
  const divisor = expectNumber(value, site);
  if (divisor <= 0) site.refuse("a number above 0");
  site.node.checks.push((value, run) => {
    if (typeof value !== "number") return true;
    if (!Number.isSafeInteger(value) || !Number.isSafeInteger(divisor)) run.spend(DECIMAL_STEPS);
    return isMultiple(value, divisor) || run.report("multipleOf", `expected a multiple of ${divisor}, got ${value}`);
  });
};

/** A bound on the length of texts, in code points. */
const onLength =
  (rule: string, words: string, keeps: (length: number, bound: number) => boolean): KeywordCompiler =>
  (value, site) => {
    const bound = expectCount(value, site);
    site.node.checks.push((value, run) => {
      if (typeof value !== "string") return true;
      // Between half of and all code units: mostly that alone decides.
      const [least, most] = [keeps(Math.ceil(value.length / 2), bound), keeps(value.length, bound)];
      if (least === most && (least || run.findings === undefined)) return least;
      const length = countCodePoints(value, run);
      return (
        keeps(length, bound) || run.report(rule, `expected ${words} ${countOf(bound, "character")}, got ${length}`)
      );
    });
  };

function countCodePoints(text: string, budget: Budget): number {
  budget.spend(Math.floor(text.length / STEP_CHARS));
  let count = text.length;
  for (let at = 1; at < text.length; at++) {
    const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
    if (isLow && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) count--;
  }
  return count;
}

const compilePattern: KeywordCompiler = (value, site) => {
  if (typeof value !== "string") return site.refuse("a regular expression");
  const pattern = site.pattern(value, "pattern");
  site.node.checks.push((value, run) => {
    if (typeof value !== "string" || pattern.isIn(value, run)) return true;
    return run.report("pattern", `expected a match of the regular expression ${pattern.source}`);
  });
};

/** What kind of value it is. */
export const KIND_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [
  ["type", compileType],
  ["enum", compileEnum],
  ["const", (value, site) => compileValues("const", [value], site)],
];

export const SCALAR_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [
  ["minimum", onNumbers("minimum", "at least", (value, bound) => value >= bound)],
  ["exclusiveMinimum", onNumbers("exclusiveMinimum", "more than", (value, bound) => value > bound)],
  ["maximum", onNumbers("maximum", "at most", (value, bound) => value <= bound)],
  ["exclusiveMaximum", onNumbers("exclusiveMaximum", "less than", (value, bound) => value < bound)],
  ["multipleOf", compileMultipleOf],
  ["minLength", onLength("minLength", "at least", (length, bound) => length >= bound)],
  ["maxLength", onLength("maxLength", "at most", (length, bound) => length <= bound)],
  ["pattern", compilePattern],
];
