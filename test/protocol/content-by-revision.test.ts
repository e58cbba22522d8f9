// What each revision's schema has words for, as a client of that revision sees it: tools in a list, content in a result.

import * as v from "valibot";
import { describe, expect, it } from "vitest";
import type { Content, ToolResult } from "../../src/tools/content.ts";
import { defineTool, type Tool } from "../../src/tools/define-tool.ts";
import { COMPLETE, LIST_TTL, MODERN, openCaller, resultOf, REVISIONS, type RevisionName } from "../support/app.ts";

const ICONS = [{ src: "https://icons.example/a.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" as const }];
const HINTS = {
  title: "Hinted",
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const INPUT = { type: "object", properties: {}, required: [] };
const OBJECT_OUTPUT = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
const ARRAY_OUTPUT = { type: "array", items: { type: "number" } };

/** A tool with every field that a definition can have. */
const full = (name: string, output: v.GenericSchema, structuredContent: unknown): Tool =>
  defineTool({
    name,
    title: `The ${name}`,
    description: "Has every field.",
    icons: ICONS,
    annotations: HINTS,
    input: v.object({}),
    output,
    run: () => ({ structuredContent }),
  });

const listTool = full("listed_array", v.array(v.number()), [1, 2]);
const objectTool = full("listed_object", v.object({ n: v.number() }), { n: 1 });

const base = (name: string) => ({ name, description: "Has every field.", inputSchema: INPUT });
const title = (name: string) => ({ title: `The ${name}` });

describe("a tool in the list", () => {
  const [ARRAY, OBJECT] = ["listed_array", "listed_object"] as const;

  const LISTED: Record<RevisionName, object[]> = {
    "2024-11-05": [base(ARRAY), base(OBJECT)],
    "2025-03-26": [
      { ...base(ARRAY), annotations: HINTS },
      { ...base(OBJECT), annotations: HINTS },
    ],
    "2025-06-18": [
      { ...base(ARRAY), ...title(ARRAY), annotations: HINTS },
      { ...base(OBJECT), ...title(OBJECT), annotations: HINTS, outputSchema: OBJECT_OUTPUT },
    ],
    "2025-11-25": [
      { ...base(ARRAY), ...title(ARRAY), annotations: HINTS, icons: ICONS },
      { ...base(OBJECT), ...title(OBJECT), annotations: HINTS, icons: ICONS, outputSchema: OBJECT_OUTPUT },
    ],
    "2026-07-28": [
      { ...base(ARRAY), ...title(ARRAY), annotations: HINTS, icons: ICONS, outputSchema: ARRAY_OUTPUT },
      { ...base(OBJECT), ...title(OBJECT), annotations: HINTS, icons: ICONS, outputSchema: OBJECT_OUTPUT },
    ],
  };

  it.each(REVISIONS)("%s", async (revision) => {
    const { ask } = await openCaller([objectTool, listTool]);
    const tools = LISTED[revision];
    const page = revision === MODERN ? { ...COMPLETE, tools, ttlMs: LIST_TTL, cacheScope: "public" } : { tools };
    expect(await ask(revision, "tools/list")).toEqual({ status: 200, body: resultOf(page) });
  });
});

const SHARED = { audience: ["user" as const, "assistant" as const], priority: 0.5 };
const DATED = { ...SHARED, lastModified: "2026-01-02T03:04:05Z" };
const META = { "example.com/source": { of: "content" } };
const MORE = { annotations: DATED, _meta: META };

const LINK = {
  type: "resource_link",
  uri: "https://docs.example/a",
  name: "a",
  title: "A",
  description: "The first.",
  mimeType: "text/html",
  size: 7,
} as const;

/** One item of every type, with all that it can carry. */
const CONTENT: Content[] = [
  { type: "text", text: "hello", ...MORE },
  { type: "image", data: "aW1n", mimeType: "image/png", ...MORE },
  { type: "audio", data: "YXVk", mimeType: "audio/wav", ...MORE },
  { type: "resource", resource: { uri: "file:///a", mimeType: "text/plain", text: "a", _meta: META }, ...MORE },
  { type: "resource", resource: { uri: "file:///b", mimeType: "image/png", blob: "Yg==", _meta: META }, ...MORE },
  { ...LINK, icons: ICONS, ...MORE },
];

/** All items without `_meta`, and without the hint that only dates them. */
const plain = (annotations: object) => ({
  text: { type: "text", text: "hello", annotations },
  image: { type: "image", data: "aW1n", mimeType: "image/png", annotations },
  audio: { type: "audio", data: "YXVk", mimeType: "audio/wav", annotations },
  file: { type: "resource", resource: { uri: "file:///a", mimeType: "text/plain", text: "a" }, annotations },
  blob: { type: "resource", resource: { uri: "file:///b", mimeType: "image/png", blob: "Yg==" }, annotations },
  // Links are no content yet: the nearest is text that says where.
  link: { type: "text", text: "a: The first.\nhttps://docs.example/a", annotations },
});

const FIRST = plain(SHARED);
// Nor is audio in the first revision: the nearest is a resource that holds it.
const HELD_AUDIO = {
  type: "resource",
  resource: { uri: "toolgate:///content/2", mimeType: "audio/wav", blob: "YXVk" },
  annotations: SHARED,
};

const SEEN: Record<RevisionName, unknown[]> = {
  "2024-11-05": [FIRST.text, FIRST.image, HELD_AUDIO, FIRST.file, FIRST.blob, FIRST.link],
  "2025-03-26": [FIRST.text, FIRST.image, FIRST.audio, FIRST.file, FIRST.blob, FIRST.link],
  "2025-06-18": [...CONTENT.slice(0, -1), { ...LINK, ...MORE }],
  "2025-11-25": CONTENT,
  "2026-07-28": CONTENT,
};

const HAS_STRUCTURE: readonly RevisionName[] = ["2025-06-18", "2025-11-25", "2026-07-28"];

const teller = (result: unknown): Tool =>
  defineTool({ name: "tell", description: "Tells.", input: v.object({}), run: () => result as ToolResult });

const call = async (revision: RevisionName, result: unknown) =>
  (await openCaller([teller(result)])).ask(revision, "tools/call", { name: "tell" });

const { _meta: META_OF_SERVER } = COMPLETE;

/** A result in a revision's frame. */
const framed = (revision: RevisionName, result: object, meta: object = {}) => {
  const frame = revision === MODERN ? { resultType: "complete", _meta: { ...meta, ...META_OF_SERVER } } : {};
  return {
    status: 200,
    body: resultOf({ ...(Object.keys(meta).length > 0 && { _meta: meta }), ...frame, ...result }),
  };
};

describe("a result", () => {
  it.each(REVISIONS)("with all types of content in %s", async (revision) => {
    expect(await call(revision, CONTENT)).toEqual(framed(revision, { content: SEEN[revision] }));
  });

  it.each(REVISIONS)("with an object for structure, content and _meta in %s", async (revision) => {
    const content = [{ type: "text", text: "one" }];
    const structuredContent = { n: 1, nested: { list: [null] } };
    const structure = HAS_STRUCTURE.includes(revision) && { structuredContent };
    const result = { content, structuredContent, _meta: META };
    expect(await call(revision, result)).toEqual(framed(revision, { content, ...structure }, META));
  });

  it.each(REVISIONS.flatMap((revision) => [[1, 2], "text", 0, false, null].map((value) => [revision, value] as const)))(
    "in %s with the structure %j",
    async (revision, structuredContent) => {
      const content = [{ type: "text", text: JSON.stringify(structuredContent) }];
      const structure = revision === MODERN && { structuredContent };
      expect(await call(revision, { structuredContent })).toEqual(framed(revision, { content, ...structure }));
    },
  );

  it.each(REVISIONS)("that is an error in %s", async (revision) => {
    const content = [{ type: "text", text: "no" }];
    expect(await call(revision, { content, isError: true })).toEqual(framed(revision, { content, isError: true }));
    expect(await call(revision, { content, isError: false })).toEqual(framed(revision, { content }));
  });

  it.each(REVISIONS)("can't pretend to be another server's in %s", async (revision) => {
    const foreign = { "io.modelcontextprotocol/serverInfo": { name: "other", version: "9" } };
    const { body } = await call(revision, { content: [], _meta: foreign });
    expect(body).toEqual(resultOf(revision === MODERN ? { ...COMPLETE, content: [] } : { content: [] }));
  });
});

describe("a link's size", () => {
  it.each([0, 1, 2 ** 53])("may be %i bytes", async (size) => {
    const link = { type: "resource_link", uri: "x:y", name: "n", size } as const;
    const { ask } = await openCaller([teller(link)]);
    const answer = { status: 200, body: resultOf({ content: [link] }) };
    expect(await ask("2025-11-25", "tools/call", { name: "tell" })).toEqual(answer);
  });
});

describe("a link without a description", () => {
  it.each(["2024-11-05", "2025-03-26"] as const)("is text in %s", async (revision) => {
    const { ask } = await openCaller([teller({ type: "resource_link", uri: "x:y", name: "n" })]);
    const content = [{ type: "text", text: "n\nx:y" }];
    expect(await ask(revision, "tools/call", { name: "tell" })).toEqual({ status: 200, body: resultOf({ content }) });
  });
});
