// The parts of OpenAPI 3.0 and 3.1 documents that an import reads, each checked where it is used: a fault in one operation
// costs that operation, not the import. What is not named here may be anything.

import * as v from "valibot";
import { describeIssue } from "../lib/describe-issue.ts";
import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { DocumentError, Inexpressible } from "./inexpressible.ts";

const flag = v.exactOptional(v.boolean());
const map = v.custom<JsonObject>(isJsonObject, "expected an object");
/** Texts that are no text are no fault: they are left out. */
const text = v.exactOptional(v.unknown());

const ServerSchema = v.looseObject({
  url: v.string(),
  variables: v.exactOptional(
    v.record(v.string(), v.looseObject({ default: v.union([v.string(), v.number(), v.boolean()]) })),
  ),
});
export type Server = v.InferOutput<typeof ServerSchema>;

const servers = v.exactOptional(v.array(ServerSchema));
const security = v.exactOptional(v.array(v.record(v.string(), v.unknown())));

const DocumentSchema = v.looseObject({
  openapi: v.pipe(v.string(), v.regex(/^3\.[01](\.|$)/, 'expected "3.0.x" or "3.1.x"')),
  info: v.looseObject({ title: v.string() }),
  paths: v.exactOptional(map),
  webhooks: v.exactOptional(map),
  components: v.exactOptional(map),
  servers,
  security,
});
export type OpenApiDocument = v.InferOutput<typeof DocumentSchema>;

export const PathItemSchema = v.looseObject({ parameters: v.exactOptional(v.array(v.unknown())), servers });

export const OperationSchema = v.looseObject({
  operationId: v.exactOptional(v.string()),
  summary: text,
  description: text,
  tags: v.exactOptional(v.array(v.string())),
  deprecated: flag,
  parameters: v.exactOptional(v.array(v.unknown())),
  requestBody: v.exactOptional(v.unknown()),
  responses: v.exactOptional(map),
  servers,
  security,
});

export const ParameterSchema = v.looseObject({
  name: v.pipe(v.string(), v.minLength(1)),
  in: v.picklist(["path", "query", "header", "cookie"]),
  required: flag,
  description: text,
  style: v.exactOptional(v.string()),
  explode: flag,
  schema: v.exactOptional(v.unknown()),
  content: v.exactOptional(map),
});
export type Parameter = v.InferOutput<typeof ParameterSchema>;

export const RequestBodySchema = v.looseObject({ required: flag, description: text, content: v.exactOptional(map) });

export const MediaTypeSchema = v.looseObject({
  schema: v.exactOptional(v.unknown()),
  encoding: v.exactOptional(v.record(v.string(), v.looseObject({ style: v.exactOptional(v.string()), explode: flag }))),
});
export type MediaType = v.InferOutput<typeof MediaTypeSchema>;

export const ResponseSchema = v.looseObject({ content: v.exactOptional(map) });

export const SecuritySchemeSchema = v.variant("type", [
  v.looseObject({ type: v.literal("apiKey"), in: v.picklist(["header", "query", "cookie"]), name: v.string() }),
  v.looseObject({ type: v.literal("http"), scheme: v.string() }),
  v.looseObject({ type: v.literal("oauth2") }),
  v.looseObject({ type: v.literal("openIdConnect") }),
  v.looseObject({ type: v.literal("mutualTLS") }),
]);
export type SecurityScheme = v.InferOutput<typeof SecuritySchemeSchema>;

/** A document of a version that can be imported. Throws `DocumentError` naming what is not as it must be. */
export function parseDocument(document: unknown): OpenApiDocument {
  if (isJsonObject(document) && document["swagger"] !== undefined) {
    throw new DocumentError('expected OpenAPI 3.0 or 3.1, received "swagger" 2.0: convert the document first');
  }
  const outcome = v.safeParse(DocumentSchema, document);
  if (outcome.success) return outcome.output;
  throw new DocumentError(`not an OpenAPI document: ${faultsOf(outcome.issues, DocumentSchema, "the document")}`);
}

/** A part of a document in a schema's shape. Throws `Inexpressible` naming the part and what is not as it must be. */
export function parsePart<T extends v.GenericSchema>(schema: T, part: string, value: unknown): v.InferOutput<T> {
  const outcome = v.safeParse(schema, value);
  if (outcome.success) return outcome.output;
  throw new Inexpressible(`not a valid ${part}: ${faultsOf(outcome.issues, schema, "it")}`);
}

/** What valibot found, in one line. */
export const faultsOf = (issues: readonly v.BaseIssue<unknown>[], schema: v.GenericSchema, whole: string): string =>
  issues
    .slice(0, 3)
    .map((issue) => describeIssue(issue, schema, whole))
    .join("; ");
