// A tool that came as data, as `run-tool` sees it: schemas checked again when it is loaded, since bounds change, and compiled
// at its first call.

import { parseKept } from "../lib/kept-json.ts";
import { LIMITS } from "../lib/limits.ts";
import type { ToolContext } from "./context.ts";
import type { JsonSchema, Tool, ToolDefinition, Validation } from "./define-tool.ts";
import { checkHttpSource } from "./http-tool/check-http-source.ts";
import { compileHttpTool } from "./http-tool/compile-http-tool.ts";
import type { ResponseCache } from "./http-tool/response-cache.ts";
import { checkSchema } from "./json-schema/check-schema.ts";
import { compileSchema } from "./json-schema/compile-schema.ts";
import { toResult } from "./tool-result.ts";
import type { StoredRecord, ToolRecord } from "./tool-record.ts";

/** What is wrong with a record, and where. */
export interface RecordFault {
  path: string;
  message: string;
}

/** All that is wrong with a record besides its shape; `allowHosts` as `EGRESS_ALLOW`. */
export function checkRecord(record: ToolRecord, allowHosts: string): RecordFault[] {
  const { inputSchema, outputSchema, source } = record;
  const schemas = [
    ...faultsOf("inputSchema", checkSchema(inputSchema, "input")),
    ...(outputSchema ? faultsOf("outputSchema", checkSchema(outputSchema, "output")) : []),
  ];
  if (source.kind !== "http" || schemas.length > 0) return schemas;
  return checkHttpSource(source, inputSchema, allowHosts).map(({ path, message }) => ({
    path: `source.${path}`,
    message,
  }));
}

const faultsOf = (name: string, refusal: RecordFault | undefined): RecordFault[] =>
  refusal ? [{ path: `${name}${refusal.path}`, message: refusal.message }] : [];

/** What `tools/list` says of a record, its schemas as they came. */
export function definitionOf(name: string, record: StoredRecord): ToolDefinition {
  const { title, description, icons, inputSchema, outputSchema } = record;
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    ...(icons && { icons: icons as NonNullable<ToolDefinition["icons"]> }),
    inputSchema: parseKept<JsonSchema>(inputSchema),
    ...(outputSchema !== undefined && { outputSchema: parseKept<JsonSchema>(outputSchema) }),
  };
}

/** Makes the tool. Throws when a schema or the source is one that would not be taken any more. */
export function createRecordTool(name: string, record: StoredRecord, cache: ResponseCache): Tool {
  const definition = definitionOf(name, record);
  const { inputSchema, outputSchema } = definition;
  const timeoutMs = record.timeoutMs ?? LIMITS.toolTimeoutMs;
  const validateInput = compiledLater(inputSchema, LIMITS.validationSteps);
  const run = runnerOf(record, timeoutMs, cache);
  return {
    name,
    definition,
    timeoutMs,
    validateInput,
    ...(outputSchema && { validateOutput: compiledLater(outputSchema, LIMITS.resultValidationSteps) }),
    run: async (input, ctx) => toResult(await run(input as Record<string, unknown>, ctx)),
  };
}

type Run = (args: Record<string, unknown>, ctx: ToolContext) => Promise<unknown>;

function runnerOf({ source }: StoredRecord, timeoutMs: number, cache: ResponseCache): Run {
  if (source.kind === "http") return compileHttpTool(source, { cache, timeoutMs });
  throw new Error("this deployment runs no code tools");
}

/** A catalogue of thousands has few tools that are called: each pays for its schemas at its first call. */
function compiledLater(schema: JsonSchema, maxSteps: number): (value: unknown) => Validation {
  let validate: ((value: unknown) => Validation) | undefined;
  return (value) => (validate ??= compileSchema(schema, maxSteps))(value);
}
