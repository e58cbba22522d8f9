// JSON Schema for tools that come as data. Workers have no `eval`, so a schema becomes closures. Written here since no
// library that interprets bounds its work, and a schema and its values both come from others.

import { isJsonObject, type JsonObject } from "../../lib/json-value.ts";
import { LIMITS } from "../../lib/limits.ts";
import type { JsonSchema, Validation, ValidationIssue } from "../define-tool.ts";
import { KEYWORDS, LONE_REFERENCE } from "./keywords.ts";
import { TooManyStates } from "./pattern/automaton.ts";
import { PatternRefused } from "./pattern/parse-pattern.ts";
import { Pattern } from "./pattern/pattern.ts";
import { checkSize, readDialect } from "./schema-bounds.ts";
import { SchemaIndex, type Place } from "./schema-index.ts";
import { apply, Run, SchemaNode, WorkExceeded, type Finding } from "./schema-node.ts";
import { pointerTo, SchemaRefused } from "./schema-refusal.ts";
import type { Site } from "./site.ts";

/**
 * A validator of a schema that `checkSchema` takes; checking one value takes at most so many steps. Throws an error that
 * says why when `checkSchema` would not take the schema.
 */
export function compileSchema(
  schema: JsonSchema,
  maxSteps: number = LIMITS.validationSteps,
): (value: unknown) => Validation {
  const root = new SchemaCompiler(schema).compile();
  return (value) => validate(root, value, maxSteps);
}

function validate(root: SchemaNode, value: unknown, maxSteps: number): Validation {
  const findings: Finding[] = [];
  try {
    if (apply(root, value, new Run(maxSteps))) return { ok: true, value };
    apply(root, value, new Run(maxSteps, findings));
  } catch (error) {
    if (!(error instanceof WorkExceeded)) throw error;
    if (findings.length === 0) return { ok: false, issues: [describeExcess(maxSteps)] };
  }
  return { ok: false, issues: findings.map(({ path, rule, message }) => ({ path, rule, message })) };
}

function describeExcess(maxSteps: number): ValidationIssue {
  const bounds = `at most ${maxSteps} steps, ${LIMITS.validationDepth} deep`;
  return { path: "", rule: "work", message: `takes too long to check: expected fewer or smaller values (${bounds})` };
}

class SchemaCompiler {
  readonly #index: SchemaIndex;
  readonly #nodes = new Map<string, SchemaNode>();
  /** Places of all nodes: those that the index knows, then those that only references lead to. */
  readonly #places: Place[] = [];
  readonly #patterns = new Map<string, Pattern>();
  #statesLeft: number = LIMITS.schemaPatternStates;

  constructor(schema: JsonSchema) {
    checkSize(schema);
    this.#index = new SchemaIndex(schema, readDialect(schema));
  }

  compile(): SchemaNode {
    const [root] = Array.from(this.#index.places, (place) => this.#nodeOf(place));
    for (const place of this.#places) this.#compilePlace(place);
    refuseLoops(this.#nodes.values());
    return root ?? new SchemaNode("", true);
  }

  #nodeOf(place: Place): SchemaNode {
    const known = this.#nodes.get(place.pointer);
    if (known) return known;
    if (this.#places.length >= LIMITS.subschemas) {
      throw new SchemaRefused(place.pointer, `expected at most ${LIMITS.subschemas} subschemas`);
    }
    const node = new SchemaNode(place.pointer, place.schema);
    this.#nodes.set(place.pointer, node);
    this.#places.push(place);
    return node;
  }

  #compilePlace(place: Place): void {
    const { schema, pointer } = place;
    const node = this.#nodeOf(place);
    if (schema === true) return;
    if (schema === false) return void node.gates.push((_, run) => run.report("false", "expected nothing here"));
    if (!isJsonObject(schema)) throw new SchemaRefused(pointer, "expected a schema: an object, true or false");
    const isReference = this.#index.dialect === "draft-07" && Object.hasOwn(schema, "$ref");
    const keywords = isReference ? LONE_REFERENCE : KEYWORDS[this.#index.dialect];
    for (const [keyword, compileKeyword] of keywords) {
      if (Object.hasOwn(schema, keyword)) compileKeyword(schema[keyword], this.#site(place, schema, node, keyword));
    }
  }

  #site(place: Place, schema: JsonObject, node: SchemaNode, keyword: string): Site {
    const at = (tokens: readonly (string | number)[]): string => pointerTo(place.pointer, ...tokens);
    return {
      node,
      schema,
      nodeAt: (...tokens) => this.#nodeOf(this.#index.at(at(tokens)) ?? placeBelow(place, tokens)),
      nodeOf: (ref) => this.#nodeOf(this.#index.resolve(ref, place)),
      pattern: (source, ...tokens) => this.#pattern(source, at(tokens)),
      refuse: (expected, ...tokens) => {
        throw new SchemaRefused(at(tokens.length > 0 ? tokens : [keyword]), `expected ${expected}`);
      },
    };
  }

  #pattern(source: string, at: string): Pattern {
    const known = this.#patterns.get(source);
    if (known) return known;
    if (source.length > LIMITS.patternChars) {
      throw new SchemaRefused(at, `expected at most ${LIMITS.patternChars} characters, got ${source.length}`);
    }
    if (this.#patterns.size >= LIMITS.schemaPatterns) {
      throw new SchemaRefused(at, `expected at most ${LIMITS.schemaPatterns} different regular expressions`);
    }
    const pattern = parsePattern(source, this.#statesLeft, at);
    this.#statesLeft -= pattern.size;
    this.#patterns.set(source, pattern);
    return pattern;
  }
}

/** A subschema of a place that only a reference leads to. */
function placeBelow({ pointer, schema, base }: Place, tokens: readonly (string | number)[]): Place {
  const below = tokens.reduce<unknown>((value, token) => (value as JsonObject)[token], schema);
  return { pointer: pointerTo(pointer, ...tokens), schema: below, base };
}

function parsePattern(source: string, maxStates: number, at: string): Pattern {
  try {
    return new Pattern(source, maxStates);
  } catch (error) {
    if (error instanceof PatternRefused) throw new SchemaRefused(at, error.message);
    if (!(error instanceof TooManyStates)) throw error;
    const limit = `expected at most ${LIMITS.schemaPatternStates} states in all regular expressions`;
    throw new SchemaRefused(at, `${limit}: counted repetition such as {1,100} takes one each`);
  }
}

/** A node that comes back to itself without looking into the value would never end. */
function refuseLoops(nodes: Iterable<SchemaNode>): void {
  const done = new Set<SchemaNode>();
  const open = new Set<SchemaNode>();
  const visit = (node: SchemaNode): void => {
    if (done.has(node)) return;
    if (open.has(node)) throw new SchemaRefused(node.pointer, "leads back to itself without looking into the value");
    open.add(node);
    for (const inner of node.inPlace) visit(inner);
    open.delete(node);
    done.add(node);
  };
  for (const node of nodes) visit(node);
}
