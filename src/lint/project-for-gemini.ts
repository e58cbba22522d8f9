// A schema in the subset of OpenAPI 3.0 that Gemini's `parameters` takes (ai.google.dev/api/caching#Schema, v1beta). Its
// subschemas are in it already.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { PARAM_HEADER } from "../tools/param-headers.ts";
import type { Lose } from "./project-schema.ts";

const TAKEN = new Set(
  (
    "type format title description nullable enum maxItems minItems properties required minProperties maxProperties " +
    `minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum ${PARAM_HEADER}`
  ).split(" "),
);
// Left out without a word: they constrain nothing.
const SILENT = new Set(
  "$schema $id $anchor $comment $defs definitions examples readOnly writeOnly deprecated contentEncoding contentMediaType".split(
    " ",
  ),
);
const FORMATS = new Map<unknown, readonly string[]>([
  ["string", ["date-time", "enum"]],
  ["number", ["float", "double"]],
  ["integer", ["int32", "int64"]],
]);

export function projectForGemini(schema: JsonObject, path: string, lose: Lose): JsonObject {
  const { type = inferType(schema), ...rest } = withChoice(joinAll(schema, path, lose), path, lose);
  const hasChoice = Array.isArray(rest["anyOf"]);
  const types = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === "string");
  const some = types.length > 1 ? types.filter((name) => name !== "null") : types;
  const nullable = some.length < types.length && { nullable: true };
  if (some.length > 1 && hasChoice) lose(`${path}/type`, "The types are not told.");
  if (some.length === 1) return finish({ type: some[0], ...rest, ...nullable }, path, lose);
  if (hasChoice) return finish({ ...rest, ...nullable }, path, lose);
  if (some.length === 0) {
    lose(`${path}/type`, "Any value is told as a string.");
    return finish({ type: "string", ...rest }, path, lose);
  }
  const branches = some.map((name) => finish({ type: name, ...pick(rest, OF_TYPE.get(name) ?? []) }, path, lose));
  return { ...pick(rest, OF_ALL), ...nullable, anyOf: branches };
}

const OF_ALL = ["title", "description", "nullable", "default", PARAM_HEADER];
const OF_NUMBER = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "format"];
const OF_TYPE = new Map<string, readonly string[]>([
  ["string", ["enum", "const", "pattern", "minLength", "maxLength", "format"]],
  ["number", OF_NUMBER],
  ["integer", OF_NUMBER],
  ["array", ["items", "prefixItems", "minItems", "maxItems"]],
  ["object", ["properties", "required", "minProperties", "maxProperties"]],
]);

const pick = (schema: JsonObject, keywords: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => keywords.includes(keyword)));

function inferType(schema: JsonObject): string | undefined {
  if (isJsonObject(schema["properties"])) return "object";
  if ("items" in schema || "prefixItems" in schema) return "array";
  return [schema["const"], ...listOf(schema["enum"])].some((value) => typeof value === "string") ? "string" : undefined;
}

/** Everything but choices and types. */
function finish(schema: JsonObject, path: string, lose: Lose): JsonObject {
  const shaped = withBounds(withEnum(withItems(schema, path, lose), path, lose), path, lose);
  const defined = withDefined(withFormat(shaped, path, lose), path, lose);
  const kept = Object.entries(defined).filter(([keyword]) => {
    if (TAKEN.has(keyword)) return true;
    if (!SILENT.has(keyword)) lose(`${path}/${keyword}`, `${keyword} is not told.`);
    return false;
  });
  return Object.fromEntries(kept);
}

