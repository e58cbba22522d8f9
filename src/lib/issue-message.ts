// Owns how people are told what valibot found: what was expected, and what came. A value is quoted only where few are allowed
// or its form is wrong; a text or number in the place of another thing may be a secret.

import * as v from "valibot";
import { countOf } from "./count-of.ts";
import { describeSchema, describeTypes, namesIn, schemaAt } from "./schema-words.ts";

/** A fault with the path of the member that has it; `whole` is the name of the value itself. */
export const describeIssue = (issue: v.BaseIssue<unknown>, schema: v.GenericSchema, whole: string): string =>
  `${v.getDotPath(issue) ?? whole}: ${issueMessage(issue, schema)}`;

/** What was expected and what came, for an issue that a schema found. */
export function issueMessage(issue: v.BaseIssue<unknown>, schema?: v.GenericSchema): string {
  const { type, expected, message, path = [] } = issue;
  if (expected === "never" && type === "strict_object") return unknownName(path, schema);
  if (isMissing(issue)) return `expected ${wantedAt(path, schema) ?? "a value"}, received none`;
  // Words of a schema's own, which say what they expect.
  const own = /^Invalid [a-z0-9 ]+: /i.test(message) ? undefined : message;
  if (own?.includes("received ")) return own;
  const received = receivedOf(issue);
  if (received === undefined) return own ?? `expected ${expectedOf(issue, schema)}`;
  return `${own ?? `expected ${expectedOf(issue, schema)}`}, received ${received}`;
}

/** The same for the log, which is to have nothing of what callers send and are given: with the type in place of the value. */
export const withoutReceived = (message: string): string =>
  message.replace(/(?<=received )(?:(")[^]*|-?\d[^]*)$/, (_, quote) => (quote === undefined ? "a number" : "a string"));

/** A value as a message quotes it: its first characters. */
export const quoteReceived = (text: string): string =>
  JSON.stringify(text.length > QUOTED_CHARS ? `${text.slice(0, QUOTED_CHARS)}…` : text);

const QUOTED_CHARS = 64;

const OBJECTS = ["object", "strict_object", "loose_object"];

/** Whether an object lacks a member: valibot (1.5) then names it as what was expected. */
export const isMissing = ({ type, expected, received }: v.BaseIssue<unknown>): boolean =>
  OBJECTS.includes(type) && received === "undefined" && expected !== "Object";

function unknownName(path: readonly v.IssuePathItem[], schema: v.GenericSchema | undefined): string {
  const known = schema && namesIn(schemaAt(schema, path.slice(0, -1)), path.at(-1)?.input);
  return known && known.length > 0 ? `unknown name: expected ${known.join(", ")}` : "unknown name";
}

function wantedAt(path: readonly v.IssuePathItem[], schema: v.GenericSchema | undefined): string | undefined {
  const wanted = schema && schemaAt(schema, path);
  return wanted && describeSchema(wanted);
}

const NUMBERS = ["integer", "min_value", "max_value"];

function expectedOf({ kind, type, expected, input, path, ...issue }: v.BaseIssue<unknown>, schema?: v.GenericSchema) {
  if (kind === "schema") return describeTypes(expected ?? "");
  if (NUMBERS.includes(type) && schema) return wantedAt(path ?? [], schema) ?? expected;
  const { requirement } = issue as { requirement?: unknown };
  const thing = typeof input === "string" ? "character" : Array.isArray(input) ? "item" : "entry";
  const things = thing === "entry" ? "entries" : `${thing}s`;
  const [, edge, what] = /^(min|max)_(length|entries|value)$/.exec(type) ?? [];
  const words = edge === "min" ? "at least" : "at most";
  if (what === "value") return `${words} ${String(requirement)}`;
  if (what !== undefined && typeof requirement === "number") return `${words} ${countOf(requirement, thing, things)}`;
  if (type === "integer") return "a whole number";
  return type === "regex" ? `a match of ${expected}` : (expected ?? "another value");
}

const QUOTED = ["picklist", "literal", "variant", "regex", "iso_timestamp", ...NUMBERS];

/** What came, as far as it may be told; `undefined` where nothing can be said of it. */
function receivedOf({ kind, type, expected, input, received }: v.BaseIssue<unknown>): string | undefined {
  if (/_(?:length|entries)$/.test(type)) return received;
  const isQuoted = QUOTED.includes(type) && expected !== "Object";
  if (kind === "validation" && !isQuoted) return undefined;
  if (typeof input === "string") return isQuoted ? quoteReceived(input) : "a string";
  if (typeof input === "number") return isQuoted ? String(input) : "a number";
  if (input === undefined) return "none";
  if (typeof input === "object" && input !== null) return Array.isArray(input) ? "an array" : "an object";
  return String(input);
}
