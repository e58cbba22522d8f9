// The two tools of a key with discovery as they run: loaded with the first call of either.

import { isToolAllowed } from "../keys/tool-rules.ts";
import { LIMITS } from "../lib/limits.ts";
import { describeTool, type CatalogueTool } from "../registry/catalogue.ts";
import { text, type ToolResult } from "../tools/content.ts";
import type { Tool, ToolDefinition } from "../tools/define-tool.ts";
import { compileSchema } from "../tools/json-schema/compile-schema.ts";
import { CALL_DEFINITION, SEARCH_DEFINITION } from "./discovery-tools.ts";
import { shortenText, viewTool } from "./found-tool.ts";
import type { RequestScope } from "./scope.ts";
import { ToolSearch } from "./tool-search.ts";

const listed = (definition: ToolDefinition, run: Tool["run"]): Tool => ({
  name: definition.name,
  definition,
  timeoutMs: LIMITS.toolTimeoutMs,
  validateInput: compileSchema(definition.inputSchema, LIMITS.validationSteps),
  run,
});

/** Arguments that name no tool never get past its schema; those that do are their tool's. */
export const callShape = listed(CALL_DEFINITION, () => Promise.reject(new Error("call_tool ran itself")));

/** Over the catalogue as it is now, as a list is: who heard of a change finds what it brought. */
export async function openSearch({ isolate, env, waitUntil, facts }: RequestScope): Promise<Tool> {
  const catalogue = await isolate.snapshot.readForList(env, waitUntil);
  const isVisible = (name: string): boolean => isToolAllowed(facts.tools, name);
  const search = (isolate.search ??= new ToolSearch());
  return searchTool((query, limit) => search.find(catalogue, query, { limit, isVisible }));
}

/** `search_tools` over what one key may see. */
const searchTool = (find: (query: string, limit: number) => CatalogueTool[]): Tool => ({
  ...searchShape,
  run: async (input) => {
    const { query, limit = LIMITS.searchDefaultResults } = input as { query: string; limit?: number };
    return toResult(query, find(query, limit));
  },
});

const searchShape = listed(SEARCH_DEFINITION, () => Promise.reject(new Error("nothing to search")));

function toResult(query: string, found: CatalogueTool[]): ToolResult {
  const tools = found.flatMap(({ definition, row }) =>
    definition ? [viewTool(describeTool({ definition }, row))] : [],
  );
  const structuredContent = { tools };
  if (tools.length > 0) return { content: [text(JSON.stringify(structuredContent))], structuredContent };
  const asked = JSON.stringify(shortenText(query, LIMITS.searchTextChars));
  const advice = "Try fewer or other words: the thing that it is about, such as invoice, or what is done to it.";
  return { content: [text(`Nothing found for ${asked}. ${advice}`)], structuredContent };
}
