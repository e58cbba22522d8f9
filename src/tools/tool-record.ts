// A tool as data, which operators put into the catalogue while the server runs. What its schemas and templates may hold is
// checked by those who compile them.

import * as v from "valibot";
import { LIMITS } from "../lib/limits.ts";
import { strictRecord } from "../lib/strict-record.ts";
import type { UpstreamSource } from "./upstream/upstream-record.ts";

/** What every client takes as a tool's name. */
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/**
 * The same with dots, which some clients refuse (MCP 2025-11-25, server/tools, "Tool Names"). `.` and `..` are none: URLs
 * resolve them away (WHATWG URL, "single-dot URL path segment"), so that no route could reach such a tool.
 */
export const DOTTED_TOOL_NAME = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,64}$/;

/** What the origin of an imported tool starts with: its arguments are those that its schema names, and no more. */
export const OPENAPI_ORIGIN = "openapi:";

const HOST = /^[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/;

const text = (max: number) => v.pipe(v.string(), v.maxLength(max));
const template = text(LIMITS.templateChars);
const templates = v.pipe(
  strictRecord(text(LIMITS.templateNameChars), template),
  v.check((record) => Object.keys(record).length <= LIMITS.templates, `expected at most ${LIMITS.templates} entries`),
);

/** A JSON Schema, kept byte for byte as it came. */
const JsonSchemaSchema = v.record(v.string(), v.unknown());

export const AnnotationsSchema = v.strictObject({
  title: v.exactOptional(text(LIMITS.titleChars)),
  readOnlyHint: v.exactOptional(v.boolean()),
  destructiveHint: v.exactOptional(v.boolean()),
  idempotentHint: v.exactOptional(v.boolean()),
  openWorldHint: v.exactOptional(v.boolean()),
});

export const IconSchema = v.strictObject({
  src: v.pipe(text(LIMITS.iconChars), v.regex(/^(https:|data:image\/)/, "expected an https or data:image URI")),
  mimeType: v.exactOptional(text(100)),
  sizes: v.exactOptional(v.pipe(v.array(text(20)), v.maxLength(20))),
  theme: v.exactOptional(v.picklist(["light", "dark"])),
});

/**
 * A request to one host that arguments fill in. In `url` (path segments or parts of them), `query`, `headers` and `body`,
 * `{name}` stands for an argument: a property of the input schema, listed as required where it is part of the path.
 * `{{secret:NAME}}` stands for a secret, in `query` and `headers` alone. `{{` and `}}` are braces as text; any other brace
 * is refused.
 * - A string that is nothing but `{name}` is the argument itself: its JSON value in `body`, one member an item for a list
 *   in `query` or a form. Within other text, lists of scalars are joined with commas and objects become JSON.
 *   `{name,}`, `{name|}` and `{name+}` join them with a comma, a bar or a space anywhere, in `url` too.
 * - A member or item whose argument is absent is left out (in `query`, `headers` and forms also when it is null).
 * - Scheme, host and port are fixed; an argument that would climb out of its path segment is refused.
 */
export const HttpSourceSchema = v.strictObject({
  kind: v.literal("http"),
  method: v.picklist(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
  url: template,
  query: v.exactOptional(templates),
  headers: v.exactOptional(templates),
  /** Any JSON value, sent as JSON or, when `content-type` in `headers` says so, as a form (an object) or text (a string). */
  body: v.exactOptional(v.unknown()),
  /** What the answer becomes: text, structured content, or one content item; by its content type when absent. */
  result: v.exactOptional(v.picklist(["text", "json", "image", "audio", "resource"])),
  /** `true` tells the API in `traceparent` which trace the call is part of. */
  traceContext: v.exactOptional(v.boolean()),
});
export type HttpSource = v.InferOutput<typeof HttpSourceSchema>;

/** A JavaScript module, `export default async (args, ctx) => …`, with no network but these hosts. */
export const CodeSourceSchema = v.strictObject({
  kind: v.literal("code"),
  module: text(LIMITS.moduleChars),
  egress: v.exactOptional(
    v.pipe(v.array(v.pipe(text(253), v.regex(HOST, "expected a host name"))), v.maxLength(LIMITS.moduleHosts)),
  ),
  /** Names of the secrets that `ctx.secrets` has. */
  secrets: v.exactOptional(v.pipe(v.array(text(LIMITS.secretNameChars)), v.maxLength(LIMITS.moduleSecrets))),
});
export type CodeSource = v.InferOutput<typeof CodeSourceSchema>;

/** What a call costs of a key's limits, in calls. */
export const CostSchema = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(LIMITS.toolCostMax));

const ToolSourceSchema = v.variant("kind", [HttpSourceSchema, CodeSourceSchema]);

/** `PUT /admin/v1/tools/{name}`. */
export const ToolRecordSchema = v.strictObject({
  title: v.exactOptional(text(LIMITS.titleChars)),
  description: v.pipe(text(LIMITS.descriptionChars), v.trim(), v.minLength(1)),
  inputSchema: JsonSchemaSchema,
  outputSchema: v.exactOptional(JsonSchemaSchema),
  annotations: v.exactOptional(AnnotationsSchema),
  icons: v.exactOptional(v.pipe(v.array(IconSchema), v.maxLength(LIMITS.icons))),
  enabled: v.exactOptional(v.boolean()),
  cost: v.exactOptional(CostSchema),
  timeoutMs: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(LIMITS.toolTimeoutMaxMs))),
  /** `false` passes on what the tool answers as it is. */
  sanitize: v.exactOptional(v.boolean()),
  /** Allows dots in the name, which some clients refuse. */
  allowDots: v.exactOptional(v.boolean()),
  /** Who made the record, such as `openapi:petstore`; nobody has made it but its operator when absent. */
  origin: v.exactOptional(text(LIMITS.originChars)),
  source: ToolSourceSchema,
});
export type ToolRecord = v.InferOutput<typeof ToolRecordSchema>;

/** A tool that came as data, as it is stored: its schemas are texts, to be listed as they came. No operator puts one of an
 * upstream's: those are listed there. */
export interface StoredRecord extends Omit<
  ToolRecord,
  "enabled" | "annotations" | "cost" | "inputSchema" | "outputSchema" | "source"
> {
  inputSchema: string;
  outputSchema?: string;
  source: HttpSource | StoredCode | UpstreamSource;
}

/** A code tool without its module, which is stored apart by the hash of its text (SHA-256, hex). */
export type StoredCode = Omit<CodeSource, "module"> & { hash: string };
