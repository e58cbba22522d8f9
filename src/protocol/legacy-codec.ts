// Revisions with `initialize` and sessions. A field that a revision's schema does not have is left out for it, and
// content that it has no type for becomes the nearest one that it has, so that nothing is lost.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import type { Content } from "../tools/content.ts";
import type { ToolDefinition } from "../tools/define-tool.ts";
import type { Codec } from "./codec.ts";
import { withoutDate } from "./question.ts";
import type { Revision } from "./revisions.ts";
import { SERVER, serverInfo } from "./server-info.ts";

export const legacyCodec: Codec = {
  encodeToolPage: ({ tools }, revision) => ({
    tools: tools.map((tool) => encodeTool(tool, revision)),
  }),
  encodeToolResult: ({ content, structuredContent, isError, _meta }, revision) => ({
    content: content.map((item, index) => encodeContent(item, index, revision)),
    ...(revision.structured && fits(structuredContent, revision) && { structuredContent }),
    ...(isError && { isError }),
    ...(_meta && { _meta }),
  }),
};

/** The answer to `initialize` (2025-11-25, basic/lifecycle). */
export const encodeInitializeResult = (revision: Revision, capabilities: JsonObject): JsonObject => ({
  protocolVersion: revision.name,
  capabilities,
  serverInfo: serverInfo(revision),
});

function encodeTool(tool: ToolDefinition, revision: Revision): JsonObject {
  const { name, title, description, icons, inputSchema, outputSchema, annotations } = tool;
  const output = revision.anyStructured || outputSchema?.["type"] === "object" ? outputSchema : undefined;
  return {
    name,
    ...(revision.structured && title !== undefined && { title }),
    description,
    ...(revision.icons && icons && { icons }),
    inputSchema,
    ...(revision.structured && output && { outputSchema: withObjects(output) }),
    ...(revision.toolAnnotations && annotations && { annotations }),
  };
}

/**
 * Until 2026-07-28 each property of an output is described by an object (schema `Tool`): a client that checks refuses the
 * whole list for `true` or `false`, which JSON Schema has as well. No input has them (`lint/`).
 */
function withObjects(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties) || !Object.values(properties).some((each) => typeof each === "boolean")) return schema;
  const objects = Object.entries(properties).map(([name, each]) => [name, toObject(each)]);
  return { ...schema, properties: Object.fromEntries(objects) };
}

function toObject(schema: unknown): unknown {
  if (typeof schema !== "boolean") return schema;
  return schema ? {} : { not: {} };
}

/** Until 2026-07-28 structured content, and what its schema describes, is an object. */
const fits = (structuredContent: unknown, { anyStructured }: Revision): boolean =>
  anyStructured ? structuredContent !== undefined : isJsonObject(structuredContent);

function encodeContent(item: Content, index: number, revision: Revision): JsonObject {
  if (revision.structured) return revision.icons ? { ...item } : withoutIcons(item);
  const { _meta, annotations, ...rest } = translate(item, index, revision);
  return { ...rest, ...(annotations && { annotations: withoutDate(annotations) }) };
}

function translate(item: Content, index: number, { audio }: Revision): Content {
  if (item.type === "resource_link") {
    const label = item.description === undefined ? item.name : `${item.name}: ${item.description}`;
    return { type: "text", text: `${label}\n${item.uri}`, ...(item.annotations && { annotations: item.annotations }) };
  }
  if (item.type === "audio" && !audio) {
    const { mimeType, data: blob, annotations } = item;
    const uri = `${SERVER.name}:///content/${index}`;
    return { type: "resource", resource: { uri, mimeType, blob }, ...(annotations && { annotations }) };
  }
  if (item.type !== "resource") return item;
  const { _meta, ...resource } = item.resource;
  return { ...item, resource };
}

function withoutIcons(item: Content): JsonObject {
  if (item.type !== "resource_link") return { ...item };
  const { icons: _, ...rest } = item;
  return rest;
}
