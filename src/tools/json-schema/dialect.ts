// The dialects that tools' schemas may be written in (MCP 2026-07-28, basic, "Schema Dialect"), and where in each of them
// a schema holds others.

export type Dialect = "2020-12" | "draft-07";

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["https://json-schema.org/draft/2020-12/schema", "2020-12"],
  ["http://json-schema.org/draft-07/schema", "draft-07"],
  ["https://json-schema.org/draft-07/schema", "draft-07"],
]);

/** 2020-12 when `$schema` is absent, `undefined` when it names another dialect. */
export function dialectOf($schema: unknown): Dialect | undefined {
  if ($schema === undefined) return "2020-12";
  return typeof $schema === "string" ? DIALECTS.get($schema.replace(/#$/, "")) : undefined;
}

type Holds = "one" | "list" | "map";

const BOTH: readonly (readonly [string, Holds])[] = [
  ["additionalProperties", "one"],
  ["propertyNames", "one"],
  ["contains", "one"],
  ["not", "one"],
  ["if", "one"],
  ["then", "one"],
  ["else", "one"],
  ["items", "one"],
  ["allOf", "list"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["properties", "map"],
  ["patternProperties", "map"],
  ["definitions", "map"],
  ["$defs", "map"],
];

/** Keywords that hold schemas. `items` of draft-07 may hold a list, too, and `dependencies` lists of names. */
export const SUBSCHEMAS: Readonly<Record<Dialect, ReadonlyMap<string, Holds>>> = {
  "2020-12": new Map([
    ...BOTH,
    ["unevaluatedProperties", "one"],
    ["unevaluatedItems", "one"],
    ["contentSchema", "one"],
    ["prefixItems", "list"],
    ["dependentSchemas", "map"],
  ]),
  "draft-07": new Map([...BOTH, ["additionalItems", "one"], ["dependencies", "map"]]),
};
