// What a result of 2026-07-28 is in an older revision: the differences that the specification's schemas name, told a second
// time, apart from the codecs.

import { MODERN, type Revision } from "../matrix/cells.ts";
import type { Json, JsonObject } from "./models/json.ts";

const ORDER: readonly Revision[] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];

const isBefore = (revision: Revision, other: Revision): boolean => ORDER.indexOf(revision) < ORDER.indexOf(other);

const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

/** A result of `tools/call`. */
export function olderResult(result: JsonObject, revision: Revision): JsonObject {
  if (revision === MODERN) return result;
  const { resultType: _, structuredContent, content, _meta: meta, ...rest } = result;
  const { [SERVER_INFO]: __, ...own } = asObject(meta);
  const isTold = isObject(structuredContent) && !isBefore(revision, "2025-06-18");
  return {
    ...rest,
    content: (content as JsonObject[]).map((item, index) => olderItem(item, index, revision)),
    ...(isTold && { structuredContent }),
    ...(Object.keys(own).length > 0 && { _meta: own }),
  };
}

function olderItem(item: JsonObject, index: number, revision: Revision): JsonObject {
  if (!isBefore(revision, "2025-06-18")) {
    const { icons, ...rest } = item;
    return icons !== undefined && !isBefore(revision, "2025-11-25") ? item : rest;
  }
  const { _meta: _, annotations, ...rest } = item;
  const { lastModified: __, ...notes } = asObject(annotations);
  return { ...olderType(rest, index, revision), ...(annotations !== undefined && { annotations: notes }) };
}

function olderType(item: JsonObject, index: number, revision: Revision): JsonObject {
  const { type, uri, name, description, mimeType, data, resource } = item;
  if (type === "resource_link") {
    const title = description === undefined ? name : `${String(name)}: ${String(description)}`;
    return { type: "text", text: `${String(title)}\n${String(uri)}` };
  }
  if (type === "audio" && isBefore(revision, "2025-03-26")) {
    const blob = { uri: `toolgate:///content/${index}`, mimeType: mimeType ?? null, blob: data ?? null };
    return { type: "resource", resource: blob };
  }
  const { _meta: _, ...rest } = asObject(resource);
  return type === "resource" ? { ...item, resource: rest } : item;
}

/** A tool of `tools/list`. */
export function olderTool(tool: JsonObject, revision: Revision): JsonObject {
  if (revision === MODERN) return tool;
  const { title, annotations, icons, outputSchema, ...rest } = tool;
  const isStructured = !isBefore(revision, "2025-06-18");
  const isListed = isStructured && asObject(outputSchema)["type"] === "object";
  return {
    ...rest,
    ...(title !== undefined && isStructured && { title }),
    ...(annotations !== undefined && !isBefore(revision, "2025-03-26") && { annotations }),
    ...(icons !== undefined && !isBefore(revision, "2025-11-25") && { icons }),
    ...(outputSchema !== undefined && isListed && { outputSchema }),
  };
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
