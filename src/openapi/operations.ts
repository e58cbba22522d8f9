// The operations of a document's paths, each with what its path says for all of them.

import type * as v from "valibot";
import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { OperationSchema, parsePart, PathItemSchema, type OpenApiDocument, type Server } from "./document.ts";
import { DocumentError, Inexpressible } from "./inexpressible.ts";
import type { References } from "./references.ts";
import { reasonOf } from "./work.ts";

/** Members of a path that are operations (OpenAPI 3.1.1, Path Item Object). */
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
const CALLABLE = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
const READ = [...METHODS, "parameters", "servers"];
export type Method = (typeof CALLABLE)[number];

/** An operation as the document has it. */
export interface Place {
  /** Such as `GET /pets/{id}`, once in a document. */
  operation: string;
  method: string;
  path: string;
  item: unknown;
  raw: unknown;
}

export interface Operation extends v.InferOutput<typeof OperationSchema> {
  method: Method;
  path: string;
  /** The path's, then the operation's own. */
  parameters: unknown[];
  servers?: Server[];
}

/** Where all operations stand, and a reason for each path that can't be looked into. Throws `DocumentError`. */
export function findOperations(document: OpenApiDocument, references: References) {
  const places: Place[] = [];
  const unreadable: { operation: string; reason: string }[] = [];
  for (const [path, raw] of Object.entries(document.paths ?? {})) {
    if (path.startsWith("x-")) continue;
    try {
      references.work.beginOperation();
      const item = isJsonObject(raw) && "$ref" in raw ? { ...read(references.resolve(raw)), ...read(raw) } : raw;
      if (!isJsonObject(item)) throw new Inexpressible("the path is no object");
      const methods = METHODS.filter((method) => item[method] !== undefined);
      for (const method of methods) {
        places.push({ operation: `${method.toUpperCase()} ${path}`, method, path, item, raw: item[method] });
      }
    } catch (error) {
      unreadable.push({ operation: `* ${path}`, reason: reasonOf(error) });
    }
  }
  if (places.length <= LIMITS.importOperations) return { places, unreadable };
  throw new DocumentError(`expected at most ${LIMITS.importOperations} operations, received ${places.length}`);
}

/** An operation together with its path. Throws `Inexpressible`. */
export function readOperation({ method, path, item, raw }: Place): Operation {
  const callable = CALLABLE.find((name) => name === method.toUpperCase());
  if (!callable) throw new Inexpressible(`method ${method.toUpperCase()} can't be a tool's`);
  if (!/^\/[^?#]*$/.test(path)) throw new Inexpressible("a path that does not start with / or has ? or # in it");
  const shared = parsePart(PathItemSchema, "path", item);
  const operation = parsePart(OperationSchema, "operation", raw);
  const servers = operation.servers ?? shared.servers;
  return {
    ...operation,
    ...(servers && { servers }),
    method: callable,
    path,
    parameters: [...(shared.parameters ?? []), ...(operation.parameters ?? [])],
  };
}

/** What is read of a path. */
const read = (item: JsonObject): JsonObject =>
  Object.fromEntries(READ.flatMap((key) => (Object.hasOwn(item, key) ? [[key, item[key]]] : [])));
