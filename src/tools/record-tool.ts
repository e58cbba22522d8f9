// A tool that came as data, as `run-tool` sees it: schemas checked again when it is loaded, since bounds change, and compiled
// at its first call.

import { parseKept } from "../lib/kept-json.ts";
import { LIMITS } from "../lib/limits.ts";
import type { ToolContext } from "./context.ts";
import type { JsonSchema, Tool, ToolDefinition, Validation } from "./define-tool.ts";
import { checkCodeSource } from "./code-tool/check-code-source.ts";
import { compileCodeTool, type CodeToolOptions } from "./code-tool/compile-code-tool.ts";
import { checkHttpSource } from "./http-tool/check-http-source.ts";
import { compileHttpTool } from "./http-tool/compile-http-tool.ts";
import { secretNames } from "./http-tool/request-plan.ts";
import type { ResponseCache } from "./http-tool/response-cache.ts";
import { checkSchema } from "./json-schema/check-schema.ts";
import { compileSchema } from "./json-schema/compile-schema.ts";
import { toResult } from "./tool-result.ts";
import { OPENAPI_ORIGIN, type StoredRecord, type ToolRecord } from "./tool-record.ts";
import { compileUpstreamTool } from "./upstream/compile-upstream-tool.ts";
import type { SessionCache } from "./upstream/session-cache.ts";
import { headerSecrets } from "./upstream/upstream-record.ts";

/** What is wrong with a record, and where. */
export interface RecordFault {
  path: string;
  message: string;
}

/** All that is wrong with a record besides its shape and its module; `allowHosts` as `EGRESS_ALLOW`. */
export function checkRecord(record: ToolRecord, allowHosts: string): RecordFault[] {
  const { inputSchema, outputSchema } = record;
  const schemas = [
    ...faultsOf("inputSchema", checkSchema(inputSchema, "input")),
    ...(outputSchema ? faultsOf("outputSchema", checkSchema(outputSchema, "output")) : []),
  ];
  return schemas.length > 0 ? schemas : checkSource(record, allowHosts);
}

/** The same of a record whose schemas were checked. */
export function checkSource({ inputSchema, source }: ToolRecord, allowHosts: string): RecordFault[] {
  const faults =
    source.kind === "http"
      ? checkHttpSource(source, inputSchema, allowHosts)
      : checkCodeSource(source, { allow: allowHosts });
  return faults.map(({ path, message }) => ({ path: `source.${path}`, message }));
}

/** The names of the secrets that a tool needs. */
export function secretsOfSource(source: StoredRecord["source"]): string[] {
  switch (source.kind) {
    case "http":
      return secretNames(source);
    case "code":
      return source.secrets ?? [];
    case "upstream":
      return headerSecrets(source.headers);
  }
}

const faultsOf = (name: string, refusal: RecordFault | undefined): RecordFault[] =>
  refusal ? [{ path: `${name}${refusal.path}`, message: refusal.message }] : [];

/** What `tools/list` says of a record, its schemas as they came. */
export function definitionOf(name: string, record: StoredRecord): ToolDefinition {
  const { title, description, icons, inputSchema, outputSchema, source } = record;
  const annotations = source.kind === "upstream" ? source.annotations : undefined;
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    ...(icons && { icons: icons as NonNullable<ToolDefinition["icons"]> }),
    inputSchema: parseKept<JsonSchema>(inputSchema),
    ...(outputSchema !== undefined && { outputSchema: parseKept<JsonSchema>(outputSchema) }),
    ...(annotations && { annotations }),
  };
}

/** What tools that came as data are run with: what an isolate caches, and where code comes from. */
export interface RecordKit extends CodeToolOptions {
  cache: ResponseCache;
  sessions: SessionCache;
}

/** Makes the tool. Throws when its source is one that would not be taken any more. */
export function createRecordTool(name: string, record: StoredRecord, kit: RecordKit): Tool {
  const definition = definitionOf(name, record);
  const { inputSchema, outputSchema } = definition;
  const timeoutMs = record.timeoutMs ?? LIMITS.toolTimeoutMs;
  const validateInput = compiledLater(checkedSchema(inputSchema, record), LIMITS.validationSteps);
  const run = runnerOf(definition, record.source, timeoutMs, kit);
  return {
    name,
    definition,
    timeoutMs,
    ...(record.sanitize === false && { sanitize: false }),
    validateInput,
    ...(outputSchema && { validateOutput: compiledLater(outputSchema, LIMITS.resultValidationSteps) }),
    run: async (input, ctx) => toResult(await run(input as Record<string, unknown>, ctx), true),
  };
}

type Run = (args: Record<string, unknown>, ctx: ToolContext) => Promise<unknown>;

function runnerOf(
  { name, inputSchema }: ToolDefinition,
  source: StoredRecord["source"],
  timeoutMs: number,
  { cache, sessions, ...code }: RecordKit,
): Run {
  switch (source.kind) {
    case "http":
      return compileHttpTool(source, { cache, timeoutMs });
    case "code":
      return compileCodeTool(name, source, code);
    case "upstream":
      return compileUpstreamTool(source, { sessions, inputSchema, timeoutMs });
  }
}

const IMPORTED_KEYWORDS = ["type", "properties", "required", "$defs"];

/**
 * As built-in tools, those that an import made refuse unknown arguments at the call without a keyword for it in the list. A
 * schema that an operator gave such a tool since, in which arguments are named otherwise, says itself what it takes.
 */
function checkedSchema(schema: JsonSchema, { origin = "" }: StoredRecord): JsonSchema {
  const isImported = origin.startsWith(OPENAPI_ORIGIN);
  const namesAll = Object.keys(schema).every((keyword) => IMPORTED_KEYWORDS.includes(keyword));
  return isImported && namesAll ? { ...schema, additionalProperties: false } : schema;
}

/** A catalogue of thousands has few tools that are called: each pays for its schemas at its first call. */
function compiledLater(schema: JsonSchema, maxSteps: number): (value: unknown) => Validation {
  let validate: ((value: unknown) => Validation) | undefined;
  return (value) => (validate ??= compileSchema(schema, maxSteps))(value);
}
