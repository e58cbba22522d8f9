import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { encodeCursor } from "../../src/protocol/cursor.ts";
import { defineTool, type Tool } from "../../src/tools/define-tool.ts";
import { COMPLETE, errorOf, LEGACY, MODERN, openCaller, openGate, resultOf, LIST_TTL } from "../support/app.ts";
import type { Caller, RevisionName } from "../support/app.ts";

const SECRET = "the signing secret of these tests";

const named = (name: string): Tool =>
  defineTool({ name, description: `Is ${name}.`, input: v.object({}), run: () => name });

/** So many tools in no order: `t0000`, `t0001`, … are their names. */
const tools = (count: number): Tool[] =>
  Array.from({ length: count }, (_, i) => named(`t${String((i * 7919) % count).padStart(4, "0")}`));

const namesOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `t${String(i).padStart(4, "0")}`);

interface Page {
  tools: { name: string }[];
  nextCursor?: string;
}

async function readPage({ ask }: Caller, revision: RevisionName, cursor?: string): Promise<Page> {
  const { body } = await ask(revision, "tools/list", cursor === undefined ? {} : { cursor });
  return (body as { result: Page }).result;
}

/** The names on each page, by following the cursors. */
async function walk(caller: Caller, revision: RevisionName): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(caller, revision, cursor);
    pages.push(page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

const BAD_CURSOR = {
  status: 200,
  body: errorOf(-32602, 1, "Invalid params: cursor is not one that this server gave to this key"),
};

describe("pages", () => {
  it.each([...LEGACY, MODERN] as const)("go through all tools, each once, in order, in %s", async (revision) => {
    const caller = await openCaller(tools(2_234));
    const pages = await walk(caller, revision);
    expect(pages.map((page) => page.length)).toEqual([LIMITS.listPageItems, LIMITS.listPageItems, 234]);
    expect(pages.flat()).toEqual(namesOf(2_234));
  });

  it.each([0, 1, 60, LIMITS.listPageItems])("hold %i tools on the first", async (count) => {
    expect(await walk(await openCaller(tools(count)), "2025-11-25")).toEqual([namesOf(count)]);
  });

  it("are two at one tool more than a page holds", async () => {
    const pages = await walk(await openCaller(tools(LIMITS.listPageItems + 1)), "2025-11-25");
    expect(pages.map((page) => page.length)).toEqual([LIMITS.listPageItems, 1]);
  });

  it("go on where they were when tools come and go between them", async () => {
    const before = await openCaller(tools(1_100));
    const { nextCursor } = await readPage(before, "2025-11-25");
    const after = openGate([...tools(1_100).filter(({ name }) => name !== "t0999"), named("t0000a"), named("t1000a")]);
    const page = await readPage(after.caller(before.key), "2025-11-25", nextCursor);
    expect(page.tools.map(({ name }) => name)).toEqual(
      namesOf(1_100).slice(LIMITS.listPageItems).toSpliced(1, 0, "t1000a"),
    );
  });

  it("are the same again when they are asked for again", async () => {
    const caller = await openCaller(tools(LIMITS.listPageItems + 1));
    const first = await caller.ask("2025-11-25", "tools/list");
    const { nextCursor } = (first.body as { result: Page }).result;
    const second = await readPage(caller, "2025-11-25", nextCursor);
    expect(await caller.ask("2025-11-25", "tools/list")).toEqual(first);
    expect(await readPage(caller, "2025-11-25", nextCursor)).toEqual(second);
  });

  it("hold what the key may see alone, to the last place", async () => {
    const gate = openGate(tools(2_200));
    const caller = gate.caller(await gate.mint({ tools: { allow: ["t*0", "t*1", "t*2", "t*3", "t*4", "t*5"] } }));
    const visible = namesOf(2_200).filter((name) => /[0-5]$/.test(name));
    expect(await walk(caller, "2025-11-25")).toEqual([
      visible.slice(0, LIMITS.listPageItems),
      visible.slice(LIMITS.listPageItems),
    ]);
  });
});

const spoil = (text: string, index: number): string =>
  text.slice(0, index) + (text[index] === "A" ? "B" : "A") + text.slice(index + 1);

describe("a cursor", () => {
  it("of another key's is refused, and still good for its own", async () => {
    const gate = await openCaller(tools(LIMITS.listPageItems + 1));
    const { nextCursor } = await readPage(gate, "2025-11-25");
    const other = gate.caller(await gate.mint());
    // The other reads its own first page, so that a page kept for one can't be handed to the other.
    const { nextCursor: others } = await readPage(other, "2025-11-25");
    expect(others).not.toBe(nextCursor);
    expect(await other.ask("2025-11-25", "tools/list", { cursor: nextCursor })).toEqual(BAD_CURSOR);
    expect((await readPage(gate, "2025-11-25", nextCursor)).tools.length).toBe(1);
  });

  it.each<[string, (cursor: string) => unknown]>([
    ["spoilt in its payload", (cursor) => spoil(cursor, 5)],
    ["spoilt in its MAC", (cursor) => spoil(cursor, cursor.indexOf(".") + 1)],
    ["without its MAC", (cursor) => cursor.split(".")[0]],
    ["with more behind it", (cursor) => `${cursor}.x`],
    ["with a space behind it", (cursor) => `${cursor} `],
    ["in a list", (cursor) => [cursor]],
    ["garbage", () => "garbage"],
    ["garbage with a dot", () => "e30.e30"],
    ["empty", () => ""],
    ["the name of a tool", () => "t0100"],
    ["too long", () => "x".repeat(LIMITS.cursorChars + 1)],
    ["null", () => null],
    ["a number", () => 500],
    ["an object", () => ({ after: "t0100" })],
  ])("that is %s is refused", async (_, makeCursor) => {
    const caller = await openCaller(tools(LIMITS.listPageItems + 1));
    const { nextCursor = "" } = await readPage(caller, "2025-11-25");
    const cursor = makeCursor(nextCursor);
    expect(await caller.ask("2025-11-25", "tools/list", { cursor })).toEqual(BAD_CURSOR);
    expect(await caller.ask(MODERN, "tools/list", { cursor })).toEqual(BAD_CURSOR);
  });

  it("past the end is an empty page", async () => {
    const { ask, key } = await openCaller(tools(3), { SIGNING_SECRET: SECRET });
    const cursor = await encodeCursor({ current: SECRET }, key.split("_")[1] ?? "", "z");
    expect(await ask("2025-11-25", "tools/list", { cursor })).toEqual({ status: 200, body: resultOf({ tools: [] }) });
  });
});

const ALL = ["a_get", "a_put", "b_get", "c"];
const unknown = (name: string) => ({ status: 200, body: errorOf(-32602, 1, `Unknown tool: ${name}`) });

const emptyPage = (cacheScope: string) => resultOf({ ...COMPLETE, tools: [], ttlMs: LIST_TTL, cacheScope });

describe("a key's rules", () => {
  it.each<[{ allow?: string[]; deny?: string[] }, string[]]>([
    [{}, ALL],
    [{ allow: ["*"] }, ALL],
    [{ allow: ["a_*"] }, ["a_get", "a_put"]],
    [{ allow: ["*_get"] }, ["a_get", "b_get"]],
    [{ allow: ["c", "a_put"] }, ["a_put", "c"]],
    [{ allow: [] }, []],
    [{ deny: ["a_*"] }, ["b_get", "c"]],
    [{ deny: [] }, ALL],
    [{ deny: ["*"] }, []],
    [{ allow: ["a_*"], deny: ["*_put"] }, ["a_get"]],
    [{ allow: ["a_get"], deny: ["a_get"] }, []],
    [{ allow: ["A_*", "a", "a_"] }, []],
  ])("%j show and open the same tools", async (rules, visible) => {
    const gate = openGate(ALL.map(named));
    const caller = gate.caller(await gate.mint({ tools: rules }));
    expect(await walk(caller, "2025-11-25")).toEqual([visible]);
    for (const name of ALL) {
      const called = { status: 200, body: resultOf({ content: [{ type: "text", text: name }] }) };
      const answer = await caller.ask("2025-11-25", "tools/call", { name });
      expect(answer).toEqual(visible.includes(name) ? called : unknown(name));
    }
  });

  it("make the list private where they can hide a tool", async () => {
    const gate = openGate([]);
    const scopeFor = async (rules: object) => {
      const { ask } = gate.caller(await gate.mint({ tools: rules }));
      return (await ask(MODERN, "tools/list")).body;
    };
    expect(await scopeFor({})).toEqual(emptyPage("public"));
    expect(await scopeFor({ deny: [] })).toEqual(emptyPage("public"));
    expect(await scopeFor({ allow: ["*"] })).toEqual(emptyPage("private"));
    expect(await scopeFor({ deny: ["x"] })).toEqual(emptyPage("private"));
  });

  it("of one key never show in the list of another, in one isolate", async () => {
    const gate = openGate(ALL.map(named));
    const few = gate.caller(await gate.mint({ tools: { allow: ["c"] } }));
    const all = gate.caller(await gate.mint());
    for (const revision of [...LEGACY, MODERN] as const) {
      expect(await walk(few, revision)).toEqual([["c"]]);
      expect(await walk(all, revision)).toEqual([ALL]);
      expect(await walk(few, revision)).toEqual([["c"]]);
    }
  });
});

// A page that goes on carries a cursor that is good for one key alone (2026-07-28, server/utilities/caching).
it("lets nobody share a page whose cursor is one key's", async () => {
  const { ask } = await openCaller(tools(LIMITS.listPageItems + 1));
  expect((await ask(MODERN, "tools/list")).body).toMatchObject({ result: { cacheScope: "private" } });
});

it("lists tools in the order of code units", async () => {
  const names = ["b", "B", "a", "_", "-", "a1", "a-", "Z9", "0"];
  expect(await walk(await openCaller(names.map(named)), "2025-11-25")).toEqual([names.toSorted()]);
});
