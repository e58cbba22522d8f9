// Which keywords of a document's schemas a tool's schema keeps (JSON Schema 2020-12), and what each must hold. What is no
// such keyword, or holds something else, is left out: documents in the wild have plenty of both.

import { isJsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { cleanText } from "./clean-text.ts";

/** Keywords that hold schemas: one, a list, or a map of them. */
export const APPLICATORS = new Map<string, "schema" | "list" | "map">([
  ["allOf", "list"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["not", "schema"],
  ["if", "schema"],
  ["then", "schema"],
  ["else", "schema"],
  ["properties", "map"],
  ["patternProperties", "map"],
  ["additionalProperties", "schema"],
  ["propertyNames", "schema"],
  ["unevaluatedProperties", "schema"],
  ["dependentSchemas", "map"],
  ["items", "schema"],
  ["prefixItems", "list"],
  ["contains", "schema"],
  ["unevaluatedItems", "schema"],
]);

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"];

type Keep = (value: unknown, textChars: number) => unknown;

const number: Keep = (value) => (typeof value === "number" ? value : undefined);
const count: Keep = (value) => (Number.isInteger(value) && Number(value) >= 0 ? value : undefined);
const flag: Keep = (value) => (typeof value === "boolean" ? value : undefined);
const text: Keep = (value, textChars) => cleanText(value, textChars) || undefined;
const word: Keep = (value) => (typeof value === "string" && value.length <= 100 ? value : undefined);
const names: Keep = (value) =>
  Array.isArray(value) ? [...new Set(value.filter((name) => typeof name === "string"))] : undefined;
const smallData: Keep = (value, textChars) => (JSON.stringify(value).length <= textChars ? value : undefined);

/** Keywords that hold no schema; `undefined` for what is not to be kept. */
const KEYWORDS = new Map<string, Keep>([
  ["title", text],
  ["description", text],
  ["type", keepType],
  ["format", word],
  ["enum", keepEnum],
  ["const", (value) => value],
  ["default", smallData],
  ["examples", keepExamples],
  ["deprecated", flag],
  ["multipleOf", (value) => (Number(value) > 0 ? number(value, 0) : undefined)],
  ["minimum", number],
  ["maximum", number],
  ["exclusiveMinimum", number],
  ["exclusiveMaximum", number],
  ["minLength", count],
  ["maxLength", count],
  ["pattern", (value) => (isUsablePattern(value) ? value : undefined)],
  ["contentEncoding", word],
  ["contentMediaType", word],
  ["minItems", count],
  ["maxItems", count],
  ["uniqueItems", flag],
  ["minContains", count],
  ["maxContains", count],
  ["minProperties", count],
  ["maxProperties", count],
  ["required", names],
]);

/** What is kept of a keyword that holds no schema. */
export const keepKeyword = (keyword: string, value: unknown, textChars: number): unknown =>
  KEYWORDS.get(keyword)?.(value, textChars);

// Lookaround, modifiers and backreferences can't be matched in linear time, and long counted repetition not in little space.
const COSTLY = /\(\?(?!:|<[^=!])|\\[1-9k]|\{(?:\d+,)?\d{4,}/;

/** A pattern that a tool's schema may have: ECMA-262 with `u`, without what takes more than one pass over the text. */
export function isUsablePattern(pattern: unknown): pattern is string {
  if (typeof pattern !== "string" || pattern.length > LIMITS.patternChars || COSTLY.test(pattern)) return false;
  try {
    return new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

/** The schema's own types, as a list. */
export function typesOf({ type }: Record<string, unknown>): string[] {
  const listed: unknown[] = Array.isArray(type) ? type : [type];
  return [...new Set(listed.filter((name): name is string => TYPES.includes(String(name))))];
}

function keepType(type: unknown): string | string[] | undefined {
  const types = typesOf({ type });
  return types.length > 1 ? types : types[0];
}

function keepEnum(values: unknown): unknown[] | undefined {
  if (!Array.isArray(values) || values.length === 0 || values.length > LIMITS.schemaEnumItems) return undefined;
  return [...new Set(values)];
}

/** Short ones of plain values: they help a model, others cost more than they help. */
function keepExamples(examples: unknown): unknown[] | undefined {
  if (!Array.isArray(examples)) return undefined;
  const plain = examples.filter(isShort);
  return plain.length > 0 ? plain.slice(0, 3) : undefined;
}

const isShort = (example: unknown): boolean =>
  ["string", "number", "boolean"].includes(typeof example) && JSON.stringify(example).length <= 100;

/**
 * The words of OpenAPI 3.0 that mean the same in other words since 3.1: bounds that exclude themselves, one example.
 * `nullable` is for who knows what the schema becomes.
 */
export function modernize(schema: Record<string, unknown>): Record<string, unknown> {
  const modern = { ...schema };
  for (const [bound, exclusive] of BOUNDS) {
    if (schema[exclusive] !== true) continue;
    modern[exclusive] = schema[bound];
    delete modern[bound];
  }
  if (schema["example"] !== undefined && !Array.isArray(schema["examples"])) modern["examples"] = [schema["example"]];
  return modern;
}

const BOUNDS = [
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
] as const;

/** Whether a schema's property belongs to one direction only, the other one. */
export const isHiddenIn = (direction: "input" | "output", schema: unknown): boolean =>
  isJsonObject(schema) && schema[direction === "input" ? "readOnly" : "writeOnly"] === true;
