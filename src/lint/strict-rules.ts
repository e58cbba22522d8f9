// OpenAI's strict mode: nothing is refused, as clients of MCP may go without it, but the Responses API turns it on where
// nothing is said and makes optional arguments mandatory (developers.openai.com/api/docs/guides/function-calling, as of
// 2026-04-01). What it allows: developers.openai.com/api/docs/guides/structured-outputs#supported-schemas, 2026-02.

import { isJsonObject } from "../lib/json-value.ts";
import { at, keywordsOf, type SchemaRule, type Step } from "./schema-rule.ts";
import { type Verdict } from "./verdict.ts";
import { hasType, type SchemaNode } from "./walk-schema.ts";

const UNSUPPORTED = new Set("allOf not dependentRequired dependentSchemas if then else".split(" "));
const LEVELS = 10;
const PROPERTIES = 5_000;
const ENUM_ITEMS = 1_000;
/** An enum of more items than this may have so many characters only. */
const LONG_ENUM_ITEMS = 250;
const LONG_ENUM_CHARS = 15_000;

export const STRICT_RULES: readonly SchemaRule[] = [
  {
    client: "openai",
    level: "info",
    rule: "strict-optional",
    message: "In strict mode each property is required: an optional one must take null instead.",
    find: optionalProperties,
  },
  {
    client: "openai",
    level: "info",
    rule: "strict-additional",
    message: "Strict mode wants additionalProperties: false in every object.",
    find: ({ schema }) =>
      at(hasType(schema, "object") && schema["additionalProperties"] !== false, "additionalProperties"),
  },
  {
    client: "openai",
    level: "info",
    rule: "strict-keyword",
    message: "Strict mode refuses this keyword.",
    find: (node) => keywordsOf(node, UNSUPPORTED),
  },
  {
    client: "openai",
    level: "info",
    rule: "strict-depth",
    message: `Strict mode takes ${LEVELS} levels of objects at most.`,
    find: ({ depth, schema }) => at(depth === LEVELS && isJsonObject(schema["properties"])),
  },
  {
    client: "openai",
    level: "info",
    rule: "strict-enum",
    message: `Strict mode takes ${LONG_ENUM_CHARS} characters at most in an enum of more than ${LONG_ENUM_ITEMS}.`,
    find: ({ schema }) => at(isLongEnum(schema["enum"]), "enum"),
  },
];

function optionalProperties({ schema: { properties, required } }: SchemaNode): Step[] {
  if (!isJsonObject(properties)) return [];
  const names = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.keys(properties)
    .filter((name) => !names.has(name))
    .map((name) => ["properties", name]);
}

function isLongEnum(items: unknown): boolean {
  if (!Array.isArray(items) || items.length <= LONG_ENUM_ITEMS) return false;
  return items.reduce<number>((sum, item) => sum + (typeof item === "string" ? item.length : 0), 0) > LONG_ENUM_CHARS;
}

const sizeOf = (value: unknown): number => (isJsonObject(value) ? Object.keys(value).length : 0);

/** What all subschemas have together. */
export function lintStrictTotals(nodes: readonly SchemaNode[], path: string): Verdict[] {
  const properties = nodes.reduce((sum, { schema }) => sum + sizeOf(schema["properties"]), 0);
  const items = nodes.reduce((sum, { schema }) => sum + (Array.isArray(schema["enum"]) ? schema["enum"].length : 0), 0);
  const tooMany = (what: string, count: number, limit: number): Verdict[] =>
    count <= limit
      ? []
      : [
          {
            client: "openai",
            level: "info",
            rule: "strict-total",
            path,
            message: `Strict mode takes ${limit} ${what} at most, this has ${count}.`,
          },
        ];
  return [...tooMany("properties", properties, PROPERTIES), ...tooMany("items of enums", items, ENUM_ITEMS)];
}
