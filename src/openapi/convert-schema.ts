// A document's schemas as JSON Schema 2020-12, within the bounds of a tool record. Inlines what `$ref`s stand for, since
// many clients understand no `$ref`; what is recursive or used too often to be copied goes to `$defs`.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import type { JsonSchema } from "../tools/define-tool.ts";
import { readOwn, type References } from "./references.ts";
import { APPLICATORS, isHiddenIn, isUsablePattern, keepKeyword, modernize, typesOf } from "./schema-keywords.ts";

export type Direction = "input" | "output";

/** How much of a schema is said: what becomes of references, how deep, and how long a text may be. */
export interface Detail {
  /** `defs` moves all to `$defs`; `inline` copies even what is recursive, down to `depth`. */
  refs: "inline unless recursive" | "defs" | "inline";
  depth: number;
  textChars: number;
}

/** From all there is to hardly more than the arguments' types: the first that fits a tool record is taken. */
export const DETAILS: readonly Detail[] = [
  { refs: "inline unless recursive", depth: LIMITS.schemaDepth, textChars: LIMITS.importTextChars },
  { refs: "defs", depth: LIMITS.schemaDepth, textChars: LIMITS.importTextChars },
  { refs: "inline", depth: 6, textChars: LIMITS.importTextChars },
  { refs: "inline", depth: 4, textChars: LIMITS.importTextChars },
  { refs: "inline", depth: 3, textChars: 200 },
  { refs: "inline", depth: 2, textChars: 100 },
];

/** Thrown when a schema would have more subschemas than a tool record may hold. */
export class TooManySubschemas extends Error {
  override readonly name = "TooManySubschemas";
}

/** Schemas of one tool in one direction, at one level of detail. */
export class SchemaConverter {
  readonly direction: Direction;
  readonly detail: Detail;
  readonly #references: References;
  readonly #names = new Map<string, string>();
  readonly #defs = new Map<string, JsonSchema | boolean>();
  #subschemas = 1;
  #isCut = false;

  constructor(references: References, direction: Direction, detail: Detail) {
    this.#references = references;
    this.direction = direction;
    this.detail = detail;
  }

  /** Whether anything was left out to stay within the depth. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Schemas that `$ref`s in what was converted stand for; `undefined` when there are none. */
  get defs(): Record<string, unknown> | undefined {
    return this.#defs.size > 0 ? Object.fromEntries(this.#defs) : undefined;
  }

