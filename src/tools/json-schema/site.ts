// What a keyword's compiler sees: one keyword of one schema.

import { isJsonObject, type JsonObject } from "../../lib/json-value.ts";
import type { Pattern } from "./pattern/pattern.ts";
import type { SchemaNode } from "./schema-node.ts";

/** Adds the rules of one keyword to its node. */
export type KeywordCompiler = (value: unknown, site: Site) => void;

export interface Site {
  readonly node: SchemaNode;
  /** The schema that the keyword stands in. */
  readonly schema: JsonObject;
  /** The node of a subschema; names go down from the schema. */
  nodeAt(...tokens: (string | number)[]): SchemaNode;
  /** The node that a `$ref` of this schema leads to. */
  nodeOf(ref: string): SchemaNode;
  pattern(source: string, ...tokens: string[]): Pattern;
  /** Ends the compilation; says what was expected at the keyword, or where the tokens lead from the schema. */
  refuse(expected: string, ...tokens: (string | number)[]): never;
}

export function expectCount(value: unknown, { refuse }: Site, ...tokens: string[]): number {
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0;
  return isCount ? value : refuse("a whole number from 0 on", ...tokens);
}

export function expectNumber(value: unknown, { refuse }: Site): number {
  return typeof value === "number" && Number.isFinite(value) ? value : refuse("a number");
}

export function expectNames(value: unknown, { refuse }: Site, ...tokens: string[]): string[] {
  const isList = Array.isArray(value) && value.every((name) => typeof name === "string");
  return isList && new Set(value).size === value.length
    ? (value as string[])
    : refuse("a list of different names", ...tokens);
}

export function expectMap(value: unknown, { refuse }: Site): JsonObject {
  return isJsonObject(value) ? value : refuse("an object of schemas");
}

/** The nodes of a list of schemas under a keyword. */
export function expectNodes(keyword: string, value: unknown, site: Site): SchemaNode[] {
  const isList = Array.isArray(value) && value.length > 0;
  return isList ? value.map((_, index) => site.nodeAt(keyword, index)) : site.refuse("a list of schemas, at least one");
}
