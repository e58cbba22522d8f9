// What a valibot schema wants, in words, found by the path of what it refused. Its schemas are read by their public members.

import type * as v from "valibot";

type Node = Readonly<Record<string, unknown>>;

/** The schema of what stands at a path below another's value, wrappers such as `optional` aside. */
export function schemaAt(schema: unknown, path: readonly v.IssuePathItem[]): Node | undefined {
  return path.reduce<Node | undefined>((at, { key, input }) => at && childOf(at, key, input), bare(schema));
}

/** The names that an object's schema knows; of alternatives those of the one that `value` is. */
export const namesIn = (schema: Node | undefined, value: unknown): string[] =>
  partsOf(schema).flatMap((part) => {
    if (part["type"] === "variant") return namesIn(chosenOf(part, value), value);
    return isNode(part["entries"]) ? Object.keys(part["entries"]) : [];
  });

/** What a schema wants; a number's bounds with it, a text's or a list's not. */
export function describeSchema(schema: Node): string {
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

/** JSON's words for valibot's, such as `("a" | "b")` or `Object`. */
export function describeTypes(expected: string): string {
  const words = (expected.match(/"[^"]*"|[^|()\s]+/g) ?? []).map((type) => WORDS[type] ?? type);
  const last = words.pop() ?? "something else";
  return words.length === 0 ? last : `${words.join(", ")} or ${last}`;
}

const WORDS: Record<string, string> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  Object: "an object",
  Array: "an array",
  unknown: "a value",
  never: "nothing",
};

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