/** `allOf` as one schema: what comes first wins. */
function joinAll(schema: JsonObject, path: string, lose: Lose): JsonObject {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf)) return rest;
  lose(`${path}/allOf`, "allOf is told as one schema.");
  const parts = [rest, ...allOf.filter(isJsonObject)];
  const properties = join(parts.map((part) => part["properties"]).filter(isJsonObject));
  const required = [...new Set(parts.flatMap((part) => listOf(part["required"])))];
  return {
    ...join(parts),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

const join = (objects: readonly JsonObject[]): JsonObject =>
  Object.fromEntries(objects.toReversed().flatMap((object) => Object.entries(object)));

/** One choice at a time, and none that is null. */
function withChoice(schema: JsonObject, path: string, lose: Lose): JsonObject {
  const { anyOf, oneOf, ...rest } = schema;
  if (anyOf !== undefined && oneOf !== undefined) lose(`${path}/oneOf`, "oneOf beside anyOf is not told.");
  else if (oneOf !== undefined) lose(`${path}/oneOf`, "That exactly one of the choices fits is not told.");
  const choices = anyOf ?? oneOf;
  if (!Array.isArray(choices)) return rest;
  const branches = choices.filter(isJsonObject);
  const some = branches.filter((branch) => branch["type"] !== "null");
  const nullable = some.length < branches.length && { nullable: true };
  if (some.length === 0) return { ...rest, ...nullable };
  if (some.length === 1) return { ...some[0], ...rest, ...nullable };
  return { ...rest, ...nullable, anyOf: some };
}

function withItems(schema: JsonObject, path: string, lose: Lose): JsonObject {
  const { items, prefixItems, ...rest } = schema;
  if (rest["type"] !== "array") return rest;
  const places = [...listOf(prefixItems), ...listOf(items)].filter(isJsonObject);
  if (isJsonObject(items)) {
    if (places.length > 0) lose(`${path}/prefixItems`, "What each place of the array takes is not told.");
    return { ...rest, items };
  }
  const [first, ...more] = places;
  if (first === undefined) {
    lose(`${path}/items`, "Items of any kind are told as strings.");
    return { ...rest, items: { type: "string" } };
  }
  lose(`${path}/prefixItems`, "What each place of the array takes is told as a choice for all of them.");
  return { ...rest, items: more.length === 0 ? first : { anyOf: places } };
}

/** An enum of strings; other values are told in words. */
function withEnum(schema: JsonObject, path: string, lose: Lose): JsonObject {
  const { enum: values, const: value, ...rest } = schema;
  const all = value === undefined ? listOf(values) : [value];
  if (values === undefined && value === undefined) return rest;
  const some = all.filter((item) => item !== null);
  const nullable = some.length < all.length && { nullable: true };
  const strings = some.filter((item) => typeof item === "string");
  if (rest["type"] === "string" && strings.length === some.length && some.length > 0) {
    return { ...rest, ...nullable, enum: strings };
  }
  lose(`${path}/${value === undefined ? "enum" : "const"}`, "The values are told in the description only.");
  const words = some.filter((item) => typeof item !== "object").map((item) => JSON.stringify(item));
  return describe({ ...rest, ...nullable }, `One of: ${words.join(", ")}.`.slice(0, 500));
}

function withBounds(schema: JsonObject, path: string, lose: Lose): JsonObject {
  const { exclusiveMinimum: above, exclusiveMaximum: below, ...rest } = schema;
  const [lower, upper] = [rest["minimum"], rest["maximum"]];
  if (rest["type"] !== "integer" && (typeof above === "number" || typeof below === "number")) {
    lose(path, "That a bound itself is excluded is not told.");
  }
  const step = rest["type"] === "integer" ? 1 : 0;
  const bounds = {
    ...(typeof above === "number" && {
      minimum: Math.max(above + step, typeof lower === "number" ? lower : -Infinity),
    }),
    ...(typeof below === "number" && { maximum: Math.min(below - step, typeof upper === "number" ? upper : Infinity) }),
  };
  return { ...rest, ...bounds };
}

function withFormat(schema: JsonObject, path: string, lose: Lose): JsonObject {
  const { format, ...rest } = schema;
  if (typeof format !== "string") return rest;
  if (FORMATS.get(rest["type"])?.includes(format)) return schema;
  lose(`${path}/format`, "The format is told in the description only.");
  return describe(rest, `Format: ${format.slice(0, 100)}.`);
}

/** Properties that are schemas, and nothing required but those. */
function withDefined(schema: JsonObject, path: string, lose: Lose): JsonObject {
  const { properties, required, ...rest } = schema;
  if (properties === undefined && required === undefined) return rest;
  const entries = Object.entries(isJsonObject(properties) ? properties : {})
    .filter(([, value]) => value !== false)
    .map(([name, value]): [string, unknown] => [name, isJsonObject(value) ? value : { type: "string" }]);
  const defined = Object.fromEntries(entries);
  const kept = listOf(required).filter((name) => typeof name === "string" && Object.hasOwn(defined, name));
  if (kept.length < listOf(required).length) lose(`${path}/required`, "What no property defines is not told.");
  return { ...rest, properties: defined, ...(kept.length > 0 && { required: kept }) };
}

const describe = (schema: JsonObject, words: string): JsonObject => {
  const { description } = schema;
  return { ...schema, description: typeof description === "string" ? `${description} (${words})` : words };
};

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