  /** A schema that stands this many levels below the tool's (which is at 1). */
  convert(schema: unknown, depth: number): JsonSchema | boolean {
    if (++this.#subschemas > LIMITS.subschemas) throw new TooManySubschemas();
    if (typeof schema === "boolean") return schema;
    if (!isJsonObject(schema)) return {};
    return typeof schema["$ref"] === "string"
      ? this.#convertReference(schema, schema["$ref"], depth)
      : this.#convertObject(schema, depth);
  }

  #convertReference(schema: JsonObject, ref: string, depth: number): JsonSchema | boolean {
    const narrower = this.#narrowerOf(schema, depth);
    const inner = narrower ? depth + 1 : depth;
    const target = this.#mustBeNamed(ref) ? this.#nameDef(ref) : this.convert(this.#references.find(ref), inner);
    const beside = this.#keepPlain(schema);
    const full = Object.keys(beside).length > 0 && typeof target === "object" ? { ...target, ...beside } : target;
    const both = narrower ? { allOf: [full, this.#convertObject(narrower, inner)] } : full;
    return schema["nullable"] === true ? orNull(both) : both;
  }

  /** What stands beside a reference and narrows it further, where that counts and there is room for it. */
  #narrowerOf(schema: JsonObject, depth: number): JsonObject | undefined {
    if (!this.#references.readsSiblings || depth >= this.detail.depth) return undefined;
    const narrower = Object.entries(schema).filter(
      ([keyword, value]) =>
        !BESIDE.has(keyword) && (APPLICATORS.has(keyword) || keepKeyword(keyword, value, 0) !== undefined),
    );
    return narrower.length > 0 ? Object.fromEntries(narrower) : undefined;
  }

  #mustBeNamed(ref: string): boolean {
    if (this.detail.refs === "inline") return false;
    return this.detail.refs === "defs" || !this.#references.isInlinable(ref);
  }

  #nameDef(ref: string): JsonSchema {
    const known = this.#names.get(ref);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const wanted = ref.slice(ref.lastIndexOf("/") + 1).replaceAll(/[^A-Za-z0-9_.-]+/g, "_");
    let name = wanted;
    for (let n = 2; this.#defs.has(name); n++) name = `${wanted}_${n}`;
    this.#names.set(ref, name);
    // Its place is taken before it is converted: it may hold itself.
    this.#defs.set(name, true);
    this.#defs.set(name, this.convert(this.#references.find(ref), 2));
    return { $ref: `#/$defs/${name}` };
  }

  #convertObject(original: JsonObject, depth: number): JsonSchema | boolean {
    const schema = modernize(original);
    const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      const kind = APPLICATORS.get(keyword);
      const kept = kind
        ? this.#convertWithin(kind, keyword, value, depth)
        : keepKeyword(keyword, value, this.detail.textChars);
      return kept === undefined ? [] : [[keyword, kept]];
    });
    const converted = this.#complete(Object.fromEntries(entries), schema, depth);
    return schema["nullable"] === true ? orNull(converted) : converted;
  }

  #convertWithin(kind: "schema" | "list" | "map", keyword: string, value: unknown, depth: number): unknown {
    const isSchema = isJsonObject(value) || typeof value === "boolean";
    if (kind === "schema" && typeof value === "boolean") return value;
    if (kind === "list" ? !Array.isArray(value) || value.length === 0 : !isSchema) return undefined;
    if (depth >= this.detail.depth) {
      this.#isCut = true;
      return undefined;
    }
    if (Array.isArray(value)) return value.map((schema) => this.convert(schema, depth + 1));
    if (kind === "schema") return this.convert(value, depth + 1);
    const members = Object.entries(value as JsonObject).filter(
      ([name, schema]) =>
        (keyword !== "patternProperties" || isUsablePattern(name)) &&
        (keyword !== "properties" || !this.isHidden(schema)),
    );
    return Object.fromEntries(members.map(([name, schema]) => [name, this.convert(schema, depth + 1)]));
  }

  /** Whether a property is the other direction's alone. */
  isHidden(schema: unknown): boolean {
    if (isHiddenIn(this.direction, schema)) return true;
    const ref = isJsonObject(schema) ? schema["$ref"] : undefined;
    return typeof ref === "string" && isHiddenIn(this.direction, this.#references.resolve(schema));
  }

  /** No name is required that this direction does not have, and an array says what it holds. */
  #complete(converted: JsonSchema, schema: JsonObject, depth: number): JsonSchema {
    const { required, ...rest } = converted;
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    const names = Array.isArray(required) ? required.filter((name) => !this.isHidden(readOwn(properties, name))) : [];
    const isBareArray = typesOf(schema).includes("array") && !("items" in rest) && !("prefixItems" in rest);
    return {
      ...rest,
      ...(names.length > 0 && { required: names }),
      ...(isBareArray && depth < this.detail.depth && { items: {} }),
    };
  }

  /** What a reference may have beside itself: texts, a default, examples. */
  #keepPlain(schema: JsonObject): JsonObject {
    const beside = Object.entries(modernize(schema)).flatMap(([keyword, value]): [string, unknown][] => {
      const kept = BESIDE.has(keyword) ? keepKeyword(keyword, value, this.detail.textChars) : undefined;
      return kept === undefined ? [] : [[keyword, kept]];
    });
    return Object.fromEntries(beside);
  }
}

const BESIDE = new Set(["title", "description", "default", "deprecated", "examples"]);

/** A schema that takes `null` as well (`nullable` of OpenAPI 3.0). */
function orNull(schema: JsonSchema | boolean): JsonSchema | boolean {
  if (schema === true) return true;
  const types = typesOf(schema === false ? {} : schema);
  if (schema !== false && types.length > 0) return { ...schema, type: [...new Set([...types, "null"])] };
  return { anyOf: [schema, { type: "null" }] };
}
