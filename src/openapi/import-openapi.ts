// An OpenAPI document as tool records. Every operation becomes a tool or is named with the reason why it did not.

import { isJsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import type { ToolRecord } from "../tools/tool-record.ts";
import { buildTool } from "./build-tool.ts";
import { parseDocument } from "./document.ts";
import type { ImportOptions } from "./import-options.ts";
import { ConversionMemory } from "./conversion-memory.ts";
import { DocumentError, Inexpressible } from "./inexpressible.ts";
import { findOperations, readOperation, type Place } from "./operations.ts";
import { References } from "./references.ts";
import type { SecretSlot } from "./security.ts";
import { findExclusion } from "./select-operation.ts";
import { toServerUrl } from "./server-url.ts";
import { nameOperations } from "./tool-name.ts";
import { reasonOf, Work } from "./work.ts";
import { countOf } from "../lib/count-of.ts";

export interface ImportedTool {
  name: string;
  /** Such as `GET /pets/{id}`. */
  operation: string;
  record: ToolRecord;
}

export interface ImportedApi {
  /** Whose the tools are: `openapi:` and this is their records' origin. */
  api: string;
  tools: ImportedTool[];
  skipped: { operation: string; reason: string }[];
  /** What became of an operation, or of the document, otherwise than one might think. */
  notes: { operation?: string; note: string }[];
  /** Secrets that the tools refer to. */
  secrets: SecretSlot[];
  /** Where requests go, unless an operation names a server of its own. */
  serverUrl?: string;
}

/**
 * Makes tool records of a parsed document, in turns; `allow` as `EGRESS_ALLOW`. Throws `DocumentError` when it is none, or
 * too large.
 */
export function* importOpenApi(
  document: unknown,
  options: ImportOptions = {},
  allow = "",
): Generator<void, ImportedApi> {
  const parsed = parseDocument(document);
  const work = new Work();
  const references = new References(parsed, work);
  const { places, unreadable } = findOperations(parsed, references);
  const api = options.api ?? toApiName(parsed.info.title);
  const names = nameOperations(places.map(withId), options.prefix ?? "");
  const imported: ImportedApi = { api, tools: [], skipped: unreadable, notes: [], secrets: [] };
  const secrets = new Map<string, SecretSlot>();
  const taken = new Set<string>();
  const around = { document: parsed, references, memory: new ConversionMemory(), options, api, allow };
  const maxTools = options.maxTools ?? LIMITS.importTools;
  let room = LIMITS.importRecordChars;
  for (const place of places) {
    const { operation } = place;
    if (work.isLong()) yield;
    work.beginOperation();
    try {
      work.spend(stepsOf(place, work, options));
      const found = readOperation(place);
      const exclusion = findExclusion(found, options);
      if (exclusion !== undefined) throw new Inexpressible(exclusion);
      const name = names.get(operation) ?? "";
      if (taken.has(name)) throw new Inexpressible(`its name ${name} is another operation's`);
      if (imported.tools.length >= maxTools)
        throw new Inexpressible(`${countOf(maxTools, "tool is", "tools are")} made already`);
      if (room < 0) throw new Inexpressible(NO_ROOM);
      const { record, notes, credentials } = buildTool(found, around);
      room -= JSON.stringify(record).length;
      if (room < 0) throw new Inexpressible(NO_ROOM);
      taken.add(name);
      imported.tools.push({ name, operation, record });
      imported.notes.push(...notes.map((note) => ({ operation, note })));
      for (const { template: _, ...slot } of credentials) secrets.set(slot.name, slot);
    } catch (error) {
      imported.skipped.push({ operation, reason: reasonOf(error) });
    }
  }
  imported.secrets.push(...secrets.values());
  const webhooks = Object.keys(parsed.webhooks ?? {}).length;
  if (webhooks > 0)
    imported.notes.push({
      note: `${countOf(webhooks, "webhook is no operation", "webhooks are no operations")} that can be called`,
    });
  return { ...imported, ...findServer(parsed.servers, options) };
}

/** What an operation takes to be read: paths may share one by references, and a path's parameters are those of all. */
function stepsOf({ item, raw }: Place, work: Work, { includeTags = [], excludeTags = [] }: ImportOptions): number {
  const { parameters, servers } = isJsonObject(item) ? item : {};
  const globs = 1 + includeTags.length + excludeTags.length;
  const tags = isJsonObject(raw) ? work.sizeOf(raw["tags"]) : 0;
  return FIXED_STEPS + work.sizeOf(raw) + work.sizeOf(parameters) + work.sizeOf(servers) + globs * tags;
}

const NO_ROOM = `records together are limited to ${LIMITS.importRecordChars} characters`;

/** What an operation with nothing in it takes. */
const FIXED_STEPS = 50;

function findServer(servers: Parameters<typeof toServerUrl>[0], options: ImportOptions): { serverUrl?: string } {
  try {
    return { serverUrl: toServerUrl(servers, options) };
  } catch (error) {
    if (!(error instanceof Inexpressible)) throw error;
    return {};
  }
}

function withId(place: Place): Place & { operationId?: string } {
  const { raw } = place;
  const id = typeof raw === "object" && raw !== null && "operationId" in raw ? raw.operationId : undefined;
  return typeof id === "string" ? { ...place, operationId: id } : place;
}

/** Letters, digits and `-`, cut at a word. Throws `DocumentError` for a title that has none of them. */
function toApiName(title: string): string {
  const name = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 33);
  const whole = (name.length > 32 ? name.replace(/-[^-]*$/, "").slice(0, 32) : name).replaceAll(/^-+|-+$/g, "");
  if (whole !== "") return whole;
  throw new DocumentError("the document's title holds no letter of a-z: name the API with the option api");
}
