// Owns how people are told what valibot found: what was expected, and what came. A value is quoted only where few are allowed
// or its form is wrong; a text or number in the place of another thing may be a secret. Every isolate loads this: it is short.

import type * as v from "valibot";
import { countOf } from "./count-of.ts";
import { markCut } from "./cut-text.ts";

/** What was expected and what came, as far as the issue itself knows. Words of a schema's own stay as they are. */
export const issueMessage = (issue: v.BaseIssue<unknown>): string =>
  isOwn(issue) ? issue.message : `expected ${expectedOf(issue)}, received ${receivedOf(issue)}`;

/** Whether a schema has words of its own for it, which say what they expect. */
export const isOwn = ({ message }: v.BaseIssue<unknown>): boolean => !message.startsWith("Invalid ");

/** The same for the log, which is to have nothing of what callers send and are given: with the type in place of the value. */
export const withoutReceived = (message: string): string =>
  message.replace(/(?<=received )(?:(")[^]*|-?\d[^]*)$/, (_, quote) => (quote === undefined ? "a number" : "a string"));

/** Whether an object lacks a member: valibot (1.5) then names it as what was expected. */
export const isMissing = ({ type, expected, received }: v.BaseIssue<unknown>): boolean =>
  type.endsWith("object") && received === "undefined" && expected !== "Object";

function expectedOf(issue: v.BaseIssue<unknown>): string {
  const { kind, type, expected, input } = issue;
  if (isMissing(issue)) return "a value";
  if (expected === "never") return "no such name";
  if (kind === "schema") return describeTypes(expected ?? "");
  const { requirement } = issue as { requirement?: unknown };
  const words = type.startsWith("min") ? "at least " : "at most ";
  if (type.endsWith("length"))
    return words + countOf(Number(requirement), typeof input === "string" ? "character" : "item");
  if (type.endsWith("value")) return words + String(requirement);
  return type === "integer" ? "a whole number" : `a match of ${expected}`;
}

/** JSON's words for valibot's, such as `("a" | "b")` or `Object`. */
export function describeTypes(expected: string): string {
  const words = expected
    .replaceAll(/[()]/g, "")
    .split(" | ")
    .map((type) => WORDS[type] ?? type);
  return words.join(", ").replace(/, ([^,]*)$/, " or $1");
}

const WORDS: Record<string, string> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  Object: "an object",
  Array: "an array",
  undefined: "none",
};

const QUOTED = /picklist|literal|variant|regex|iso|integer|value/;

/** What came, as far as it may be told. */
export function receivedOf({ type, expected, input, received }: v.BaseIssue<unknown>): string {
  if (/length|entries/.test(type)) return received;
  const isText = typeof input === "string";
  if (!isText && typeof input !== "number") return WORDS[received] ?? received;
  if (!QUOTED.test(type) || expected === "Object") return `a ${typeof input}`;
  return isText ? quoteReceived(input) : received;
}

/** A value as a message quotes it: its first characters. */
export const quoteReceived = (text: string): string => JSON.stringify(markCut(text, 64));
