// One operation as one tool record.

import * as v from "valibot";
import { LIMITS } from "../lib/limits.ts";
import type { JsonSchema, ToolAnnotations } from "../tools/define-tool.ts";
import { judgeDestination } from "../tools/egress.ts";
import { checkSchema } from "../tools/json-schema/check-schema.ts";
import { checkSource } from "../tools/record-tool.ts";
import { OPENAPI_ORIGIN, ToolRecordSchema, type HttpSource, type ToolRecord } from "../tools/tool-record.ts";
import { addBody } from "./add-body.ts";
import { addParameter, readParameters } from "./add-parameter.ts";
import { cleanText } from "./clean-text.ts";
import type { ConversionMemory } from "./conversion-memory.ts";
import { DETAILS, SchemaConverter, TooManySubschemas, type Detail } from "./convert-schema.ts";
import { faultsOf, type OpenApiDocument } from "./document.ts";
import type { ImportOptions } from "./import-options.ts";
import { Inexpressible } from "./inexpressible.ts";
import type { Method, Operation } from "./operations.ts";
import { readAnswer } from "./read-response.ts";
import type { References } from "./references.ts";
import { RequestDraft } from "./request-draft.ts";
import { chooseCredentials, type Credential } from "./security.ts";
import { toServerUrl } from "./server-url.ts";
import type { Work } from "./work.ts";

/** What an import knows beside the operation itself. */
export interface Surroundings {
  document: OpenApiDocument;
  references: References;
  memory: ConversionMemory;
  options: ImportOptions;
  api: string;
  /** As `EGRESS_ALLOW`. */
  allow: string;
}

export interface BuiltTool {
  record: ToolRecord;
  notes: string[];
  credentials: Credential[];
}

/** The operation's record. Throws `Inexpressible` with the reason when there can be none. */
export function buildTool(operation: Operation, around: Surroundings): BuiltTool {
  const { document, references, options, api, allow } = around;
  const { work } = references;
  work.spend(work.sizeOf(document.servers) + work.sizeOf(document.security));
  const url = toServerUrl(operation.servers ?? document.servers, options);
  const answer = readAnswer(operation.responses ?? {}, references);
  const alternatives = operation.security ?? document.security ?? [];
  const credentials = chooseCredentials(alternatives, document, references, api);
  const { draft, inputSchema } = fit("input", work, (detail) => draftRequest(operation, around, credentials, detail));
  if (answer.accept !== undefined && !draft.has("header", "accept")) draft.headers.push(["accept", answer.accept]);
  const source: HttpSource = {
    kind: "http",
    method: operation.method,
    url: url + fillPath(operation.path, draft),
    ...(draft.query.length > 0 && { query: Object.fromEntries(draft.query) }),
    ...(draft.headers.length > 0 && { headers: Object.fromEntries(draft.headers) }),
    ...(draft.body !== undefined && { body: draft.body }),
    ...(answer.result !== undefined && { result: answer.result }),
  };
  const isDeclared = options.outputSchemas === "on" && answer.schema !== undefined;
  const record = {
    ...describeOperation(operation),
    inputSchema,
    ...(isDeclared && { outputSchema: fit("output", work, (detail) => convertOutput(answer.schema, around, detail)) }),
    annotations: annotationsOf(operation.method),
    origin: toOrigin(api),
    source,
  };
  const refusal = refusalOf(url, allow);
  if (refusal !== undefined) draft.notes.push(`calls are refused, unless EGRESS_ALLOW names the server: ${refusal}`);
  return { record: toRecord(record), notes: draft.notes, credentials };
}

/** Why the egress guard would refuse a server. */
function refusalOf(server: string, allow: string): string | undefined {
  const url = URL.parse(server);
  return url ? judgeDestination({ allow, ownHosts: [] })(url) : undefined;
}

/** Whose a record is: that of an import of this API. */
export const toOrigin = (api: string): string => `${OPENAPI_ORIGIN}${api}`;

function toRecord(draft: unknown): ToolRecord {
  const outcome = v.safeParse(ToolRecordSchema, draft);
  if (!outcome.success)
    throw new Inexpressible(`no valid tool record: ${faultsOf(outcome.issues, ToolRecordSchema, "it")}`);
  const record = outcome.output;
  const { source } = record;
  // Which hosts without https are open is the deployment's to say, and only when the tool is stored.
  const allowed = source.kind === "http" ? new URL(source.url.replaceAll(/[{}]/g, "x")).host : "";
  const faults = checkSource(record, /:\d+$/.test(allowed) ? allowed : `${allowed}:80`);
  if (faults.length === 0) return record;
  throw new Inexpressible(
    `no tool can do this: ${faults.map(({ path, message }) => `${path}: ${message}`).join("; ")}`,
  );
}

