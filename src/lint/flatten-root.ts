// Claude and OpenAI want one object at the root, where a union or an intersection of objects may stand.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import type { Lose } from "./project-schema.ts";
import { resolveReference } from "./resolve-reference.ts";

/** One object with the properties of all branches; required is what each way through them requires. */
export function flattenRoot(root: JsonObject, lose: Lose): JsonObject {
  const { anyOf, oneOf, allOf, enum: values, const: value, not, ...rest } = root;
  let flat: JsonObject = { ...rest, type: "object" };
  for (const [keyword, branches] of Object.entries({ anyOf, oneOf, allOf })) {
    if (branches === undefined) continue;
    lose(`/${keyword}`, `The root's ${keyword} is told as one object.`);
    flat = merge(flat, branchesOf(root, branches), keyword === "allOf");
  }
  if (values !== undefined) lose("/enum", "The root's enum is not told.");
  if (value !== undefined) lose("/const", "The root's const is not told.");
  if (not !== undefined) lose("/not", "The root's not is not told.");
  return flat;
}

const branchesOf = (root: JsonObject, branches: unknown): JsonObject[] =>
  (Array.isArray(branches) ? branches : []).filter(isJsonObject).map((branch) => {
    const { $ref } = branch;
    return typeof $ref === "string" ? (resolveReference(root, $ref) ?? branch) : branch;
  });

function merge(root: JsonObject, branches: readonly JsonObject[], isAll: boolean): JsonObject {
  const names = new Set([root, ...branches].flatMap(({ properties }) => keysOf(properties)));
  const entries = Array.from(names, (name): [string, unknown] => [
    name,
    oneOfThese([root, ...branches].flatMap(({ properties }) => valueOf(properties, name))),
  ]);
  const ofBranches = branches.map(({ required }) => stringsOf(required));
  const [first = [], ...others] = ofBranches;
  const common = isAll ? ofBranches.flat() : first.filter((name) => others.every((names) => names.includes(name)));
  const required = [...new Set([...stringsOf(root["required"]), ...common])];
  return {
    ...root,
    ...(entries.length > 0 && { properties: Object.fromEntries(entries) }),
    ...(required.length > 0 && { required }),
  };
}

const keysOf = (properties: unknown): string[] => (isJsonObject(properties) ? Object.keys(properties) : []);

const valueOf = (properties: unknown, name: string): unknown[] =>
  isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];

/** Schemas that differ become a choice, and one that a branch repeats stays as it is. */
function oneOfThese(schemas: readonly unknown[]): unknown {
  const unlike = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return unlike.length === 1 ? unlike[0] : { anyOf: unlike };
}

const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
