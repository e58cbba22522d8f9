// A tool as a search tells of it: enough to call it, in few tokens.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import type { JsonSchema, ToolDefinition } from "../tools/define-tool.ts";

/** What `search_tools` answers of a tool. */
export interface FoundTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
}

export function viewTool({ name, description, inputSchema }: ToolDefinition): FoundTool {
  return {
    name,
    description: shortenText(description, LIMITS.searchDescriptionChars),
    inputSchema: compactSchema(inputSchema),
  };
}

/** A text of at most so many characters, cut between words where that is near. */
export function shortenText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const cut = text.slice(0, chars - 1);
  const space = cut.lastIndexOf(" ");
  return `${(space > chars / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** Without what says nothing of the arguments; a long one without what lies below its own properties. */
function compactSchema(whole: JsonSchema): JsonSchema {
  const { $schema: _, ...schema } = whole;
  if (JSON.stringify(schema).length <= LIMITS.searchSchemaChars) return schema;
  const { type, properties, required } = schema;
  const names = isJsonObject(properties) ? Object.entries(properties) : [];
  const short = {
    type,
    properties: Object.fromEntries(names.map(outline)),
    ...(required !== undefined && { required }),
  };
  if (JSON.stringify(short).length <= LIMITS.searchSchemaChars) return short;
  const bare = { type, ...(required !== undefined && { required }) };
  return JSON.stringify(bare).length <= LIMITS.searchSchemaChars ? bare : { type };
}

function outline([name, schema]: [string, unknown]): [string, JsonObject] {
  if (!isJsonObject(schema)) return [name, {}];
  const { type, description } = schema;
  const isText = typeof description === "string";
  return [
    name,
    {
      ...(type !== undefined && { type }),
      ...(isText && { description: shortenText(description, LIMITS.searchTextChars) }),
    },
  ];
}
