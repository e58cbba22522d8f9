// Every subschema of a JSON Schema in the order in which it is written, without recursion: a schema from a stranger may be
// nested as deep as its size allows.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { pointTo } from "./verdict.ts";

export interface SchemaNode {
  schema: JsonObject;
  /** JSON pointer from the definition. */
  path: string;
  /** The keyword that it is a value of; empty for the root. */
  under: string;
  /** Only `properties` lie between it and the root. */
  isReachable: boolean;
  /** Objects with properties around it. */
  depth: number;
}

const SCHEMA_KEYWORDS = new Set(
  (
    "items additionalItems contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties " +
    "not if then else contentSchema"
  ).split(" "),
);
const LIST_KEYWORDS = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"]);
const MAP_KEYWORDS = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);

/** The schema and all below it; values that are no schema objects are passed over. */
export function* walkSchema(root: unknown, path: string): Generator<SchemaNode, void> {
  const waiting: SchemaNode[] = isJsonObject(root)
    ? [{ schema: root, path, under: "", isReachable: true, depth: 0 }]
    : [];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node;
    waiting.push(...childrenOf(node).toReversed());
  }
}

function childrenOf(node: SchemaNode): SchemaNode[] {
  return Object.entries(node.schema).flatMap(([keyword, value]) => {
    const at = pointTo(node.path, keyword);
    if (SCHEMA_KEYWORDS.has(keyword) && isJsonObject(value)) return [childOf(node, keyword, value, at)];
    const isList = LIST_KEYWORDS.has(keyword) && Array.isArray(value);
    if (!isList && !(MAP_KEYWORDS.has(keyword) && isJsonObject(value))) return [];
    return Object.entries(value).flatMap(([key, member]) =>
      isJsonObject(member) ? [childOf(node, keyword, member, pointTo(at, key))] : [],
    );
  });
}

const childOf = (parent: SchemaNode, under: string, schema: JsonObject, path: string): SchemaNode => ({
  schema,
  path,
  under,
  isReachable: parent.isReachable && under === "properties",
  depth: parent.depth + (under === "properties" ? 1 : 0),
});

/** A schema with each schema object right below it replaced. */
export function mapSubschemas(
  schema: JsonObject,
  replace: (subschema: JsonObject, path: string) => unknown,
): JsonObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    const path = pointTo("", keyword);
    if (SCHEMA_KEYWORDS.has(keyword) && isJsonObject(value)) return [keyword, replace(value, path)];
    if (LIST_KEYWORDS.has(keyword) && Array.isArray(value)) {
      return [keyword, value.map((item, index) => (isJsonObject(item) ? replace(item, pointTo(path, index)) : item))];
    }
    if (!MAP_KEYWORDS.has(keyword) || !isJsonObject(value)) return [keyword, value];
    const members = Object.entries(value).map(([name, member]): [string, unknown] => [
      name,
      isJsonObject(member) ? replace(member, pointTo(path, name)) : member,
    ]);
    return [keyword, Object.fromEntries(members)];
  });
  return Object.fromEntries(entries);
}

/** Whether a schema's `type` is this, or one of several that are. */
export const hasType = ({ type }: JsonObject, name: string): boolean =>
  type === name || (Array.isArray(type) && type.includes(name));
