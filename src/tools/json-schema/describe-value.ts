// Words for values and schemas, short enough for a message that a model reads.

import { markCut } from "../../lib/cut-text.ts";
import { isJsonObject, type JsonObject } from "../../lib/json-value.ts";
import { LIMITS } from "../../lib/limits.ts";
import type { SchemaNode } from "./schema-node.ts";

const ARTICLES: Readonly<Record<string, string>> = { object: "an object", array: "an array", null: "null" };

/** The JSON type of a value. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** `"a", "b" or 3`, at most so many of them. */
export const describeValues = (values: readonly unknown[]): string => listOf(values, describeValue, " or ");

const describeValue = (value: unknown): string => markCut(JSON.stringify(value), LIMITS.issueValueChars);

/** `1 item`, `2 items`. */
export const countOf = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;

/** Names as they are, at most so many of them. */
export const describeNames = (names: Iterable<string>): string => listOf([...names], shorten, ", ") || "none";

const shorten = (name: string): string => markCut(name, LIMITS.issueNameChars);

function listOf<T>(items: readonly T[], describe: (item: T) => string, last: string): string {
  const named = [...new Set(items.slice(0, LIMITS.issueValues).map(describe))];
  const more = items.length - LIMITS.issueValues;
  if (more > 0) return `${named.join(", ")} and ${more} more`;
  return named.length < 2 ? named.join("") : `${named.slice(0, -1).join(", ")}${last}${named.at(-1)}`;
}

/** What a schema wants, in a few words: `"asc" or "desc"`, `integer`, `object with a, b`. */
export function describeSchema(node: SchemaNode, depth = 0): string {
  // Said again and again while alternatives are weighed.
  node.description ??= depth < LIMITS.issueSchemaDepth ? describeNode(node, depth) : undefined;
  return node.description ?? ANYTHING;
}

const ANYTHING = "what its schema allows";

function describeNode(node: SchemaNode, depth: number): string {
  const { schema, alternatives } = node;
  if (schema === false) return "nothing";
  if (!isJsonObject(schema)) return "anything";
  const own = describeOwn(schema, node);
  if (own !== undefined) return own;
  return alternatives.length === 0 ? ANYTHING : describeSchemas(alternatives, depth + 1);
}

/** What any of several schemas wants. */
export const describeSchemas = (nodes: readonly SchemaNode[], depth = 0): string =>
  listOf(nodes, (node) => describeSchema(node, depth), " or ");

function describeOwn(schema: JsonObject, node: SchemaNode): string | undefined {
  if (Object.hasOwn(schema, "const")) return describeValue(schema["const"]);
  if (Array.isArray(schema["enum"])) return describeValues(schema["enum"]);
  const { type } = schema;
  const isObject = type === "object" || (type === undefined && (node.properties.size > 0 || "required" in schema));
  if (isObject) return describeObject(schema, node);
  if (Array.isArray(type)) return listOf(type, String, " or ");
  return typeof type === "string" ? type : undefined;
}

/** What tells objects apart: members with one possible value, then those that are required. */
function describeObject(schema: JsonObject, node: SchemaNode): string {
  const tags = [...node.properties].flatMap(([name, { schema }]) =>
    isJsonObject(schema) && Object.hasOwn(schema, "const")
      ? [`${shorten(name)} ${describeValue(schema["const"])}`]
      : [],
  );
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const names = tags.length > 0 ? tags : required.map((name) => shorten(String(name)));
  return names.length === 0 ? "object" : `object with ${listOf(names, String, ", ")}`;
}

/** `an object`, `null`, `a string`. */
export const describeType = (value: unknown): string => ARTICLES[typeOf(value)] ?? `a ${typeOf(value)}`;
