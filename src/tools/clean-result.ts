// A tool's result without what it hides.

import { cleanJson, type Cleaned } from "../sanitize/clean-output.ts";
import type { ToolResult } from "./content.ts";

/** Every text of a result that is JSON, cleaned. */
export function cleanResult(result: ToolResult): Cleaned<ToolResult> {
  const { value, removed } = cleanJson(result);
  return { value: value === result ? result : retell(value, result), removed };
}

/** The result with a text that told nothing but what was structured `before` telling what is structured now. */
export function retell(result: ToolResult, before: ToolResult): ToolResult {
  const [told, ...more] = before.content;
  if (told?.type !== "text" || more.length > 0 || before.structuredContent === undefined) return result;
  if (told.text !== JSON.stringify(before.structuredContent)) return result;
  return {
    ...result,
    content: [{ ...result.content[0], type: "text", text: JSON.stringify(result.structuredContent) }],
  };
}
