// What a schema may be before anything looks into it: JSON of a bounded size, in a dialect that is known, of the type that
// its role asks for.

import { isJsonObject, type JsonObject } from "../../lib/json-value.ts";
import { LIMITS } from "../../lib/limits.ts";
import { dialectOf, type Dialect } from "./dialect.ts";
import { pointerTo, SchemaRefused } from "./schema-refusal.ts";

/** Throws `SchemaRefused`. */
export function readDialect(schema: JsonObject): Dialect {
  const dialect = dialectOf(schema["$schema"]);
  if (dialect) return dialect;
  throw new SchemaRefused("/$schema", `expected JSON Schema 2020-12 or draft-07, got ${quote(schema["$schema"])}`);
}

/** Throws `SchemaRefused`. */
export function checkSize(schema: unknown): asserts schema is JsonObject {
  if (!isJsonObject(schema)) throw new SchemaRefused("", "expected a JSON Schema object");
  checkDepth("", schema, 1);
  const chars = JSON.stringify(schema).length;
  if (chars > LIMITS.schemaChars) {
    throw new SchemaRefused("", `expected at most ${LIMITS.schemaChars} characters, got ${chars}`);
  }
}

/** First of all: what follows relies on it. */
function checkDepth(path: string, value: object, depth: number): void {
  if (depth > LIMITS.jsonDepth) throw new SchemaRefused(path, `nested too deep: at most ${LIMITS.jsonDepth} levels`);
  for (const [key, member] of Object.entries(value)) {
    if (typeof member === "object" && member !== null) checkDepth(pointerTo(path, key), member, depth + 1);
  }
}

const quote = (value: unknown): string => JSON.stringify(value).slice(0, LIMITS.issueValueChars);
