// What a request costs before it is looked at any closer: a call by what its tool costs, anything else the same. A tool
// that is hidden from the key costs what one costs that is not there, or its price would tell that it is.

import type { Price, Pricing } from "../keys/key-cache.ts";
import { CONTROL } from "../keys/key-cache.ts";
import type { KeyFacts } from "../keys/key-record.ts";
import { isToolAllowed } from "../keys/tool-rules.ts";
import type { JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Request } from "../protocol/json-rpc.ts";
import { costOf, describeTool, type Catalogue, type CatalogueTool } from "../registry/catalogue.ts";
import type { ToolAnnotations } from "../tools/define-tool.ts";
import { CALL_TOOL, SEARCH_TOOLS } from "../tools/reserved-names.ts";
import { isDiscoveryCall, targetOf } from "./discovery-tools.ts";
import type { RequestScope } from "./scope.ts";

/** The price of a request, by the catalogue that its isolate holds; at once where that is fresh. */
export function priceOf(
  { method, params }: Request,
  { isolate, env, waitUntil }: Pick<RequestScope, "isolate" | "env" | "waitUntil">,
): Price | Pricing | Promise<Price | Pricing> {
  if (method !== "tools/call") return CONTROL;
  const { fresh } = isolate.snapshot;
  if (fresh) return priceBy(fresh, params);
  // Where the catalogue can't be had the call will say so itself.
  const read = isolate.snapshot.readForCall(env, waitUntil).catch(() => undefined);
  return read.then((catalogue) => priceBy(catalogue, params));
}

/** A tool that is not in the catalogue costs 1. */
function priceBy(catalogue: Catalogue | undefined, params: JsonObject): Price | Pricing {
  const { name } = params;
  if (typeof name !== "string") return { bucket: "calls" };
  const isSameForAll = !catalogue?.hasCosts && name !== CALL_TOOL;
  return {
    priceFor: (facts) => priceOfCall({ ...params, name }, facts, catalogue),
    ...(isSameForAll && { charge: priceOfName(name) }),
  };
}

function priceOfCall(params: JsonObject & { name: string }, facts: KeyFacts, catalogue: Catalogue | undefined): Price {
  const isOwn = isDiscoveryCall(params.name, facts, catalogue);
  if (isOwn && params.name === SEARCH_TOOLS) return priceOfName(SEARCH_TOOLS);
  const target = isOwn ? targetOf(params) : undefined;
  const name = target?.isPassedOn ? target.name : params.name;
  const entry = isToolAllowed(facts.tools, name) ? catalogue?.byName.get(name) : undefined;
  return { ...priceOfName(name), ...priceOfTool(entry) };
}

const priceOfName = (name: string): Price => ({ bucket: "calls", tool: name.slice(0, LIMITS.toolNameChars) });

function priceOfTool(entry: CatalogueTool | undefined): Pick<Price, "cost" | "failsClosed"> {
  if (!entry?.tool) return { failsClosed: true };
  return { cost: costOf(entry), failsClosed: isDestructive(describeTool(entry.tool, entry.row).annotations) };
}

/** Unless it says otherwise a tool may destroy (MCP 2026-07-28, schema `ToolAnnotations`: `destructiveHint` is true by default). */
const isDestructive = ({ readOnlyHint = false, destructiveHint = true }: ToolAnnotations = {}): boolean =>
  !readOnlyHint && destructiveHint;
