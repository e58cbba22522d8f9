// What a request costs before it is looked at any closer: a call by what its tool costs, anything else the same.

import type { Price } from "../keys/key-cache.ts";
import { CONTROL } from "../keys/key-cache.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Request } from "../protocol/json-rpc.ts";
import { costOf, describeTool, type CatalogueTool } from "../registry/catalogue.ts";
import type { ToolAnnotations } from "../tools/define-tool.ts";
import { SEARCH_TOOLS } from "../tools/reserved-names.ts";
import { isDiscoveryTool, targetOf } from "./discovery-tools.ts";
import type { RequestScope } from "./scope.ts";

/** The price of a request, by the catalogue that its isolate holds. A tool that is not in it costs 1. */
export async function priceOf(
  { method, params }: Request,
  { isolate, env, waitUntil }: Pick<RequestScope, "isolate" | "env" | "waitUntil">,
): Promise<Price> {
  if (method !== "tools/call") return CONTROL;
  // Where the catalogue can't be had the call will say so itself.
  const catalogue = await isolate.snapshot.readForCall(env, waitUntil).catch(() => undefined);
  const { name } = targetOf(params, catalogue);
  if (typeof name !== "string") return { bucket: "calls" };
  if (name === SEARCH_TOOLS && isDiscoveryTool(name, catalogue)) return { bucket: "calls", tool: name };
  const entry = catalogue?.byName.get(name);
  return { bucket: "calls", tool: name.slice(0, LIMITS.toolNameChars), ...priceOfTool(entry) };
}

function priceOfTool(entry: CatalogueTool | undefined): Pick<Price, "cost" | "failsClosed"> {
  if (!entry?.tool) return { failsClosed: true };
  return { cost: costOf(entry), failsClosed: isDestructive(describeTool(entry.tool, entry.row).annotations) };
}

/** Unless it says otherwise a tool may destroy (MCP 2026-07-28, schema `ToolAnnotations`: `destructiveHint` is true by default). */
const isDestructive = ({ readOnlyHint = false, destructiveHint = true }: ToolAnnotations = {}): boolean =>
  !readOnlyHint && destructiveHint;
