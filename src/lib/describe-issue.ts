// What valibot found, with what the schema wants at that place: its names, types and bounds. Schemas are read by their public
// members. Not for what every isolate loads: `issueMessage` alone says what the issue itself knows.

import * as v from "valibot";
import { describeTypes, isMissing, isOwn, issueMessage, receivedOf } from "./issue-message.ts";

type Node = Readonly<Record<string, unknown>>;

/** A fault with the path of the member that has it; `whole` is the name of the value itself. */
export const describeIssue = (issue: v.BaseIssue<unknown>, schema: v.GenericSchema, whole: string): string =>
  `${v.getDotPath(issue) ?? whole}: ${faultMessage(issue, schema)}`;

/** The fault alone. */
export function faultMessage(issue: v.BaseIssue<unknown>, schema: v.GenericSchema): string {
  const { kind, type, expected, message, path = [] } = issue;
  if (expected === "never" && type === "strict_object") {
    const names = namesIn(schemaAt(schema, path.slice(0, -1)), path.at(-1)?.input);
    return `unknown name: expected ${names.join(", ") || "no such member"}`;
  }
  if (isOwn(issue)) {
    const isTold = message.includes("received ") || (kind === "validation" && !TELLING.test(type));
    return isTold ? message : `${message}, received ${receivedOf(issue)}`;
  }
  const at = isMissing(issue) || NUMBERS.test(type) ? schemaAt(schema, path) : undefined;
  return at ? `expected ${describeSchema(at)}, received ${receivedOf(issue)}` : issueMessage(issue);
}

const NUMBERS = /^(?:integer|(?:min|max)_value)$/;

/** What a check found may be said, unless it knows no more than that it failed. */
const TELLING = /^(?:regex|iso_timestamp|integer|(?:min|max)_(?:length|entries|value))$/;

/** The schema of what stands at a path below another's value, wrappers such as `optional` aside. */
function schemaAt(schema: unknown, path: readonly v.IssuePathItem[]): Node | undefined {
  return path.reduce<Node | undefined>((at, { key, input }) => at && childOf(at, key, input), bare(schema));
}

/** The names that an object's schema knows; of alternatives those of the one that `value` is. */
const namesIn = (schema: Node | undefined, value: unknown): string[] =>
  partsOf(schema).flatMap((part) => {
    if (part["type"] === "variant") return namesIn(chosenOf(part, value), value);
    return isNode(part["entries"]) ? Object.keys(part["entries"]) : [];
  });

/** What a schema wants; a number's bounds with it, a text's or a list's not. */
function describeSchema(schema: Node): string {
  const checks = partsOf(schema);
  const bound = (type: string) => checks.find((check) => check["type"] === type)?.["requirement"];
  const [least, most] = [bound("min_value"), bound("max_value")];
  const kind = checks.some(({ type }) => type === "integer")
    ? "a whole number"
    : describeTypes(String(schema["expects"]));
  if (typeof least === "number" && typeof most === "number") return `${kind} from ${least} to ${most}`;
  if (typeof least === "number") return `${kind} of at least ${least}`;
  return typeof most === "number" ? `${kind} of at most ${most}` : kind;
}

function childOf(schema: Node, key: unknown, input: unknown): Node | undefined {
  const children = partsOf(schema).flatMap((part) => {
    const { entries, value, item } = part;
    if (isNode(entries)) return [entries[String(key)]];
    if (part["type"] !== "variant") return [value, item];
    const chosen = chosenOf(part, input);
    return [chosen && childOf(chosen, key, input)];
  });
  const found = children.find((child) => child !== undefined);
  return found === undefined ? undefined : bare(found);
}

function chosenOf({ key, options }: Node, value: unknown): Node | undefined {
  const by = String(key);
  const nodes = Array.isArray(options) ? options.filter(isNode) : [];
  return nodes.find(({ entries }) => {
    const tag = isNode(entries) ? entries[by] : undefined;
    return isNode(tag) && isNode(value) && tag["literal"] === value[by];
  });
}

/** A schema and, where it is a pipe, all that stands in it. */
function partsOf(schema: Node | undefined): Node[] {
  if (schema === undefined) return [];
  const { pipe } = schema;
  return Array.isArray(pipe) ? pipe.filter(isNode).flatMap(partsOf) : [schema];
}

function bare(schema: unknown): Node | undefined {
  let found = schema;
  while (isNode(found) && found["wrapped"] !== undefined) found = found["wrapped"];
  return isNode(found) ? found : undefined;
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;
