// What kind of value a schema describes, as far as it decides how the value is sent.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import type { References } from "./references.ts";
import { typesOf } from "./schema-keywords.ts";

/** An object's own properties, those of all of its `allOf` together. */
export interface ObjectShape {
  properties: [name: string, schema: unknown][];
  required: Set<string>;
  /** Whether the properties are all there is to say: no others are invited, and nothing ties them together. */
  isPlain: boolean;
}

/** Keywords that say more of an object than its properties do. */
const TIES = [
  "oneOf",
  "anyOf",
  "not",
  "if",
  "patternProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
  "dependentSchemas",
  "dependentRequired",
];

/** Whether a member of a query, a form or a body can have a name: braces mean arguments in templates. */
export const isSayableName = (name: string): boolean =>
  name.length <= LIMITS.templateNameChars && name !== "__proto__" && !/[{}]/.test(name);

/** The properties of what a schema describes; `undefined` when that is no object, or has none. */
export function findShape(schema: unknown, references: References): ObjectShape | undefined {
  const parts = flatten(schema, references, new Set());
  const properties = new Map<string, unknown>();
  const required = new Set<string>();
  let isPlain = parts !== undefined;
  for (const part of parts ?? []) {
    references.work.spend(references.work.widthOf(part));
    if (isJsonObject(part["properties"])) {
      for (const [name, property] of Object.entries(part["properties"])) {
        // Two that must both hold are one too many for a list of arguments.
        if (properties.has(name) || !isSayableName(name)) isPlain = false;
        properties.set(name, property);
      }
    }
    if (Array.isArray(part["required"])) for (const name of part["required"]) required.add(String(name));
    const { additionalProperties = false } = part;
    if (additionalProperties !== false || TIES.some((keyword) => part[keyword] !== undefined)) isPlain = false;
  }
  const isObject = (parts ?? []).every((part) => typesOf(part).every((type) => type === "object" || type === "null"));
  if (!isObject || properties.size === 0) return undefined;
  return { properties: [...properties], required, isPlain };
}

/** A schema and all that its `allOf` names; `undefined` when that has no end, or too many levels. */
function flatten(schema: unknown, references: References, seen: Set<unknown>, depth = 0): JsonObject[] | undefined {
  if (depth > LIMITS.importAllOfDepth || typeof schema === "boolean") return undefined;
  const own = references.resolve(schema);
  if (seen.has(own)) return undefined;
  seen.add(own);
  const all: unknown[] = Array.isArray(own["allOf"]) ? own["allOf"] : [];
  const parts = all.map((part) => flatten(part, references, seen, depth + 1));
  return parts.includes(undefined) ? undefined : [own, ...parts.flatMap((part) => part ?? [])];
}

export type Kind = "scalar" | "array" | "object";

/** The kinds of value that a schema allows; what says nothing of its kind is taken for a scalar. */
export function kindsOf(schema: unknown, references: References): Set<Kind> {
  const kinds = collectKinds(schema, references, new Set(), 0);
  return new Set(kinds.length > 0 ? kinds : (["scalar"] as const));
}

function collectKinds(schema: unknown, references: References, seen: Set<unknown>, depth: number): Kind[] {
  if (depth > LIMITS.importAllOfDepth || !isJsonObject(schema)) return [];
  const own = references.resolve(schema);
  if (seen.has(own)) return [];
  seen.add(own);
  const types = typesOf(own).filter((type) => type !== "null");
  if (types.length > 0) return types.map(kindOfType);
  if (isJsonObject(own["properties"]) || isJsonObject(own["additionalProperties"])) return ["object"];
  if (own["items"] !== undefined) return ["array"];
  const branches = ["allOf", "anyOf", "oneOf"].flatMap((keyword): unknown[] => {
    const list = own[keyword];
    return Array.isArray(list) ? list : [];
  });
  return branches.flatMap((branch) => collectKinds(branch, references, seen, depth + 1));
}

const kindOfType = (type: string): Kind => (type === "array" || type === "object" ? type : "scalar");
