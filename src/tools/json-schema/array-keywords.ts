// Keywords on arrays.

import { countOf, describeSchema } from "./describe-value.ts";
import { keyOf } from "./json-key.ts";
import { applyTo, createSeen, fits, type Check, type Run, type SchemaNode } from "./schema-node.ts";
import { expectCount, expectNodes, type KeywordCompiler, type Site } from "./site.ts";

const onArrays =
  (check: (value: readonly unknown[], run: Run) => boolean): Check =>
  (value, run) =>
    !Array.isArray(value) || check(value, run);

/** Applies a node to items from an index on, but for those that are `skipped`. */
function checkItems(
  items: readonly unknown[],
  start: number,
  node: SchemaNode,
  run: Run,
  skipped?: Set<number>,
): boolean {
  let keeps = true;
  for (let index = start; index < items.length; index++) {
    if (skipped?.has(index) || applyTo(index, node, items[index], run)) continue;
    if (run.findings === undefined || run.isFull) return false;
    keeps = false;
  }
  return keeps;
}

/** Applies a node to the items from an index on; `false` there is told once, not for every item. */
function pushRest(rule: string, start: number, rest: SchemaNode, { node }: Site): void {
  if (rest.schema === false) {
    node.checks.push(onArrays((items, run) => items.length <= start || refuseItems(rule, start, items.length, run)));
  } else if (rest.schema !== true) {
    node.checks.push(onArrays((items, run) => checkItems(items, start, rest, run)));
  }
  node.marks.push((value, seen) => {
    if (Array.isArray(value)) seen.itemsBefore = Infinity;
  });
}

const refuseItems = (rule: string, bound: number, got: number, run: Run): false =>
  run.report(rule, `expected at most ${countOf(bound, "item")}, got ${got}`);

/** One node for each of the first items. */
function pushTuple(keyword: string, value: unknown, site: Site): number {
  const nodes = expectNodes(keyword, value, site);
  site.node.checks.push(
    onArrays((items, run) => {
      let keeps = true;
      for (const [index, node] of nodes.entries()) {
        if (index >= items.length || applyTo(index, node, items[index], run)) continue;
        if (run.findings === undefined) return false;
        keeps = false;
      }
      return keeps;
    }),
  );
  site.node.marks.push((value, seen) => {
    if (Array.isArray(value)) seen.itemsBefore = Math.max(seen.itemsBefore, nodes.length);
  });
  return nodes.length;
}

const compilePrefixItems: KeywordCompiler = (value, site) => void pushTuple("prefixItems", value, site);

const compileItems: KeywordCompiler = (value, site) => {
  if (Array.isArray(value)) site.refuse("a schema: prefixItems takes a list");
  const { prefixItems } = site.schema;
  pushRest("items", Array.isArray(prefixItems) ? prefixItems.length : 0, site.nodeAt("items"), site);
};

/** Draft-07: a schema, or a list for the first items and `additionalItems` for the rest. */
const compileDraft7Items: KeywordCompiler = (value, site) => {
  if (!Array.isArray(value)) return pushRest("items", 0, site.nodeAt("items"), site);
  const count = value.length === 0 ? 0 : pushTuple("items", value, site);
  if (Object.hasOwn(site.schema, "additionalItems")) {
    pushRest("additionalItems", count, site.nodeAt("additionalItems"), site);
  }
};

const countItems =
  (rule: string, words: string, keeps: (count: number, bound: number) => boolean): KeywordCompiler =>
  (value, site) => {
    const bound = expectCount(value, site);
    site.node.checks.push(
      onArrays(
        (items, run) =>
          keeps(items.length, bound) ||
          run.report(rule, `expected ${words} ${countOf(bound, "item")}, got ${items.length}`),
      ),
    );
  };

const compileUniqueItems: KeywordCompiler = (value, site) => {
  if (typeof value !== "boolean") site.refuse("true or false");
  if (value === false) return;
  const check = onArrays((items, run) => {
    const first = new Map<unknown, number>();
    for (const [index, item] of items.entries()) {
      run.spend(1);
      const key = keyOf(item, run);
      const known = first.get(key);
      if (known !== undefined) {
        return run.report("uniqueItems", `expected items that differ: this one equals item ${known}`, index);
      }
      first.set(key, index);
    }
    return true;
  });
  site.node.checks.push(check);
};

const compileContains =
  (hasBounds: boolean): KeywordCompiler =>
  (_, site) => {
    const { node, nodeAt, schema } = site;
    const wanted = nodeAt("contains");
    const boundOf = (keyword: string, otherwise: number): number =>
      hasBounds && Object.hasOwn(schema, keyword) ? expectCount(schema[keyword], site, keyword) : otherwise;
    const [least, most] = [boundOf("minContains", 1), boundOf("maxContains", Infinity)];
    node.checks.push(
      onArrays((items, run) => {
        let count = 0;
        for (const item of items) {
          if (fits(wanted, item, run) && ++count >= least && most === Infinity) return true;
        }
        if (count >= least && count <= most) return true;
        if (run.findings === undefined) return false;
        const words = count < least ? `at least ${least}` : `at most ${most}`;
        return run.report("contains", `expected ${words} of ${describeSchema(wanted)} among the items, got ${count}`);
      }),
    );
    if (!hasBounds) return;
    node.marks.push((value, seen, run) => {
      if (!Array.isArray(value)) return;
      for (const [index, item] of value.entries()) if (fits(wanted, item, run)) seen.items.add(index);
    });
  };

const compileUnevaluatedItems: KeywordCompiler = (_, { node, nodeAt }) => {
  const unevaluated = nodeAt("unevaluatedItems");
  // The keyword comes last, so these are all others' marks.
  const marks = [...node.marks];
  const check = onArrays((items, run) => {
    // What a value that breaks other rules has evaluated says nothing.
    if (run.findings !== undefined && run.findings.length > 0) return true;
    const seen = createSeen();
    for (const mark of marks) mark(items, seen, run);
    return seen.itemsBefore >= items.length || checkItems(items, seen.itemsBefore, unevaluated, run, seen.items);
  });
  node.checks.push(check);
  node.marks.push((value, seen) => {
    if (Array.isArray(value)) seen.itemsBefore = Infinity;
  });
};

const COUNTS: readonly (readonly [string, KeywordCompiler])[] = [
  ["minItems", countItems("minItems", "at least", (count, bound) => count >= bound)],
  ["maxItems", countItems("maxItems", "at most", (count, bound) => count <= bound)],
  ["uniqueItems", compileUniqueItems],
];

export const ARRAY_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [
  ...COUNTS,
  ["prefixItems", compilePrefixItems],
  ["items", compileItems],
  ["contains", compileContains(true)],
];

export const DRAFT_7_ARRAY_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [
  ...COUNTS,
  ["items", compileDraft7Items],
  ["contains", compileContains(false)],
];

export const UNEVALUATED_ITEMS: readonly [string, KeywordCompiler] = ["unevaluatedItems", compileUnevaluatedItems];