/** The fullest version that fits a tool record. */
function fit<T extends JsonSchema | { inputSchema: JsonSchema }>(
  what: "input" | "output",
  work: Work,
  build: (detail: Detail) => T,
): T {
  let refusal = `expected at most ${LIMITS.subschemas} subschemas`;
  for (const detail of DETAILS) {
    try {
      const built = build(detail);
      const schema = "inputSchema" in built ? built.inputSchema : built;
      work.spend(work.sizeOf(schema));
      const refused = checkSchema(schema, what);
      if (!refused) return built;
      refusal = `${refused.path}: ${refused.message}`;
    } catch (error) {
      if (!(error instanceof TooManySubschemas)) throw error;
    }
  }
  throw new Inexpressible(`its ${what} schema is none that tools may have: ${refusal}`);
}

function draftRequest(operation: Operation, around: Surroundings, credentials: Credential[], detail: Detail) {
  const { references, memory, options } = around;
  const converter = new SchemaConverter(references, "input", detail, memory.of("input", detail));
  const draft = new RequestDraft();
  for (const [name, template] of Object.entries(options.headers ?? {}))
    draft.headers.push([name.toLowerCase(), template]);
  for (const { in: location, field, template } of credentials) {
    if (!draft.has(location, field)) draft[location === "query" ? "query" : "headers"].push([field, template]);
  }
  for (const parameter of readParameters(operation.parameters, references)) {
    addParameter(draft, parameter, references, converter);
  }
  if (operation.requestBody !== undefined) {
    addBody(draft, operation.method, operation.requestBody, references, converter);
  }
  if (converter.isCut) draft.notes.push(`its input schema is cut below level ${detail.depth}`);
  const { defs } = converter;
  // Not `additionalProperties: false`, which Gemini's `parameters` refuses: `origin` says it at the call.
  const inputSchema: JsonSchema = {
    type: "object",
    properties: Object.fromEntries(draft.properties),
    ...(draft.required.length > 0 && { required: draft.required }),
    ...(defs && { $defs: defs }),
  };
  return { draft, inputSchema };
}

function convertOutput(schema: unknown, { references, memory }: Surroundings, detail: Detail): JsonSchema {
  const converter = new SchemaConverter(references, "output", detail, memory.of("output", detail));
  const converted = converter.convert(schema, 1);
  const root = typeof converted === "object" ? converted : {};
  const { defs } = converter;
  return { ...root, type: "object", ...(defs && { $defs: defs }) };
}

function fillPath(path: string, { path: templates }: RequestDraft): string {
  if (/\/\/|\/\.{1,2}(\/|$)/.test(path)) throw new Inexpressible("a path with an empty segment, . or ..");
  // Placeholders stand at the odd places.
  const parts = path.split(/\{([^{}]+)\}/).map((part, at) => (at % 2 === 0 ? encodePath(part) : templates.get(part)));
  const missing = parts.indexOf(undefined);
  if (missing < 0) return parts.join("");
  throw new Inexpressible(`its path has no parameter ${JSON.stringify(path.split(/[{}]/)[missing])}`);
}

/** What stands between placeholders, with nothing left in it that a URL or a template would read otherwise. */
function encodePath(text: string): string {
  if (/[{}]/.test(text)) throw new Inexpressible("a path with unmatched braces");
  return text.replaceAll(/%(?![\dA-F]{2})|[^\w.~!$&'()*+,;=:@/%-]+/gi, (part) =>
    encodeURIComponent(part.toWellFormed()),
  );
}

function describeOperation({ summary, description, method, path }: Operation) {
  const title = cleanText(summary, LIMITS.titleChars).replaceAll(/\s+/g, " ");
  const long = cleanText(description, LIMITS.descriptionChars);
  const isRepeated = bare(long).startsWith(bare(title));
  const full = isRepeated ? long : cleanText(`${title}\n\n${long}`, LIMITS.descriptionChars);
  // A title that says what the description says would be the same text a second time in every list.
  const isTitled = title !== "" && bare(title) !== bare(full);
  return { ...(isTitled && { title }), description: full || `${method} ${path}`.slice(0, LIMITS.descriptionChars) };
}

const bare = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, " ").replace(/\.$/, "");

/** What HTTP says of the method (RFC 9110, 9.2); upstreams are open worlds. */
function annotationsOf(method: Method): ToolAnnotations {
  switch (method) {
    case "GET":
    case "HEAD":
      return { readOnlyHint: true, openWorldHint: true };
    case "DELETE":
    case "PUT":
      return { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
    default:
      return { readOnlyHint: false, openWorldHint: true };
  }
}
