// `x-mcp-header`: arguments that clients mirror into `Mcp-Param-<name>`, so that what stands before a Worker can route
// by them. MCP 2026-07-28, server/tools, "x-mcp-header".

import { isJsonObject } from "../lib/json-value.ts";
import type { JsonSchema } from "./define-tool.ts";

/** Names of headers by the top-level properties that they mirror. */
export type ParamHeaders = Readonly<Record<string, string>>;

// RFC 9110, section 5.6.2.
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const MIRRORED_TYPES = new Set(["string", "integer", "boolean"]);

/** The input schema with its annotations. Throws an `Error` that says which constraint is broken. */
export function annotateParamHeaders(toolName: string, schema: JsonSchema, headers: ParamHeaders): JsonSchema {
  const properties = isJsonObject(schema["properties"]) ? { ...schema["properties"] } : {};
  const taken = new Set<string>();
  for (const [property, header] of Object.entries(headers)) {
    const where = `defineTool: ${toolName} paramHeaders.${property}`;
    const subschema = properties[property];
    if (!isJsonObject(subschema)) throw new Error(`${where}: the input has no such property`);
    if (!MIRRORED_TYPES.has(String(subschema["type"]))) {
      throw new Error(`${where}: expected a string, integer or boolean, got ${JSON.stringify(subschema["type"])}`);
    }
    if (!TOKEN.test(header)) throw new Error(`${where}: ${JSON.stringify(header)} is not the name of a header`);
    if (taken.has(header.toLowerCase())) throw new Error(`${where}: ${header} mirrors another property already`);
    taken.add(header.toLowerCase());
    properties[property] = { ...subschema, "x-mcp-header": header };
  }
  return { ...schema, properties };
}
