// `x-mcp-header`: arguments that clients mirror into `Mcp-Param-<name>`, so that what stands before a Worker can route
// by them. MCP 2026-07-28, server/tools, "x-mcp-header".

import { isJsonObject } from "../lib/json-value.ts";
import type { JsonSchema } from "./define-tool.ts";

/** Names of headers by the top-level properties that they mirror. */
export type ParamHeaders = Readonly<Record<string, string>>;

/** The keyword of a property's schema. */
export const PARAM_HEADER = "x-mcp-header";

// RFC 9110, section 5.6.2.
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const MIRRORED_TYPES: readonly unknown[] = ["string", "integer", "boolean"];

/** The input schema with its annotations. Throws an `Error` that says which constraint is broken. */
export function annotateParamHeaders(toolName: string, schema: JsonSchema, headers: ParamHeaders): JsonSchema {
  const properties = isJsonObject(schema["properties"]) ? { ...schema["properties"] } : {};
  const taken = new Set<string>();
  for (const [property, header] of Object.entries(headers)) {
    const where = `defineTool: ${toolName} paramHeaders.${property}`;
    const subschema = properties[property];
    if (!isJsonObject(subschema)) throw new Error(`${where}: the input has no such property`);
    const fault = findHeaderFault(header, subschema, taken);
    if (fault !== undefined) throw new Error(`${where}: ${fault}`);
    taken.add(header.toLowerCase());
    properties[property] = { ...subschema, [PARAM_HEADER]: header };
  }
  return { ...schema, properties };
}

/** What is wrong with a property's header, beside those that others took (in lower case). */
export function findHeaderFault(header: unknown, { type }: JsonSchema, taken: ReadonlySet<string>): string | undefined {
  if (!MIRRORED_TYPES.includes(type)) {
    const received = typeof type === "string" ? JSON.stringify(type.slice(0, 64)) : "none of them";
    return `expected a string, integer or boolean, got ${received}`;
  }
  if (typeof header !== "string") return "expected the name of a header, a string";
  if (!TOKEN.test(header)) return `${JSON.stringify(header.slice(0, 64))} is not the name of a header`;
  return taken.has(header.toLowerCase()) ? `${header} mirrors another property already` : undefined;
}
