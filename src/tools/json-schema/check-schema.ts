// Whether a tool may have a schema: asked when it is registered, and again when it is loaded, since bounds change.

import type { JsonSchema } from "../define-tool.ts";
import { compileSchema } from "./compile-schema.ts";
import { SchemaRefused, type SchemaRefusal } from "./schema-refusal.ts";

/** What is wrong with a tool's `inputSchema` or `outputSchema`; `undefined` when `compileSchema` takes it. */
export function checkSchema(schema: unknown, role: "input" | "output"): SchemaRefusal | undefined {
  try {
    compileSchema(schema as JsonSchema);
  } catch (error) {
    if (error instanceof SchemaRefused) return error.refusal;
    throw error;
  }
  // 2026-07-28, schema, `Tool`: arguments are objects, structured content is any value.
  const isObject = role === "output" || (schema as JsonSchema)["type"] === "object";
  return isObject ? undefined : { path: "/type", message: 'expected "object": arguments are always one' };
}
