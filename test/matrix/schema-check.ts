// Every message that the server sends against the official JSON Schema of its revision, twice: as the schema stands, and
// closed, so that a field that the revision has no name for is a fault, too.

import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "../journeys/support/rpc.ts";
import { MODERN, type Revision } from "./cells.ts";

type Json = Record<string, unknown>;

interface Definitions {
  /** What is wrong with a value as one of the revision's definitions. */
  faults: (definition: string, value: unknown) => string[];
  /** The same, where fields that the definition does not name are faults. */
  closedFaults: (definition: string, value: unknown) => string[];
  /** The fields that a definition names. */
  fieldsOf: (definition: string) => string[];
  has: (definition: string) => boolean;
}

const SCHEMA_DIR = join(import.meta.dirname, "../support/schemas");

const FORMATS = {
  byte: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  uri: (value: string) => URL.canParse(value),
  "uri-template": true as const,
};

// What these hold is not MCP's to name: a tool's own schema, and metadata of anybody's.
const OPEN_PROPERTIES = ["inputSchema", "outputSchema", "_meta"];
const isOpenDefinition = (name: string): boolean => name.endsWith("MetaObject");

const RESULTS: Readonly<Record<string, string>> = {
  initialize: "InitializeResult",
  "server/discover": "DiscoverResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "subscriptions/listen": "SubscriptionsListenResult",
  ping: "EmptyResult",
  "logging/setLevel": "EmptyResult",
};

const SENT_BY_SERVER: Readonly<Record<string, string>> = {
  "notifications/progress": "ProgressNotification",
  "notifications/message": "LoggingMessageNotification",
  "notifications/tools/list_changed": "ToolListChangedNotification",
  "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
  "elicitation/create": "ElicitRequest",
  "sampling/createMessage": "CreateMessageRequest",
  "roots/list": "ListRootsRequest",
};

/** Errors that 2026-07-28 has a definition of its own for. */
const MODERN_ERRORS: Readonly<Record<number, string>> = {
  [-32700]: "ParseError",
  [-32600]: "InvalidRequestError",
  [-32601]: "MethodNotFoundError",
  [-32602]: "InvalidParamsError",
  [-32603]: "InternalError",
  [-32020]: "HeaderMismatchError",
  [-32021]: "MissingRequiredClientCapabilityError",
  [-32022]: "UnsupportedProtocolVersionError",
};

const schemas = new Map<Revision, Definitions>();

function definitionsOf(revision: Revision): Definitions {
  const held = schemas.get(revision) ?? readDefinitions(revision);
  schemas.set(revision, held);
  return held;
}

/** What is wrong with a message of the server's; `method` is what it answers, if it is a response. */
export function faultsOf(revision: Revision, message: Message, method: string | undefined): string[] {
  const definitions = definitionsOf(revision);
  const faults = [
    ...definitions.faults("JSONRPCMessage", withReadableId(message)),
    ...unknownFields(message, ["jsonrpc", "id", "method", "params", "result", "error"]),
    ...partFaults(definitions, revision, message, method),
  ];
  return faults.map((fault) => `${revision} ${describe(message, method)}: ${fault}`);
}

/** A batch's answer as a whole; its items are messages of their own. */
export const batchFaults = (revision: Revision, items: unknown[]): string[] => {
  const definitions = definitionsOf(revision);
  if (!definitions.has("JSONRPCBatchResponse")) return [`${revision}: has no batches, but an array came`];
  const readable = items.map((item) => withReadableId(item as Message));
  return definitions.faults("JSONRPCBatchResponse", readable).map((fault) => `${revision} batch: ${fault}`);
};

/**
 * The one liberty: an error whose request's id can't be read has `id: null`, as JSON-RPC 2.0 (section 5) demands, though
 * no MCP schema has a null there.
 */
function withReadableId(message: Message): Message {
  return message.error && message.id === null ? { ...message, id: "unreadable" } : message;
}

