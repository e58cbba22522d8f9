// Keywords that apply schemas to the value at hand itself.

import { explainAlternatives } from "./alternatives.ts";
import { describeSchema } from "./describe-value.ts";
import { apply, fits, markSeen, type Check, type Mark, type SchemaNode } from "./schema-node.ts";
import { expectNodes, type KeywordCompiler, type Site } from "./site.ts";

/** One that always applies. */
function pushInPlace(inner: SchemaNode, { node }: Site): void {
  node.inPlace.push(inner);
  node.checks.push((value, run) => apply(inner, value, run));
  node.marks.push((value, seen, run) => markSeen(inner, value, seen, run));
}

/** What a value that fits such a node has evaluated; a node that it does not fit has evaluated nothing. */
const markIfFits =
  (inner: SchemaNode): Mark =>
  (value, seen, run) =>
    fits(inner, value, run) && markSeen(inner, value, seen, run);

const compileRef: KeywordCompiler = (value, site) => {
  if (typeof value !== "string") return site.refuse("a URI reference");
  const target = site.nodeOf(value);
  site.node.alternatives = [target];
  pushInPlace(target, site);
};

const compileAllOf: KeywordCompiler = (value, site) => {
  const nodes = expectNodes("allOf", value, site);
  if (site.node.alternatives.length === 0) site.node.alternatives = nodes.slice(0, 1);
  for (const inner of nodes) pushInPlace(inner, site);
};

function compileAlternatives(keyword: string, value: unknown, site: Site, check: (nodes: SchemaNode[]) => Check): void {
  const nodes = expectNodes(keyword, value, site);
  site.node.alternatives = nodes;
  site.node.inPlace.push(...nodes);
  site.node.checks.push(check(nodes));
  site.node.marks.push(...nodes.map(markIfFits));
}

const compileAnyOf: KeywordCompiler = (value, site) =>
  compileAlternatives("anyOf", value, site, (nodes) => (value, run) => {
    for (const node of nodes) if (fits(node, value, run)) return true;
    return run.findings !== undefined && explainAlternatives("anyOf", nodes, value, run);
  });

const compileOneOf: KeywordCompiler = (value, site) =>
  compileAlternatives("oneOf", value, site, (nodes) => (value, run) => {
    const fitting: SchemaNode[] = [];
    for (const node of nodes) if (fitting.length < 2 && fits(node, value, run)) fitting.push(node);
    const [one, other] = fitting;
    if (one && !other) return true;
    if (run.findings === undefined) return false;
    if (!one || !other) return explainAlternatives("oneOf", nodes, value, run);
    const each = [one, other].map((node) => `${describeSchema(node)} (${nodes.indexOf(node) + 1})`);
    return run.report("oneOf", `expected exactly one of ${nodes.length} alternatives, fits both ${each.join(" and ")}`);
  });

const compileNot: KeywordCompiler = (_, { node, nodeAt }) => {
  const refused = nodeAt("not");
  node.inPlace.push(refused);
  node.checks.push((value, run) => {
    if (!fits(refused, value, run)) return true;
    return run.findings !== undefined && run.report("not", `expected anything but ${describeSchema(refused)}`);
  });
};

const compileIf: KeywordCompiler = (_, { node, nodeAt, schema }) => {
  const condition = nodeAt("if");
  const branch = (keyword: string): SchemaNode | undefined =>
    Object.hasOwn(schema, keyword) ? nodeAt(keyword) : undefined;
  const [then, otherwise] = [branch("then"), branch("else")];
  node.inPlace.push(condition, ...[then, otherwise].filter((inner) => inner !== undefined));
  if (then || otherwise) {
    node.checks.push((value, run) => {
      const chosen = fits(condition, value, run) ? then : otherwise;
      return chosen === undefined || apply(chosen, value, run);
    });
  }
  node.marks.push((value, seen, run) => {
    const isMet = fits(condition, value, run);
    if (isMet) markSeen(condition, value, seen, run);
    const chosen = isMet ? then : otherwise;
    if (chosen) markSeen(chosen, value, seen, run);
  });
};

export const REFERENCE: readonly [string, KeywordCompiler] = ["$ref", compileRef];

export const COMBINING_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [
  ["allOf", compileAllOf],
  ["anyOf", compileAnyOf],
  ["oneOf", compileOneOf],
  ["not", compileNot],
  ["if", compileIf],
];
