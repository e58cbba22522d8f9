// A document's schemas as JSON Schema 2020-12, within the bounds of a tool record. Inlines what `$ref`s stand for, since
// many clients understand no `$ref`; what is recursive or used too often to be copied goes to `$defs`.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import type { JsonSchema } from "../tools/define-tool.ts";
import type { Conversions, Copy } from "./conversion-memory.ts";
import { Inexpressible } from "./inexpressible.ts";
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
  /** How many a reference that was not followed any more would have needed, if that is why. */
  least = 0;
}

/** Thrown where a copy would hold names that are only given within one tool. */
class NeedsNames extends Error {}

// The tool's own schema is two: itself and the `additionalProperties` that its calls are checked with.
const MAX_SUBSCHEMAS = LIMITS.subschemas - 2;

/** Schemas of one tool in one direction, at one level of detail. */
export class SchemaConverter {
  readonly direction: Direction;
  readonly detail: Detail;
  readonly #references: References;
  readonly #known: Conversions;
  /** Whether this makes a copy for `#known` instead of a tool's schema. */
  readonly #isCopy: boolean;
  readonly #names = new Map<string, string>();
  readonly #numbers = new Map<string, number>();
  readonly #defs = new Map<string, JsonSchema | boolean>();
  #subschemas = 1;
  #isCut = false;
  /** Conditions that were left out so far: what holds fewer of them takes more values. */
  #losses = 0;

  /** `known` is of the same direction and detail. */
  constructor(references: References, direction: Direction, detail: Detail, known: Conversions, isCopy = false) {
    this.#references = references;
    this.direction = direction;
    this.detail = detail;
    this.#known = known;
    this.#isCopy = isCopy;
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
    this.#references.work.spend(1);
    if (++this.#subschemas > MAX_SUBSCHEMAS) throw new TooManySubschemas();
    if (typeof schema === "boolean") return schema;
    if (!isJsonObject(schema)) return {};
    return typeof schema["$ref"] === "string"
      ? this.#convertReference(schema, schema["$ref"], depth, hidden)
      : this.#convertObject(schema, depth, hidden);
  }

  #convertReference(schema: JsonObject, ref: string, depth: number, hidden: ReadonlySet<string>): JsonSchema | boolean {
    this.#spendOn(schema);
    const narrower = this.#narrowerOf(schema, depth);
    const inner = narrower ? depth + 1 : depth;
    const target = this.#mustBeNamed(ref) ? this.#nameDef(ref) : this.#inline(ref, inner, hidden);
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

  /** What a reference stands for. It is the same for all tools where nothing above it hides any of its properties. */
  #inline(ref: string, depth: number, hidden: ReadonlySet<string>): JsonSchema | boolean {
    const copy = hidden.size > 0 ? "named" : this.#copyOf(ref, depth);
    if (copy === "named") return this.convert(this.#references.find(ref), depth, hidden);
    this.#subschemas += copy.subschemas;
    if (this.#subschemas > MAX_SUBSCHEMAS) throw new TooManySubschemas();
    if (copy.error) throw copy.error;
    this.#losses += copy.losses;
    this.#isCut ||= copy.isCut;
    return copy.schema;
  }

  #copyOf(ref: string, depth: number): Copy | "named" {
    const { copies } = this.#known;
    const key = `${depth} ${ref}`;
    const known = copies.get(key);
    if (known) return known;
    // What holds itself at the same depth has no end.
    copies.set(key, ENDLESS);
    const converter = new SchemaConverter(this.#references, this.direction, this.detail, this.#known, true);
    try {
      const copy = converter.#copy(ref, depth);
      copies.set(key, copy);
      return copy;
    } catch (error) {
      copies.delete(key);
      throw error;
    }
  }

  #copy(ref: string, depth: number): Copy | "named" {
    const toCopy = (schema: JsonSchema | boolean): Copy => ({
      schema,
      subschemas: this.#subschemas - 1,
      losses: this.#losses,
      isCut: this.#isCut,
    });
    try {
      return toCopy(this.convert(this.#references.find(ref), depth));
    } catch (error) {
      if (error instanceof NeedsNames) return "named";
      if (error instanceof TooManySubschemas) return ENDLESS;
      if (error instanceof Inexpressible) return { ...toCopy(false), error };
      throw error;
    }
  }

  #nameDef(ref: string): JsonSchema {
    const named = this.#names.get(ref);
    if (named !== undefined) return { $ref: `#/$defs/${named}` };
    if (this.#isCopy) throw new NeedsNames();
    const { least } = this.#known;
    const before = this.#subschemas;
    const expected = least.get(ref) ?? 0;
    // Some of what it refers to may be counted already, unless it is the first.
    if ((this.#defs.size === 0 ? before : 2) + expected > MAX_SUBSCHEMAS) {
      throw Object.assign(new TooManySubschemas(), { least: expected });
    }
    const name = this.#claimName(ref);
    try {
      this.#defs.set(name, this.convert(this.#references.find(ref), 2));
    } catch (error) {
      if (error instanceof TooManySubschemas) {
        error.least = Math.max(expected, error.least, this.#subschemas - before);
        least.set(ref, error.least);
      }
      throw error;
    }
    return { $ref: `#/$defs/${name}` };
  }

  /** Its place is taken before it is converted: it may hold itself. */
  #claimName(ref: string): string {
    const wanted = ref.slice(ref.lastIndexOf("/") + 1).replaceAll(/[^A-Za-z0-9_.-]+/g, "_");
    let name = wanted;
    let n = this.#numbers.get(wanted) ?? 2;
    for (; this.#defs.has(name); n++) name = `${wanted}_${n}`;
    this.#numbers.set(wanted, n);
    this.#names.set(ref, name);
    this.#defs.set(name, true);
    return name;
  }

  #convertObject(original: JsonObject, depth: number, hiddenAbove: ReadonlySet<string>): JsonSchema | boolean {
    this.#spendOn(original);
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

  /** For its keywords, but the schemas in them, which are converted one by one. */
  #spendOn(schema: JsonObject): void {
    const { work } = this.#references;
    let steps = 0;
    for (const [keyword, value] of Object.entries(schema)) {
      const isData = !APPLICATORS.has(keyword) && keyword !== "example" && keyword !== "examples";
      steps += isData ? work.sizeOf(value) : 1;
    }
    work.spend(steps);
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

const ENDLESS: Copy = { schema: false, subschemas: Number.POSITIVE_INFINITY, losses: 0, isCut: false };

const BESIDE = new Set(["title", "description", "default", "deprecated", "examples"]);

/** A schema that takes `null` as well (`nullable` of OpenAPI 3.0). */
function orNull(schema: JsonSchema | boolean): JsonSchema | boolean {
  if (schema === true) return true;
  const types = typesOf(schema === false ? {} : schema);
  if (schema !== false && types.length > 0) return { ...schema, type: [...new Set([...types, "null"])] };
  return { anyOf: [schema, { type: "null" }] };
}
