// Keywords on objects. Only a value's own members count: what JSON calls `__proto__` or `constructor` is a name like others.

import { isJsonObject, type JsonObject } from "../../lib/json-value.ts";
import { countOf, describeNames, describeSchema } from "./describe-value.ts";
import type { Pattern } from "./pattern/pattern.ts";
import {
  apply,
  applyTo,
  createSeen,
  explain,
  fits,
  markSeen,
  type Check,
  type Run,
  type SchemaNode,
} from "./schema-node.ts";
import { expectCount, expectMap, expectNames, type KeywordCompiler, type Site } from "./site.ts";

/** Names that are looked up in about one step. */
const STEP_NAMES = 4;

const onObjects =
  (check: (value: JsonObject, run: Run) => boolean): Check =>
  (value, run) =>
    !isJsonObject(value) || check(value, run);

/** To list them takes as long as to look at each. */
function namesOf(value: JsonObject, run: Run): string[] {
  const names = Object.keys(value);
  run.spend(names.length);
  return names;
}

const compileRequired: KeywordCompiler = (value, site) => {
  const names = expectNames(value, site);
  site.node.checks.push(onObjects((value, run) => hasAll(names, value, run, site.node, "")));
};

function hasAll(
  names: readonly string[],
  value: JsonObject,
  run: Run,
  { properties }: SchemaNode,
  why: string,
): boolean {
  run.spend(names.length / STEP_NAMES);
  let keeps = true;
  for (const name of names) {
    if (Object.hasOwn(value, name)) continue;
    if (run.findings === undefined) return false;
    const wanted = properties.get(name);
    keeps = run.report("required", `is missing${why}${wanted ? `: expected ${describeSchema(wanted)}` : ""}`, name);
  }
  return keeps;
}

const compileDependentRequired: KeywordCompiler = (value, site) => {
  for (const name of Object.keys(expectMap(value, site))) compileNeeded(name, value, "dependentRequired", site);
};

/** Names that the presence of another one makes required. */
function compileNeeded(name: string, value: unknown, keyword: string, site: Site): void {
  const names = expectNames((value as JsonObject)[name], site, keyword, name);
  const why = `, needed with ${describeNames([name])}`;
  site.node.checks.push(
    onObjects((value, run) => !Object.hasOwn(value, name) || hasAll(names, value, run, site.node, why)),
  );
}

/** Applies a schema to the whole object when it has a member of that name. */
function compileDependentSchema(name: string, keyword: string, { node, nodeAt }: Site): void {
  const dependent = nodeAt(keyword, name);
  const isMeant = (value: unknown): boolean => isJsonObject(value) && Object.hasOwn(value, name);
  node.inPlace.push(dependent);
  node.checks.push((value, run) => !isMeant(value) || apply(dependent, value, run));
  node.marks.push((value, seen, run) => isMeant(value) && markSeen(dependent, value, seen, run));
}

const compileDependentSchemas: KeywordCompiler = (value, site) => {
  for (const name of Object.keys(expectMap(value, site))) compileDependentSchema(name, "dependentSchemas", site);
};

/** Draft-07's name for both of the above. */
const compileDependencies: KeywordCompiler = (value, site) => {
  for (const [name, dependency] of Object.entries(expectMap(value, site))) {
    if (Array.isArray(dependency)) compileNeeded(name, value, "dependencies", site);
    else compileDependentSchema(name, "dependencies", site);
  }
};

const countMembers =
  (rule: string, words: string, keeps: (count: number, bound: number) => boolean): KeywordCompiler =>
  (value, site) => {
    const bound = expectCount(value, site);
    const check = onObjects((value, run) => {
      const count = namesOf(value, run).length;
      return keeps(count, bound) || run.report(rule, `expected ${words} ${countOf(bound, "member")}, got ${count}`);
    });
    site.node.checks.push(check);
  };

const compileProperties: KeywordCompiler = (value, site) => {
  const { node, nodeAt } = site;
  for (const name of Object.keys(expectMap(value, site))) node.properties.set(name, nodeAt("properties", name));
  const entries = [...node.properties];
  const check = onObjects((value, run) => {
    run.spend(entries.length / STEP_NAMES);
    let keeps = true;
    for (const [name, child] of entries) {
      if (!Object.hasOwn(value, name) || applyTo(name, child, value[name], run)) continue;
      if (run.findings === undefined) return false;
      keeps = false;
    }
    return keeps;
  });
  node.checks.push(check);
  node.marks.push((value, seen, run) => {
    if (!isJsonObject(value)) return;
    run.spend(entries.length / STEP_NAMES);
    for (const [name] of entries) if (Object.hasOwn(value, name)) seen.keys.add(name);
  });
};

/** Applies a node to the members that `isMeant`. */
function checkMembers(node: SchemaNode, isMeant: (name: string, run: Run) => boolean): Check {
  return onObjects((value, run) => {
    let keeps = true;
    for (const name of namesOf(value, run)) {
      if (!isMeant(name, run) || applyTo(name, node, value[name], run)) continue;
      if (run.findings === undefined || run.isFull) return false;
      keeps = false;
    }
    return keeps;
  });
}

