// The shape of a rule on input schemas, and how rules are applied.

import { type Client, type Level, pointTo, type Verdict } from "./verdict.ts";
import type { SchemaNode } from "./walk-schema.ts";

export interface SchemaRule {
  client: Client;
  level: Level;
  rule: string;
  message: string;
  /** Where a subschema breaks it: steps from the subschema, none for itself. */
  find: (node: SchemaNode) => Step[];
}

/** Keys below a subschema, the last of which may be one that is missing. */
export type Step = (string | number)[];

/** Breaks the rule at a keyword. */
export const at = (isBroken: boolean, ...step: Step): Step[] => (isBroken ? [step] : []);

/** The keywords of these that a subschema has. */
export const keywordsOf = ({ schema }: SchemaNode, keywords: ReadonlySet<string>): Step[] =>
  Object.keys(schema)
    .filter((keyword) => keywords.has(keyword))
    .map((keyword) => [keyword]);

export const isRoot = ({ under }: SchemaNode): boolean => under === "";

export const applyRule = ({ find, ...rule }: SchemaRule, node: SchemaNode): Verdict[] =>
  find(node).map((steps) => ({ ...rule, path: steps.reduce<string>(pointTo, node.path) }));
