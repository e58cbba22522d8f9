// `x-mcp-header`: clients must leave out of their list a tool that breaks these rules. MCP 2026-07-28, basic/transports/
// streamable-http, "Custom Headers from Tool Parameters".

import { findHeaderFault, PARAM_HEADER } from "../tools/param-headers.ts";
import { pointTo, type Verdict } from "./verdict.ts";
import type { SchemaNode } from "./walk-schema.ts";

export function lintParamHeaders(nodes: readonly SchemaNode[]): Verdict[] {
  const taken = new Set<string>();
  return nodes.flatMap((node) => {
    if (!(PARAM_HEADER in node.schema)) return [];
    const header = node.schema[PARAM_HEADER];
    const fault = findFault(node, taken);
    if (typeof header === "string") taken.add(header.toLowerCase());
    if (fault === undefined) return [];
    const message = `x-mcp-header: ${fault}. Clients of 2026-07-28 leave the tool out.`;
    return [{ client: "all", level: "error", rule: "param-header", path: pointTo(node.path, PARAM_HEADER), message }];
  });
}

function findFault({ schema, under, isReachable }: SchemaNode, taken: ReadonlySet<string>): string | undefined {
  if (under === "") return "the root is no argument";
  if (!isReachable) return "only properties of objects may be mirrored, not what lies behind other keywords";
  return findHeaderFault(schema[PARAM_HEADER], schema, taken) ?? findUnsafeBound(schema);
}

/** An integer's header must be one that every client can read: −2^53+1 to 2^53−1. */
function findUnsafeBound(schema: SchemaNode["schema"]): string | undefined {
  if (schema["type"] !== "integer") return undefined;
  const bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "const"];
  const unsafe = bounds.find((bound) => typeof schema[bound] === "number" && !Number.isSafeInteger(schema[bound]));
  return unsafe === undefined ? undefined : `${unsafe} is beyond the integers that a header may have`;
}
