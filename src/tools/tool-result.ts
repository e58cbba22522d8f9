// Brings what a tool returned into one shape, and refuses what the protocol has no word for.

import * as v from "valibot";
import { issueMessage, withoutReceived } from "../lib/issue-message.ts";
import { findExcess, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { isLongerThan } from "../lib/utf8.ts";
import { withoutReserved } from "../protocol/reserved-meta.ts";
import { text, type Content, type ToolResult } from "./content.ts";
import { ToolError } from "./tool-error.ts";

/** Wherever it stands, only the server that answers may use the reserved names. */
const Meta = v.optional(
  v.pipe(
    v.record(v.string(), v.unknown()),
    v.transform((meta) => withoutReserved(asJson(meta) as JsonObject)),
  ),
);
const Base64 = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9+/]*={0,2}$/, "expected base64"),
  v.check((data) => data.length % 4 === 0, "expected base64 with its padding"),
);
// Clients that check formats refuse the whole result for one that is none.
const Uri = v.pipe(
  v.string(),
  v.check((uri) => URL.canParse(uri), "expected an absolute URI"),
);
const MimeType = v.pipe(v.string(), v.regex(/^[\w.+-]+\/[\w.+-]+(;.*)?$/, "expected a MIME type"));

const AnnotationsSchema = v.optional(
  v.object({
    audience: v.optional(v.array(v.picklist(["user", "assistant"]))),
    priority: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
    lastModified: v.optional(v.string()),
  }),
);
const annotated = { annotations: AnnotationsSchema, _meta: Meta };

const IconSchema = v.object({
  src: Uri,
  mimeType: v.optional(v.string()),
  sizes: v.optional(v.array(v.string())),
  theme: v.optional(v.picklist(["light", "dark"])),
});

const ContentSchema = v.variant("type", [
  v.object({ type: v.literal("text"), text: v.string(), ...annotated }),
  v.object({ type: v.literal("image"), data: Base64, mimeType: MimeType, ...annotated }),
  v.object({ type: v.literal("audio"), data: Base64, mimeType: MimeType, ...annotated }),
  v.object({
    type: v.literal("resource"),
    resource: v.union([
      v.object({ uri: Uri, mimeType: v.optional(MimeType), text: v.string(), _meta: Meta }),
      v.object({ uri: Uri, mimeType: v.optional(MimeType), blob: Base64, _meta: Meta }),
    ]),
    ...annotated,
  }),
  v.object({
    type: v.literal("resource_link"),
    uri: Uri,
    name: v.string(),
    title: v.optional(v.string()),
    description: v.optional(v.string()),
    mimeType: v.optional(MimeType),
    size: v.optional(v.pipe(v.number(), v.integer("expected a whole number of bytes"), v.minValue(0))),
    icons: v.optional(v.array(IconSchema)),
    ...annotated,
  }),
]);

const ToolResultSchema = v.object({
  content: v.array(ContentSchema),
  structuredContent: v.optional(v.unknown()),
  isError: v.optional(v.boolean()),
  _meta: Meta,
});

/**
 * Whatever a tool returned → a `ToolResult` of plain JSON, whatever the original says when it is looked at again.
 * Structured content alone is also told as text, for clients that read text only (2026-07-28, server/tools, "Structured
 * Content"). `isJson` where the structure came out of `JSON.parse`. Throws `TypeError` naming the first thing that is
 * wrong, `ToolError` for what is too large or too deep.
 */
export function toResult(returned: unknown, isJson = false): ToolResult {
  const plain = plainTextOf(returned);
  if (plain !== undefined) return { content: [text(plain)] };
  const draft = toDraft(returned, isJson);
  checkLength(draft);
  const outcome = v.safeParse(ToolResultSchema, draft, { abortEarly: true });
  if (!outcome.success) {
    const [issue] = outcome.issues;
    throw new TypeError(
      `tool result: ${withoutReceived(`${v.getDotPath(issue) ?? "the whole"}: ${issueMessage(issue)}`)}`,
    );
  }
  const { content, structuredContent, isError, _meta } = outcome.output;
  return {
    content: content.map(withoutEmptyMeta) as Content[],
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError === true && { isError }),
    ...(_meta && { _meta }),
  };
}

/** The text of a result that is nothing else, and not too long: what most tools return. */
function plainTextOf(returned: unknown): string | undefined {
  return typeof returned === "string" && !isLongerThan(returned, LIMITS.resultBytes) ? returned : undefined;
}

type Parsed = v.InferOutput<typeof ContentSchema>;

/** Nothing is left of a `_meta` whose every name was reserved. */
function withoutEmptyMeta(item: Parsed): object {
  if (item.type !== "resource") return dropEmptyMeta(item);
  return { ...dropEmptyMeta(item), resource: dropEmptyMeta(item.resource) };
}

function dropEmptyMeta<T extends { _meta?: unknown }>(item: T): T | Omit<T, "_meta"> {
  const { _meta, ...rest } = item;
  return _meta === undefined ? rest : item;
}

function toDraft(returned: unknown, isJson: boolean): unknown {
  if (typeof returned === "string") return { content: [{ type: "text", text: returned }] };
  if (Array.isArray(returned)) return { content: returned };
  if (typeof returned !== "object" || returned === null) return returned;
  if ("type" in returned) return { content: [returned] };
  if (!("content" in returned || "structuredContent" in returned)) return {};
  const { content, structuredContent: given, isError, _meta } = returned as Partial<Record<keyof ToolResult, unknown>>;
  const structuredContent = isJson ? given : asJson(given);
  const told =
    content === undefined && "structuredContent" in returned
      ? [{ type: "text", text: JSON.stringify(structuredContent) }]
      : content;
  return { content: told, structuredContent, isError, _meta };
}

/** Before anything is made of the items. */
function checkLength(draft: unknown): void {
  const { content } = Object(draft) as { content?: unknown };
  if (!Array.isArray(content) || content.length <= LIMITS.resultItems) return;
  throw new TypeError(`tool result: content: at most ${LIMITS.resultItems} items, received ${content.length}`);
}

/** What JSON makes of a value; `undefined` of what it has no word for. */
function asJson(value: unknown): unknown {
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) return undefined;
  if (isLongerThan(json, LIMITS.resultBytes)) throw new ToolError(RESULT_TOO_LARGE);
  const excess = findExcess(json, Infinity);
  if (excess !== undefined) throw new ToolError(`Tool failed: its result has ${excess}`);
  return JSON.parse(json) as unknown;
}

export const RESULT_TOO_LARGE = `Tool failed: its result is larger than ${LIMITS.resultBytes} bytes`;
