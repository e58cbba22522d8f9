// A compiled schema: closures, since a Worker can't make code. A value is first checked without a word (no allocation on
// the way of a valid call); only if it fails it is checked again to say why. Every step is counted in both.

import { markCut } from "../../lib/cut-text.ts";
import { LIMITS } from "../../lib/limits.ts";
import type { ValidationIssue } from "../define-tool.ts";

/** Whether a value keeps a rule; says why not when the run collects issues. */
export type Check = (value: unknown, run: Run) => boolean;

/** Adds what a valid value's members a rule has looked at, for `unevaluatedProperties` and `unevaluatedItems`. */
export type Mark = (value: unknown, seen: Seen, run: Run) => void;

/** What has been evaluated of one object or array. */
export interface Seen {
  keys: Set<string>;
  allKeys: boolean;
  items: Set<number>;
  /** Items before this index. */
  itemsBefore: number;
}

export const createSeen = (): Seen => ({ keys: new Set(), allKeys: false, items: new Set(), itemsBefore: 0 });

/** An issue, and the values that would have done, so that alternatives can be told together. */
export interface Finding extends ValidationIssue {
  allowed?: readonly unknown[];
}

/** One subschema. Its rules are filled in once all nodes exist, so that references can point anywhere. */
export class SchemaNode {
  readonly pointer: string;
  readonly schema: unknown;
  /** Rules that make all others noise when they are broken: what kind of value it is. */
  readonly gates: Check[] = [];
  readonly checks: Check[] = [];
  readonly marks: Mark[] = [];
  /** Nodes that are applied to the same value. */
  readonly inPlace: SchemaNode[] = [];
  /** Names under `properties`, and their nodes. */
  properties = new Map<string, SchemaNode>();
  /** What `anyOf` or `oneOf` offer, or `$ref` refers to: for a short description. */
  alternatives: SchemaNode[] = [];
  /** What it wants, in a few words, once it has been said. */
  description: string | undefined;

  constructor(pointer: string, schema: unknown) {
    this.pointer = pointer;
    this.schema = schema;
  }
}

const REPORT_STEPS = 4;

/** The work of one validation is used up. */
export class WorkExceeded extends Error {
  override readonly name = "WorkExceeded";
}

/** One pass over a value. */
export class Run {
  /** Where in the value, as in `user.tags[2]`; kept only while issues are collected. */
  path = "";
  /** `undefined`: the first broken rule ends it. */
  findings: Finding[] | undefined;
  depth = 0;
  #stepsLeft: number;

  constructor(maxSteps: number, findings?: Finding[]) {
    this.#stepsLeft = maxSteps;
    this.findings = findings;
  }

  /** Throws `WorkExceeded` when the steps are used up. */
  spend(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw new WorkExceeded();
  }

  /** For a check's return: always `false`. */
  report(rule: string, message: string, key?: string | number): false {
    if (this.findings === undefined) return false;
    return this.add({ path: key === undefined ? this.path : pathTo(this.path, key), rule, message });
  }

  /** The same for a finding made elsewhere. */
  add(finding: Finding): false {
    this.spend(REPORT_STEPS);
    if (!this.isFull) this.findings?.push(finding);
    return false;
  }

  get isFull(): boolean {
    return this.findings !== undefined && this.findings.length >= LIMITS.validationIssues;
  }
}

/** Whether a value fits a node. In a run that collects issues, all rules are tried; else the first broken one ends it. */
export function apply(node: SchemaNode, value: unknown, run: Run): boolean {
  run.spend(1);
  if (run.isFull) return false;
  if (++run.depth > LIMITS.validationDepth) throw new WorkExceeded();
  const fits = keepsAll(node.gates, value, run, true) && keepsAll(node.checks, value, run, run.findings === undefined);
  run.depth--;
  return fits;
}

function keepsAll(checks: readonly Check[], value: unknown, run: Run, stopsAtFirst: boolean): boolean {
  let keeps = true;
  for (const check of checks) {
    if (check(value, run)) continue;
    if (stopsAtFirst) return false;
    keeps = false;
  }
  return keeps;
}

/** The same for a member of the value at hand. */
export function applyTo(key: string | number, node: SchemaNode, value: unknown, run: Run): boolean {
  if (run.findings === undefined) return apply(node, value, run);
  const { path } = run;
  run.path = pathTo(path, key);
  const fits = apply(node, value, run);
  run.path = path;
  return fits;
}

/** Whether a value fits, with nothing reported. */
export function fits(node: SchemaNode, value: unknown, run: Run): boolean {
  const { findings } = run;
  run.findings = undefined;
  const does = apply(node, value, run);
  run.findings = findings;
  return does;
}

/** Why a value does not fit a node, apart from the run's own findings. */
export function explain(node: SchemaNode, value: unknown, run: Run): Finding[] {
  const { findings } = run;
  const own: Finding[] = [];
  run.findings = own;
  apply(node, value, run);
  run.findings = findings;
  return own;
}

/** Everything that a node and what it applies in place have evaluated of a value that fits it. */
export function markSeen(node: SchemaNode, value: unknown, seen: Seen, run: Run): void {
  run.spend(1);
  for (const mark of node.marks) mark(value, seen, run);
}

function pathTo(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`;
  const name = markCut(key, LIMITS.issueNameChars);
  return path === "" ? name : `${path}.${name}`;
}
