// An input schema as a client can take it. Arguments are checked against the original all the same, and what the projection
// no longer says is stated. Names of properties, and headers to mirror, stay.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { flattenRoot } from "./flatten-root.ts";
import { projectForGemini } from "./project-for-gemini.ts";
import { resolveReference } from "./resolve-reference.ts";
import type { Client } from "./verdict.ts";
import { hasType, mapSubschemas } from "./walk-schema.ts";

export interface Projection {
  schema: JsonObject;
  losses: Loss[];
}

/** What a projection no longer says. */
export interface Loss {
  /** A JSON pointer into the original schema. */
  path: string;
  message: string;
}

/** Tells of a loss at a path. */
export type Lose = (path: string, message: string) => void;

/** Changes a schema whose subschemas are changed already. */
type Step = (schema: JsonObject, path: string, lose: Lose) => JsonObject;

interface Way {
  inlines: boolean;
  step: Step;
}

const WAYS: Record<Client, Way> = {
  all: { inlines: false, step: (schema) => schema },
  claude: { inlines: false, step: (schema) => modernize(schema) },
  openai: { inlines: false, step: (schema, path, lose) => dropLookaround(addItems(schema), path, lose) },
  gemini: { inlines: true, step: projectForGemini },
  cursor: { inlines: true, step: (schema, path, lose) => takeOneType(schema, path, lose) },
  vscode: { inlines: false, step: (schema) => addItems(without(schema, ["$schema"])) },
};

/** A schema that breaks none of a client's rules but those on names and references without end; always an object's. */
export function projectSchema(schema: JsonObject, client: Client): Projection {
  const losses: Loss[] = [];
  const lose: Lose = (path, message) => void losses.push({ path, message });
  const { inlines, step } = WAYS[client];
  let subschemas = 0;

  const project = (value: JsonObject, path: string, depth: number, within: readonly string[]): JsonObject => {
    subschemas++;
    if (depth > LIMITS.jsonDepth || subschemas > LIMITS.subschemas) {
      lose(path, "Too deep or too much to be told.");
      return step({}, path, lose);
    }
    const { $ref, ...beside } = value;
    if (inlines && typeof $ref === "string") {
      const target = within.includes($ref) ? undefined : resolveReference(schema, $ref);
      if (target === undefined) lose(path, `What ${JSON.stringify($ref.slice(0, 100))} stands for is not told.`);
      const inlined = { ...(target ?? { type: "object" }), ...beside };
      return project(inlined, path, depth + 1, target === undefined ? within : [...within, $ref]);
    }
    const replace = (subschema: JsonObject, below: string): JsonObject =>
      project(subschema, path + below, depth + 1, within);
    return step(mapSubschemas(inlines ? without(value, ["$defs", "definitions"]) : value, replace), path, lose);
  };

  const flat = client === "all" ? schema : flattenRoot(schema, lose);
  const { type: _, properties, ...rest } = project(flat, "", 0, []);
  return { schema: { type: "object", properties: isJsonObject(properties) ? properties : {}, ...rest }, losses };
}

const without = (schema: JsonObject, keywords: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));

/** Loses nothing: an array without `items` takes any. */
const addItems = (schema: JsonObject): JsonObject =>
  hasType(schema, "array") && !("items" in schema) ? { ...schema, items: {} } : schema;

function dropLookaround(schema: JsonObject, path: string, lose: Lose): JsonObject {
  const { pattern, ...rest } = schema;
  if (typeof pattern !== "string" || !/\(\?<?[=!]/.test(pattern)) return schema;
  lose(`${path}/pattern`, "The pattern is not told.");
  return rest;
}

/** Says in 2020-12 what older drafts say otherwise; loses nothing. */
function modernize({ exclusiveMinimum, exclusiveMaximum, minimum, maximum, items, ...rest }: JsonObject): JsonObject {
  return {
    ...rest,
    ...boundOf("Minimum", minimum, exclusiveMinimum),
    ...boundOf("Maximum", maximum, exclusiveMaximum),
    ...(Array.isArray(items) ? { prefixItems: items } : items !== undefined && { items }),
  };
}

function boundOf(end: "Minimum" | "Maximum", bound: unknown, exclusive: unknown): JsonObject {
  if (exclusive === true) return bound === undefined ? {} : { [`exclusive${end}`]: bound };
  return {
    ...(bound !== undefined && { [end.toLowerCase()]: bound }),
    ...(exclusive !== undefined && exclusive !== false && { [`exclusive${end}`]: exclusive }),
  };
}

/** A list of types becomes the first that is not null, or a choice of schemas. */
function takeOneType(schema: JsonObject, path: string, lose: Lose): JsonObject {
  const { type, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const types = type.filter((name) => typeof name === "string" && name !== "null");
  if (type.includes("null")) lose(`${path}/type`, "That it may be null is not told.");
  const [first = "string", ...more] = types;
  if (more.length === 0) return { ...rest, type: first };
  if ("anyOf" in rest) {
    lose(`${path}/type`, "The types are not told.");
    return rest;
  }
  return { ...rest, anyOf: types.map((name) => ({ type: name })) };
}
