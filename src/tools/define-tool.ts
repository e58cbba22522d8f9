// A tool written in the repository: valibot in, JSON Schema 2020-12 out, validation on both sides of `run`.

import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { isMissing, issueMessage } from "../lib/issue-message.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Content, Icon, ToolResult } from "./content.ts";
import type { ToolContext } from "./context.ts";
import { annotateParamHeaders, type ParamHeaders } from "./param-headers.ts";
import { keepSecrets } from "./keep-secrets.ts";
import { isReservedName } from "./reserved-names.ts";

export type JsonSchema = Record<string, unknown>;

/** Untrusted hints on what a tool does (MCP 2026-07-28, schema `ToolAnnotations`). */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** What `tools/list` says of a tool (MCP 2026-07-28, schema `Tool`). */
export interface ToolDefinition {
  name: string;
  title?: string;
  description: string;
  icons?: Icon[];
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  annotations?: ToolAnnotations;
}

/** One broken rule: `path` as in `user.tags[2]` (empty for the whole value), the rule's name, what was expected. */
export interface ValidationIssue {
  path: string;
  rule: string;
  message: string;
}

export type Validation = { ok: true; value: unknown } | { ok: false; issues: ValidationIssue[] };

/** A tool of any origin, as `run-tool` sees it. */
export interface Tool {
  readonly name: string;
  readonly definition: ToolDefinition;
  readonly timeoutMs: number;
  /** What a call costs, in calls; 1 without it. */
  readonly cost?: number;
  /** `false` passes on what the tool gives back as it is, hidden characters included. */
  readonly sanitize?: boolean;
  validateInput(args: unknown): Validation;
  /** Absent when the tool declares no output schema. */
  validateOutput?(structuredContent: unknown): Validation;
  run(input: unknown, ctx: ToolContext): Promise<ToolResult>;
}

type Input = v.GenericSchema<Record<string, unknown>, unknown>;
type Output = v.GenericSchema;

/** What `run` may return: text, content, a whole result; with an output schema always `structuredContent`. */
export type RunResult<O extends Output | undefined> = O extends Output
  ? { structuredContent: v.InferInput<O>; content?: Content[]; isError?: true }
  : string | Content | Content[] | ToolResult;

export interface ToolSource<I extends Input, O extends Output | undefined> {
  name: string;
  title?: string;
  /** What the tool does and when to use it: this is what a model reads. */
  description: string;
  icons?: Icon[];
  annotations?: ToolAnnotations;
  /** An object schema. Use `v.strictObject` to refuse unknown arguments. */
  input: I;
  output?: O;
  /** Arguments that clients mirror into `Mcp-Param-<name>`: header names by property. Never what is secret. */
  paramHeaders?: ParamHeaders;
  /** Deadline in milliseconds, at most `LIMITS.toolTimeoutMaxMs`. */
  timeoutMs?: number;
  /** What a call costs of a key's limits, in calls: 1 by default, at most `LIMITS.toolCostMax`. */
  cost?: number;
  /** `false` passes on what the tool gives back as it is: by default hidden characters and escape sequences are removed. */
  sanitize?: boolean;
  run: (input: v.InferOutput<I>, ctx: ToolContext) => RunResult<O> | Promise<RunResult<O>>;
}

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Makes a tool. Throws at start-up, never at a call, when the definition breaks a rule. */
export function defineTool<I extends Input, O extends Output | undefined = undefined>(source: ToolSource<I, O>): Tool {
  const timeoutMs = source.timeoutMs ?? LIMITS.toolTimeoutMs;
  checkSource(source, timeoutMs);
  const { output } = source;
  return {
    name: source.name,
    timeoutMs,
    ...(source.cost !== undefined && { cost: source.cost }),
    ...(source.sanitize === false && { sanitize: false }),
    definition: toDefinition(source),
    validateInput: (args) => validate(source.input, args),
    ...(output && { validateOutput: (value: unknown) => validate(output, value) }),
    run: (input, ctx) => keepSecrets(ctx, (own) => source.run(input as v.InferOutput<I>, own)),
  };
}

function checkSource(
  { name, description, cost = 1 }: { name: string; description: string; cost?: number },
  timeoutMs: number,
): void {
  if (!TOOL_NAME.test(name)) throw new Error(`defineTool: name ${JSON.stringify(name)} must match ${TOOL_NAME.source}`);
  if (isReservedName(name)) throw new Error(`defineTool: ${name} is the name of a tool of the server's own`);
  if (description.trim() === "") throw new Error(`defineTool: ${name} needs a description`);
  if (!(timeoutMs > 0 && timeoutMs <= LIMITS.toolTimeoutMaxMs)) {
    throw new Error(`defineTool: ${name} timeoutMs must be 1 to ${LIMITS.toolTimeoutMaxMs}, got ${timeoutMs}`);
  }
  if (!Number.isInteger(cost) || cost < 1 || cost > LIMITS.toolCostMax) {
    throw new Error(`defineTool: ${name} cost must be a whole number from 1 to ${LIMITS.toolCostMax}, got ${cost}`);
  }
}

