// Why a value fits none of several schemas, told by the one that was meant: all that is wrong with every one of them would
// send a model looking in the wrong place.

import { describeSchemas, describeType, describeValues } from "./describe-value.ts";
import { explain, type Finding, type Run, type SchemaNode } from "./schema-node.ts";

interface Failure {
  node: SchemaNode;
  findings: Finding[];
}

/** What kind of value is wanted, not what is in it. */
const KIND_RULES = ["type", "enum", "const", "false"];
const TAG_RULES = ["enum", "const"];

/** Reports why a value fits none of the nodes; always `false`. */
export function explainAlternatives(rule: string, nodes: readonly SchemaNode[], value: unknown, run: Run): false {
  const failures = nodes.map((node) => ({ node, findings: explain(node, value, run) }));
  const ofKind = failures.filter(({ findings }) => !findings.some(isAt(run.path, KIND_RULES)));
  if (ofKind.length === 0) return run.report(rule, `expected ${describeEach(failures)}, got ${describeType(value)}`);
  const meant = ofKind.filter((failure) => !tagOf(failure, run.path));
  if (meant.length === 0 && ofKind.length > 1) return reportTags(rule, ofKind, run);
  return reportMeant(rule, meant.length > 0 ? meant : ofKind, run);
}

function reportMeant(rule: string, failures: readonly Failure[], run: Run): false {
  const [only, ...others] = failures;
  if (!only || others.length > 0) return run.report(rule, `expected ${describeEach(failures)}`);
  for (const finding of only.findings) run.add(finding);
  return false;
}

/** Objects that a member such as `kind` tells apart, and whose `kind` is none of theirs. */
function reportTags(rule: string, failures: readonly Failure[], run: Run): false {
  const tags = failures.map((failure) => tagOf(failure, run.path));
  const [first] = tags;
  if (!first || tags.some((tag) => tag?.path !== first.path)) {
    return run.report(rule, `expected ${describeEach(failures)}`);
  }
  const all = tags.flatMap((tag) => tag?.allowed ?? []);
  run.spend(all.length);
  const allowed = [...new Set(all)];
  return run.add({ path: first.path, rule: "enum", message: `expected ${describeValues(allowed)}`, allowed });
}

const describeEach = (failures: readonly Failure[]): string => describeSchemas(failures.map(({ node }) => node));

const isAt =
  (path: string, rules: readonly string[]) =>
  (finding: Finding): boolean =>
    finding.path === path && rules.includes(finding.rule);

/** The finding on a direct member that can have but certain values. */
function tagOf({ findings }: Failure, path: string): Finding | undefined {
  const prefix = path === "" ? "" : `${path}.`;
  return findings.find(
    (finding) =>
      TAG_RULES.includes(finding.rule) &&
      finding.path !== path &&
      finding.path.startsWith(prefix) &&
      !/[.[]/.test(finding.path.slice(prefix.length)),
  );
}
