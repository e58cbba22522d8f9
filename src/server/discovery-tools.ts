// What a key with discovery sees in the catalogue's place: one tool that finds the others, and one that calls them.

import type { KeyFacts } from "../keys/key-record.ts";
import { isToolAllowed } from "../keys/tool-rules.ts";
import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Catalogue, CatalogueTool } from "../registry/catalogue.ts";
import type { ToolDefinition } from "../tools/define-tool.ts";
import { CALL_TOOL, isReservedName, SEARCH_TOOLS } from "../tools/reserved-names.ts";

/** Of the tool that finds others. */
export const SEARCH_DEFINITION: ToolDefinition = {
  name: SEARCH_TOOLS,
  title: "Search tools",
  description:
    "Finds tools by what they do. This server has more tools than are listed here: search before you decide that there " +
    `is none. Answers the best matches, each with its name, description and input schema; run one with ${CALL_TOOL}.`,
  inputSchema: {
    type: "object",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        maxLength: LIMITS.searchQueryChars,
        description: "What the tool should do, in a few words such as: refund an invoice",
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: LIMITS.searchResults,
        description: `How many matches at most, ${LIMITS.searchDefaultResults} by default`,
      },
    },
    required: ["query"],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

/** Of the tool that calls them. */
export const CALL_DEFINITION: ToolDefinition = {
  name: CALL_TOOL,
  title: "Call a tool",
  description: `Calls a tool that ${SEARCH_TOOLS} found, and answers what it answers.`,
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", minLength: 1, description: "The tool's name" },
      arguments: { type: "object", description: "Its arguments, as its input schema says" },
    },
    required: ["name"],
  },
};

/** What a key may see, in the order of names. A tool that has one of the two names stands for it. */
export function visibleTools({ tools: rules, discovery }: KeyFacts, { tools, byName }: Catalogue): CatalogueTool[] {
  if (!discovery) return tools.filter(({ name }) => isToolAllowed(rules, name));
  return [CALL_DEFINITION, SEARCH_DEFINITION].map((definition) => {
    const { name } = definition;
    const real = isToolAllowed(rules, name) ? byName.get(name) : undefined;
    return real ?? { name, tool: undefined, definition, row: undefined };
  });
}

/** The tool that a call is about, and whether `call_tool` passes the call on to it. */
export type CallTarget =
  | { name: unknown; args: unknown; isPassedOn: false }
  | { name: string; args: JsonObject; isPassedOn: true };

/** Looks through `call_tool`, unless there is nothing to look through to. */
export function targetOf({ name, arguments: args = {} }: JsonObject): CallTarget {
  const direct = { name, args, isPassedOn: false } as const;
  if (name !== CALL_TOOL || !isJsonObject(args)) return direct;
  const { name: inner, arguments: innerArgs = {} } = args;
  if (typeof inner !== "string" || inner === "" || !isJsonObject(innerArgs)) return direct;
  return { name: inner, args: innerArgs, isPassedOn: true };
}

/** Whether a name is one of the two to a key: it has them, and sees no tool of the catalogue that has taken the name. */
export const isDiscoveryCall = (name: string, { tools, discovery }: KeyFacts, catalogue?: Catalogue): boolean =>
  discovery === true && isReservedName(name) && !(isToolAllowed(tools, name) && catalogue?.byName.has(name));