function partFaults(
  definitions: Definitions,
  revision: Revision,
  message: Message,
  method: string | undefined,
): string[] {
  if (message.method !== undefined) return sentFaults(definitions, message, message.method);
  if (message.error) return errorFaults(definitions, revision, withReadableId(message));
  if (method === undefined) return ["answers a request that nobody sent"];
  const definition = message.result?.["resultType"] === "input_required" ? "InputRequiredResult" : RESULTS[method];
  return definition === undefined
    ? [`there is no result for ${method}`]
    : definitions.closedFaults(definition, message.result);
}

/** Notifications and requests of the server's. Old schemas describe them without the envelope. */
function sentFaults(definitions: Definitions, message: Message, method: string): string[] {
  const definition = SENT_BY_SERVER[method];
  if (definition === undefined || !definitions.has(definition)) return [`this revision's server never sends ${method}`];
  const named = definitions.fieldsOf(definition);
  const part = Object.entries(message).filter(([name]) => named.includes(name) || !["jsonrpc", "id"].includes(name));
  return definitions.closedFaults(definition, Object.fromEntries(part));
}

function errorFaults(definitions: Definitions, revision: Revision, message: Message): string[] {
  const generic = definitions.has("JSONRPCErrorResponse") ? "JSONRPCErrorResponse" : "JSONRPCError";
  const own = revision === MODERN ? MODERN_ERRORS[message.error?.code ?? 0] : undefined;
  return [
    ...definitions.closedFaults(generic, message),
    // ParseError and the like describe the error alone, UnsupportedProtocolVersionError and the like the whole response.
    ...(own === undefined
      ? []
      : definitions.closedFaults(own, definitions.fieldsOf(own).includes("error") ? message : message.error)),
  ];
}

const unknownFields = (message: object, named: readonly string[]): string[] =>
  Object.keys(message)
    .filter((field) => !named.includes(field))
    .map((field) => `has the unknown field ${field}`);

function describe({ method, error, result }: Message, answered: string | undefined): string {
  if (method !== undefined) return method;
  return error ? `error ${error.code}` : `${result ? "result" : "answer"} of ${answered}`;
}

function readDefinitions(revision: Revision): Definitions {
  const schema = JSON.parse(readFileSync(join(SCHEMA_DIR, `${revision}.json`), "utf8")) as Json;
  const key = "$defs" in schema ? "$defs" : "definitions";
  const definitions = schema[key] as Record<string, Json>;
  const closed = Object.entries(definitions).map(([name, definition]) => [
    name,
    isOpenDefinition(name) ? definition : close(definition),
  ]);
  const create = (): Ajv => {
    const options = { strict: false, allErrors: true, formats: FORMATS };
    return key === "$defs" ? new Ajv2020(options) : new Ajv(options);
  };
  return {
    faults: checker(create().addSchema(schema, "mcp"), key),
    closedFaults: checker(create().addSchema({ ...schema, [key]: Object.fromEntries(closed) }, "mcp"), key),
    fieldsOf: (name) => Object.keys((definitions[name]?.["properties"] as Json | undefined) ?? {}),
    has: (name) => name in definitions,
  };
}

const checker =
  (ajv: Ajv, key: string) =>
  (definition: string, value: unknown): string[] => {
    const validate = ajv.getSchema(`mcp#/${key}/${definition}`);
    if (!validate) return [`there is no ${definition}`];
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${definition}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };

/** An object with named fields takes no others, at any depth. Parts of an `allOf` describe one object together. */
function close(schema: unknown, inAllOf = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => close(item, inAllOf));
  if (typeof schema !== "object" || schema === null) return schema;
  const closed: Json = {};
  for (const [keyword, value] of Object.entries(schema)) {
    closed[keyword] = keyword === "properties" ? closeProperties(value as Json) : close(value, keyword === "allOf");
  }
  return namesFields(schema) && !inAllOf ? { ...closed, additionalProperties: false } : closed;
}

const namesFields = ({ properties }: { properties?: object }): boolean =>
  properties !== undefined && Object.keys(properties).length > 0;

const closeProperties = (properties: Json): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, OPEN_PROPERTIES.includes(name) ? value : close(value)]),
  );