function toDefinition<I extends Input, O extends Output | undefined>(source: ToolSource<I, O>): ToolDefinition {
  const { name, title, description, icons, annotations, input, output, paramHeaders = {} } = source;
  const inputSchema = withoutStrictness(asObjectSchema(name, schemaOf(name, input, "input")));
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    ...(icons && { icons }),
    inputSchema: annotateParamHeaders(name, inputSchema, paramHeaders),
    ...(output && { outputSchema: schemaOf(name, output, "output") }),
    ...(annotations && { annotations }),
  };
}

/** MCP wants `type` and `properties` at the root; a union of objects has them in its branches only. */
function asObjectSchema(toolName: string, schema: JsonSchema): JsonSchema {
  const branches = schema["anyOf"] ?? schema["oneOf"];
  const isUnion = Array.isArray(branches) && branches.every((branch: JsonSchema) => branch["type"] === "object");
  if (schema["type"] !== "object" && !isUnion) {
    throw new Error(`defineTool: ${toolName} input must be an object schema, or a union of them`);
  }
  return { type: "object", properties: {}, ...schema };
}

/**
 * Gemini's `parameters` refuses a whole request over this keyword (felinics/Memoh#620, 2026-06; diegosouzapw/OmniRoute#12768,
 * 2026-09). Unknown arguments are refused at the call, listed or not.
 */
function withoutStrictness({ additionalProperties, ...schema }: JsonSchema): JsonSchema {
  return additionalProperties === false || additionalProperties === undefined
    ? schema
    : { ...schema, additionalProperties };
}

/** Values that arguments and structured results, being JSON, can't have. */
const NOT_JSON = /^(?:bigint|blob|date|file|function|instance|map|promise|set|symbol)$/;

function schemaOf(toolName: string, schema: v.GenericSchema, typeMode: "input" | "output"): JsonSchema {
  // 2020-12 is the default dialect of MCP, so `$schema` would only cost bytes (2026-07-28, basic, "Schema Dialect").
  const { $schema: _, ...rest } = toJsonSchema(schema, {
    target: "draft-2020-12",
    // A check that JSON Schema can't say still runs at the call.
    errorMode: "ignore",
    // An output schema describes what goes over the wire, which is what `run` returns: the input of the valibot schema.
    typeMode: typeMode === "output" ? "input" : typeMode,
    overrideSchema: ({ valibotSchema: { type } }) => {
      if (NOT_JSON.test(type)) {
        throw new Error(
          `defineTool: ${toolName} ${typeMode} has v.${type}(), which is no JSON: take what JSON has, and v.transform() it`,
        );
      }
      return undefined;
    },
  });
  return rest as JsonSchema;
}

function validate(schema: v.GenericSchema, value: unknown): Validation {
  const outcome = v.safeParse(schema, value, { abortPipeEarly: true });
  if (outcome.success) return { ok: true, value: outcome.output };
  const issues = [...outcome.issues.filter(isNotUnknownKey).map(toIssue), ...unknownKeys(schema, value)];
  return { ok: false, issues: issues.slice(0, LIMITS.validationIssues) };
}

/** A strict object names the first key that it does not know; a model that sent three should hear of three. */
function unknownKeys(schema: v.GenericSchema, value: unknown): ValidationIssue[] {
  if (!isStrictObject(schema) || typeof value !== "object" || value === null) return [];
  const known = Object.keys(schema.entries);
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((path) => ({
      path,
      rule: "strict_object",
      message: `unknown argument: expected ${known.join(", ") || "none"}`,
    }));
}

const isStrictObject = (schema: v.GenericSchema): schema is v.StrictObjectSchema<v.ObjectEntries, undefined> =>
  schema.type === "strict_object";

const isNotUnknownKey = ({ type, expected, path }: v.BaseIssue<unknown>): boolean =>
  type !== "strict_object" || expected !== "never" || path?.length !== 1;

function toIssue(issue: v.BaseIssue<unknown>): ValidationIssue {
  const { path, type } = issue;
  const at = path ? pathOf(path) : "";
  if (isMissing(issue)) return { path: at, rule: "required", message: "is missing" };
  return { path: at, rule: type, message: issueMessage(issue) };
}

const pathOf = (path: v.IssuePathItem[]): string =>
  path.reduce((prefix, { key }) => {
    if (typeof key === "number") return `${prefix}[${key}]`;
    return prefix === "" ? String(key) : `${prefix}.${String(key)}`;
  }, "");
