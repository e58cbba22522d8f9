// A definition that no rule has anything against, and the ways to change it.

import type { Client, Level, Verdict } from "../../src/lint/verdict.ts";
import { lintTool } from "../../src/lint/lint-tool.ts";

const QUIET_SCHEMA = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
};

export const QUIET = {
  name: "count_words",
  title: "Count words",
  description: "Counts the words of a text.",
  inputSchema: QUIET_SCHEMA,
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
};

export const withInput = (schema: object) => ({ ...QUIET, inputSchema: { ...QUIET_SCHEMA, ...schema } });

/** With one more property, which is required. */
export const withProperty = (schema: unknown, name = "x") => ({
  ...QUIET,
  inputSchema: { ...QUIET_SCHEMA, properties: { text: { type: "string" }, [name]: schema }, required: ["text", name] },
});

/** Where a rule says something, and how bad it is. */
export const placesOf = (definition: unknown, client: Client, rule: string): [string, Level][] =>
  lintTool(definition)
    .filter((verdict) => verdict.client === client && verdict.rule === rule)
    .map(({ path, level }) => [path, level]);

export const rulesOf = (verdicts: readonly Verdict[]): string[] =>
  verdicts.map(({ client, level, rule }) => `${level} ${client} ${rule}`);
