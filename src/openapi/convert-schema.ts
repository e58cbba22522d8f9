// A document's schemas as JSON Schema 2020-12, within the bounds of a tool record. Inlines what `$ref`s stand for, since
// many clients understand no `$ref`; what is recursive or used too often to be copied goes to `$defs`.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import type { JsonSchema } from "../tools/define-tool.ts";
import { readOwn, type References } from "./references.ts";
import { findShape } from "./shape.ts";
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
  /** Conditions that were left out so far: what holds fewer of them takes more values. */
  #losses = 0;

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

  /**
   * A schema that stands this many levels below the tool's (which is at 1). `hidden` are names of properties that another
   * part of the same `allOf` says are the other direction's.
   */
  convert(schema: unknown, depth: number, hidden: ReadonlySet<string> = NONE): JsonSchema | boolean {
    // The tool's own schema is two: itself and its `additionalProperties`.
    if (++this.#subschemas > LIMITS.subschemas - 2) throw new TooManySubschemas();
    if (typeof schema === "boolean") return schema;
    if (!isJsonObject(schema)) return {};
    return typeof schema["$ref"] === "string"
      ? this.#convertReference(schema, schema["$ref"], depth, hidden)
      : this.#convertObject(schema, depth, hidden);
  }

  #convertReference(schema: JsonObject, ref: string, depth: number, hidden: ReadonlySet<string>): JsonSchema | boolean {
    const narrower = this.#narrowerOf(schema, depth);
    const inner = narrower ? depth + 1 : depth;
    const target = this.#mustBeNamed(ref)
      ? this.#nameDef(ref)
      : this.convert(this.#references.find(ref), inner, hidden);
    const beside = this.#keepPlain(schema);
    const full = Object.keys(beside).length > 0 && typeof target === "object" ? { ...target, ...beside } : target;
    const both = narrower ? { allOf: [full, this.#convertObject(narrower, inner, hidden)] } : full;
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

  #convertObject(original: JsonObject, depth: number, hiddenAbove: ReadonlySet<string>): JsonSchema | boolean {
    const schema = modernize(original);
    const before = this.#losses;
    const hidden = Array.isArray(schema["allOf"]) ? this.#hiddenIn(schema, hiddenAbove) : hiddenAbove;
    const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      const known = this.#losses;
      const kind = APPLICATORS.get(keyword);
      const kept = kind
        ? this.#convertWithin(kind, keyword, value, depth, keyword === "allOf" ? hidden : NONE)
        : keepKeyword(keyword, value, this.detail.textChars);
      if (kept === undefined && (keyword === "pattern" || keyword === "enum")) this.#losses++;
      if (kept === undefined) return [];
      return this.#losses > known ? loosen(keyword, kept, schema) : [[keyword, kept]];
    });
    const lost = this.#losses > before ? LOST_WITHIN : NONE;
    const patterns = isJsonObject(schema["patternProperties"]) ? Object.keys(schema["patternProperties"]) : [];
    const isShut = patterns.every(isUsablePattern);
    const kept = entries.filter(([keyword]) => !lost.has(keyword) && (isShut || keyword !== "additionalProperties"));
    const converted = this.#complete(Object.fromEntries(kept), schema, depth, hidden);
    return schema["nullable"] === true ? orNull(converted) : converted;
  }

  /** Names of properties that all parts of a schema together say are the other direction's. */
  #hiddenIn(schema: JsonObject, above: ReadonlySet<string>): ReadonlySet<string> {
    const properties = findShape(schema, this.#references)?.properties ?? [];
    const names = properties.filter(([, property]) => this.isHidden(property)).map(([name]) => name);
    return names.length > 0 ? new Set([...above, ...names]) : above;
  }

  #convertWithin(
    kind: "schema" | "list" | "map",
    keyword: string,
    value: unknown,
    depth: number,
    hidden: ReadonlySet<string>,
  ): unknown {
    const isSchema = isJsonObject(value) || (kind === "schema" && typeof value === "boolean");
    if (kind === "list" ? !Array.isArray(value) || value.length === 0 : !isSchema) return undefined;
    if (depth >= this.detail.depth) {
      this.#isCut ||= typeof value !== "boolean";
      this.#losses++;
      return undefined;
    }
    if (Array.isArray(value)) return value.map((schema) => this.convert(schema, depth + 1, hidden));
    if (kind === "schema") return typeof value === "boolean" ? value : this.convert(value, depth + 1);
    const all = Object.entries(value as JsonObject);
    const members = keyword === "properties" ? all.filter(([, schema]) => !this.isHidden(schema)) : all;
    const usable = keyword === "patternProperties" ? all.filter(([pattern]) => isUsablePattern(pattern)) : members;
    if (usable.length < members.length) this.#losses++;
    return Object.fromEntries(usable.map(([name, schema]) => [name, this.convert(schema, depth + 1)]));
  }

  /** Whether a property is the other direction's alone. */
  isHidden(schema: unknown): boolean {
    if (isHiddenIn(this.direction, schema)) return true;
    const ref = isJsonObject(schema) ? schema["$ref"] : undefined;
    return typeof ref === "string" && isHiddenIn(this.direction, this.#references.resolve(schema));
  }

  /** No name is required that this direction does not have, and an array says what it holds. */
  #complete(converted: JsonSchema, schema: JsonObject, depth: number, hidden: ReadonlySet<string>): JsonSchema {
    const { required, ...rest } = converted;
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    const isTheirs = (name: string): boolean => hidden.has(name) || this.isHidden(readOwn(properties, name));
    const names = Array.isArray(required) ? required.filter((name) => !isTheirs(String(name))) : [];
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

/** What takes the place of a keyword that would refuse more, not less, now that schemas in it take more values. */
function loosen(keyword: string, kept: unknown, schema: JsonObject): [string, unknown][] {
  if (keyword === "not" || keyword === "if") return [];
  if (keyword !== "oneOf") return [[keyword, kept]];
  return schema["anyOf"] === undefined ? [["anyOf", kept]] : [];
}

/** Keywords that refuse what schemas beside them do not take in: not to be kept where those lost something. */
const LOST_WITHIN: ReadonlySet<string> = new Set(["unevaluatedProperties", "unevaluatedItems", "maxContains"]);

const NONE: ReadonlySet<string> = new Set();

const BESIDE = new Set(["title", "description", "default", "deprecated", "examples"]);

/** A schema that takes `null` as well (`nullable` of OpenAPI 3.0). */
function orNull(schema: JsonSchema | boolean): JsonSchema | boolean {
  if (schema === true) return true;
  const types = typesOf(schema === false ? {} : schema);
  if (schema !== false && types.length > 0) return { ...schema, type: [...new Set([...types, "null"])] };
  return { anyOf: [schema, { type: "null" }] };
}
