// A tool as data, which operators put into the catalogue while the server runs. What its schemas and templates may hold is
// checked by those who compile them.

import * as v from "valibot";
import { LIMITS } from "../lib/limits.ts";

/** What every client takes as a tool's name. */
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** The same with dots, which some clients refuse (MCP 2025-11-25, server/tools, "Tool Names"). */
export const DOTTED_TOOL_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

const HOST = /^[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/;

const text = (max: number) => v.pipe(v.string(), v.maxLength(max));
const template = text(LIMITS.templateChars);
const templates = v.pipe(
  v.record(text(LIMITS.templateNameChars), template),
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

const IconSchema = v.strictObject({
  src: v.pipe(text(LIMITS.iconChars), v.regex(/^(https:|data:image\/)/, "expected an https or data:image URI")),
  mimeType: v.exactOptional(text(100)),
  sizes: v.exactOptional(v.pipe(v.array(text(20)), v.maxLength(20))),
  theme: v.exactOptional(v.picklist(["light", "dark"])),
});

/**
 * A request that arguments fill in. `{name}` in `url` (a path segment or part of one), `query`, `headers` and `body` stands
 * for an argument; a string that is nothing but `{name}` becomes the argument's JSON value in `body`. Query, header and
 * body members whose argument is absent are left out. `{{secret:NAME}}` stands for a secret, in `query` and `headers`.
 * In a query or a form, a list given for a member that is nothing but `{name}` repeats the member; elsewhere in text its
 * items have commas between them. `{name,}`, `{name|}` and `{name+}` join them with a comma, a bar or a space anywhere, in
 * `url` too. An object in text is its JSON.
 */
export const HttpSourceSchema = v.strictObject({
  kind: v.literal("http"),
  method: v.picklist(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
  url: template,
  query: v.exactOptional(templates),
  headers: v.exactOptional(templates),
  /** Any JSON value; sent as JSON, or as a form when `headers` say so. */
  body: v.exactOptional(v.unknown()),
  /** What the answer becomes: text, structured content, or one content item by its MIME type. */
  result: v.exactOptional(v.picklist(["text", "json", "image", "audio", "resource"])),
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
