import { describe, expect, it } from "vitest";
import type { Message } from "../journeys/support/rpc.ts";
import { LEGACY, MODERN, REVISIONS, type Revision } from "./cells.ts";
import { batchFaults, faultsOf } from "./schema-check.ts";

const result = (result: Record<string, unknown>): Message => ({ jsonrpc: "2.0", id: 1, result });
const tool = (more: object): Message => result({ tools: [{ name: "a", inputSchema: { type: "object" }, ...more }] });
const content = (item: object): Message => result({ content: [item] });
const TEXT = { type: "text", text: "a" };

/** Revisions in which a message has no fault. */
const faultless = (message: Message, method?: string): Revision[] =>
  LEGACY.filter((revision) => faultsOf(revision, message, method).length === 0);

describe("a field or a type is a fault before the revision that brought it", () => {
  it.each<[string, Message, string | undefined, readonly Revision[]]>([
    ["a bare tool", tool({}), "tools/list", LEGACY],
    ["annotations of a tool", tool({ annotations: { readOnlyHint: true } }), "tools/list", LEGACY.slice(1)],
    ["a tool's title", tool({ title: "A" }), "tools/list", LEGACY.slice(2)],
    ["a tool's output schema", tool({ outputSchema: { type: "object" } }), "tools/list", LEGACY.slice(2)],
    ["a tool's icons", tool({ icons: [{ src: "https://a.example/i" }] }), "tools/list", LEGACY.slice(3)],
    ["a tool's field of nobody's", tool({ enabled: true }), "tools/list", []],
    ["text", content(TEXT), "tools/call", LEGACY],
    ["audio", content({ type: "audio", data: "AAEC", mimeType: "audio/wav" }), "tools/call", LEGACY.slice(1)],
    ["bytes that are no base64", content({ type: "image", data: "?", mimeType: "image/png" }), "tools/call", []],
    ["a link", content({ type: "resource_link", uri: "file:///a", name: "a" }), "tools/call", LEGACY.slice(2)],
    ["_meta of content", content({ ...TEXT, _meta: {} }), "tools/call", LEGACY.slice(2)],
    ["a date", content({ ...TEXT, annotations: { lastModified: "2025-01-01" } }), "tools/call", LEGACY.slice(2)],
    ["a structure", result({ content: [], structuredContent: {} }), "tools/call", LEGACY.slice(2)],
    ["a structure that is an array", result({ content: [], structuredContent: [] }), "tools/call", []],
    ["the type of a result", result({ content: [], resultType: "complete" }), "tools/call", []],
    ["an empty result", result({}), "ping", LEGACY],
    ["a result that should be empty", result({ ok: true }), "ping", []],
    [
      "a message of progress",
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1, message: "a" } },
      undefined,
      LEGACY.slice(1),
    ],
    [
      "a subscription's acknowledgement",
      { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { notifications: {} } },
      undefined,
      [],
    ],
  ])("%s", (_, message, method, revisions) => {
    expect(faultless(message, method)).toEqual(revisions);
  });
});

describe("an error", () => {
  const error = { code: -32600, message: "no" };

  it.each(REVISIONS)("may have id null in %s, and no other id that is none", (revision) => {
    const ids = [null, 1, "a", {}, 1.5];
    const messages = ids.map((id) => ({ jsonrpc: "2.0", id, error }) as Message);
    const good = messages.filter((message) => faultsOf(revision, message, undefined).length === 0);
    expect(good.map(({ id }) => id)).toEqual([null, 1, "a"]);
  });

  it("of an unknown version names those that are known, in the revision that says so", () => {
    const bare = { jsonrpc: "2.0", id: 1, error: { code: -32022, message: "no" } } as const;
    const told = { ...bare, error: { ...bare.error, data: { supported: [MODERN], requested: "x" } } };
    expect([faultsOf(MODERN, bare, undefined).length > 0, faultsOf(MODERN, told, undefined)]).toEqual([true, []]);
  });
});

describe("a result", () => {
  it("with id null is a fault", () => {
    expect(faultsOf("2025-11-25", { jsonrpc: "2.0", id: null, result: {} }, "ping")).not.toEqual([]);
  });

  it("that answers nothing is a fault", () => {
    expect(faultsOf("2025-11-25", result({}), undefined)).not.toEqual([]);
  });

  it("without its type is a fault in 2026-07-28", () => {
    expect(faultsOf(MODERN, content(TEXT), "tools/call")).not.toEqual([]);
  });
});

it.each(REVISIONS)("an array is an answer in 2025-03-26 alone: %s", (revision) => {
  expect(batchFaults(revision, [result({})]).length === 0).toBe(revision === "2025-03-26");
});