const compilePatternProperties: KeywordCompiler = (value, site) => {
  const { node, nodeAt } = site;
  for (const source of Object.keys(expectMap(value, site))) {
    const pattern = site.pattern(source, "patternProperties", source);
    node.checks.push(checkMembers(nodeAt("patternProperties", source), (name, run) => pattern.isIn(name, run)));
    node.marks.push((value, seen, run) => {
      if (!isJsonObject(value)) return;
      for (const name of namesOf(value, run)) if (pattern.isIn(name, run)) seen.keys.add(name);
    });
  }
};

const compileAdditionalProperties: KeywordCompiler = (_, site) => {
  const { node, nodeAt, schema } = site;
  const additional = nodeAt("additionalProperties");
  const named = new Set(isJsonObject(schema["properties"]) ? Object.keys(schema["properties"]) : []);
  const sources = isJsonObject(schema["patternProperties"]) ? Object.keys(schema["patternProperties"]) : [];
  const patterns = sources.map((source) => site.pattern(source, "patternProperties", source));
  node.marks.push((value, seen) => (seen.allKeys ||= isJsonObject(value)));
  if (additional.schema === true) return;
  const isAdditional = (name: string, run: Run): boolean =>
    !named.has(name) && !patterns.some((pattern) => pattern.isIn(name, run));
  node.checks.push(
    additional.schema === false
      ? refuseMembers("additionalProperties", isAdditional, () => describeKnown(named, patterns))
      : checkMembers(additional, isAdditional),
  );
};

/** Reports every member that `isRefused`; `known` says which names would do. */
function refuseMembers(rule: string, isRefused: (name: string, run: Run) => boolean, known: () => string): Check {
  let words: string | undefined;
  return onObjects((value, run) => {
    let keeps = true;
    for (const name of namesOf(value, run)) {
      if (!isRefused(name, run)) continue;
      if (run.findings === undefined || run.isFull) return false;
      const what = run.path === "" ? "argument" : "member";
      words ??= known();
      keeps = run.report(rule, `unknown ${what}: expected ${words}`, name);
    }
    return keeps;
  });
}

const describeKnown = (names: Iterable<string>, patterns: readonly Pattern[]): string =>
  describeNames([...names, ...patterns.map(({ source }) => `a match of ${source}`)]);

const compilePropertyNames: KeywordCompiler = (_, { node, nodeAt }) => {
  const names = nodeAt("propertyNames");
  const check = onObjects((value, run) => {
    let keeps = true;
    for (const name of namesOf(value, run)) {
      if (fits(names, name, run)) continue;
      if (run.findings === undefined || run.isFull) return false;
      const [reason] = explain(names, name, run);
      keeps = run.report("propertyNames", `not a name for a member: ${reason?.message ?? ""}`, name);
    }
    return keeps;
  });
  node.checks.push(check);
};

const compileUnevaluatedProperties: KeywordCompiler = (_, { node, nodeAt }) => {
  const unevaluated = nodeAt("unevaluatedProperties");
  // The keyword comes last, so these are all others' marks.
  const marks = [...node.marks];
  let words: string | undefined;
  const known = (): string => (words ??= describeKnownTo(node));
  const check = onObjects((value, run) => {
    // What a value that breaks other rules has evaluated says nothing.
    if (run.findings !== undefined && run.findings.length > 0) return true;
    const seen = createSeen();
    for (const mark of marks) mark(value, seen, run);
    if (seen.allKeys) return true;
    const isLeft = (name: string): boolean => !seen.keys.has(name);
    return unevaluated.schema === false
      ? refuseMembers("unevaluatedProperties", isLeft, known)(value, run)
      : checkMembers(unevaluated, isLeft)(value, run);
  });
  node.checks.push(check);
  node.marks.push((value, seen) => (seen.allKeys ||= isJsonObject(value)));
};

/** Names that a node and those applied in place know. */
function describeKnownTo(root: SchemaNode): string {
  const nodes = new Set([root]);
  const names = new Set<string>();
  for (const node of nodes) {
    for (const name of node.properties.keys()) names.add(name);
    for (const inner of node.inPlace) nodes.add(inner);
  }
  return describeNames(names);
}

/** In the order in which issues are told: what is missing or unknown comes first. */
export const OBJECT_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [
  ["required", compileRequired],
  ["additionalProperties", compileAdditionalProperties],
  ["properties", compileProperties],
  ["patternProperties", compilePatternProperties],
  ["propertyNames", compilePropertyNames],
  ["minProperties", countMembers("minProperties", "at least", (count, bound) => count >= bound)],
  ["maxProperties", countMembers("maxProperties", "at most", (count, bound) => count <= bound)],
];

export const DEPENDENCY_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [
  ["dependentRequired", compileDependentRequired],
  ["dependentSchemas", compileDependentSchemas],
];

/** Draft-07's one keyword for both. */
export const DEPENDENCIES: readonly [string, KeywordCompiler] = ["dependencies", compileDependencies];

export const UNEVALUATED_PROPERTIES: readonly [string, KeywordCompiler] = [
  "unevaluatedProperties",
  compileUnevaluatedProperties,
];
