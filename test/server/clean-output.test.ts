// What a tool gives back is cleaned wherever it goes, and what was removed is in the call's row.

import { reset } from "cloudflare:test";
import * as v from "valibot";
import { afterEach, describe, expect, it } from "vitest";
import { image, resource, resourceLink } from "../../src/tools/content.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { ToolError } from "../../src/tools/tool-error.ts";
import { openCaller, REVISIONS, type Caller, type RevisionName } from "../support/app.ts";
import { readAllAudit } from "../support/audit.ts";

afterEach(() => reset());

const BAD = "\u001b[31ma\u202eb\u200bc\u001b[0m";
const none = v.object({});
const text = "Says what it is made to say.";

const tools = [
  defineTool({
    name: "everything",
    description: text,
    input: none,
    run: () => [
      { type: "text", text: BAD, annotations: { lastModified: BAD }, _meta: { [`k${BAD}`]: BAD } },
      image("aGk=", "image/png", { _meta: { note: BAD } }),
      resource({ uri: `file:///${BAD}`, text: BAD }),
      resourceLink({
        uri: `file:///${BAD}`,
        name: BAD,
        title: BAD,
        description: BAD,
        icons: [{ src: `data:,${BAD}` }],
      }),
    ],
  }),
  defineTool({
    name: "structured",
    description: text,
    input: none,
    output: v.object({ word: v.pipe(v.string(), v.maxLength(3)) }),
    run: () => ({ structuredContent: { word: BAD } }),
  }),
  defineTool({
    name: "loose",
    description: text,
    input: none,
    run: () => ({ content: [], structuredContent: { [`w${BAD}`]: [BAD] } }),
  }),
  defineTool({
    name: "pretends",
    description: text,
    input: none,
    run: () => ({
      content: [
        { type: "text", text: "a", _meta: { "io.toolgate/idempotentReplay": true, "own/k": 1 } },
        {
          type: "resource",
          resource: { uri: "file:///a", text: "b", _meta: { "io.modelcontextprotocol/serverInfo": { name: "x" } } },
          _meta: { "io.modelcontextprotocol/related-task": "t" },
        },
      ],
      _meta: {
        "io.tool\u200bgate/idempotentReplay": true,
        "\u001b[0mio.toolgate/other": true,
        "io.modelcontext\u{e0001}protocol/serverInfo": { name: "other" },
        [`own/k${BAD}`]: 1,
      },
    }),
  }),
  defineTool({
    name: "too_short",
    description: text,
    input: none,
    output: v.object({ word: v.pipe(v.string(), v.minLength(4)) }),
    run: () => ({ structuredContent: { word: BAD } }),
  }),
  defineTool({
    name: "as_it_is",
    description: text,
    input: none,
    sanitize: false,
    output: v.object({ word: v.string() }),
    run: (_, ctx) => {
      ctx.reportProgress(1, 2, BAD);
      return { structuredContent: { word: BAD } };
    },
  }),
  defineTool({
    name: "fails",
    description: text,
    input: none,
    run: () => {
      throw new ToolError(`no ${BAD}`);
    },
  }),
  defineTool({
    name: "talks",
    description: text,
    input: none,
    run: (_, ctx) => {
      ctx.reportProgress(1, 2, BAD);
      ctx.log("error", { [BAD]: BAD }, BAD);
      return "done";
    },
  }),
];

interface Body {
  result: { content: unknown[]; structuredContent?: unknown; isError?: boolean };
  error?: { message: string };
}

async function call(caller: Caller, name: string, revision: RevisionName = "2025-11-25"): Promise<Body> {
  return (await caller.ask(revision, "tools/call", { name, arguments: {} })).body as Body;
}

describe("what a tool gives back", () => {
  it.each(REVISIONS)("is clean in every place that has text, in %s", async (revision) => {
    const caller = await openCaller(tools);
    const answer = await call(caller, "everything", revision);
    expect(answer.result.content[0]).toMatchObject({ type: "text", text: "abc" });
    expect(JSON.stringify(answer)).not.toMatch(/u001b|\u202e|\u200b/);
  });

  it("conforms to its output schema as it is cleaned", async () => {
    const caller = await openCaller(tools);
    const { result } = await call(caller, "structured");
    expect(result).toEqual({ content: [{ type: "text", text: '{"word":"abc"}' }], structuredContent: { word: "abc" } });
    expect((await call(caller, "too_short")).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^Tool failed \(ref /) as string }],
    });
  });

  it("is clean in the names of members", async () => {
    const { result } = await call(await openCaller(tools), "loose");
    expect(result).toEqual({ content: [], structuredContent: { wabc: ["abc"] } });
  });

  it("has no name in any _meta that is, or becomes, the server's", async () => {
    const { result } = await call(await openCaller(tools), "pretends");
    expect(result).toEqual({
      content: [
        { type: "text", text: "a", _meta: { "own/k": 1 } },
        { type: "resource", resource: { uri: "file:///a", text: "b" } },
      ],
      _meta: { "own/kabc": 1 },
    });
  });

  it("is clean where it says that it failed", async () => {
    const { result } = await call(await openCaller(tools), "fails");
    expect(result).toEqual({ content: [{ type: "text", text: "no abc" }], isError: true });
  });

  it("goes out as it is where the tool says so", async () => {
    const { result } = await call(await openCaller(tools), "as_it_is");
    expect(result.structuredContent).toEqual({ word: BAD });
  });

  it("is clean in what it says while it runs", async () => {
    const caller = await openCaller(tools);
    const session = await caller.openSession("2025-11-25");
    const headers = { "mcp-session-id": session, accept: "application/json, text/event-stream" };
    const said = async (name: string): Promise<string> => {
      const params = { name, arguments: {}, _meta: { progressToken: `t${BAD}` } };
      return (await caller.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers)).text();
    };
    const token = `"progressToken":${JSON.stringify(`t${BAD}`)}`;
    const events = await said("talks");
    expect(events).toContain(`{${token},"progress":1,"total":2,"message":"abc"}`);
    expect(events).toContain('{"level":"error","logger":"abc","data":{"abc":"abc"}}');
    expect(await said("as_it_is")).toContain(`{${token},"progress":1,"total":2,"message":${JSON.stringify(BAD)}}`);
  });

  it("is counted by kind in the call's row", async () => {
    const caller = await openCaller(tools);
    for (const name of ["fails", "structured", "as_it_is"]) await call(caller, name);
    const rows = await readAllAudit(caller, "?kind=call");
    const removed = Object.fromEntries(rows.map(({ tool, removed: kinds }) => [tool, kinds]));
    expect(removed).toEqual({
      fails: { escapes: 2, bidi: 1, invisible: 1 },
      structured: { escapes: 2, bidi: 1, invisible: 1 },
      as_it_is: {},
    });
  });

  it("is counted with what was left out of what it fetched", async () => {
    const tool = defineTool({
      name: "reads",
      description: text,
      input: none,
      run: (_, ctx) => {
        ctx.noteRemoved(2);
        ctx.noteRemoved(1);
        return `a${BAD}`;
      },
    });
    const caller = await openCaller([tool]);
    await call(caller, "reads");
    const [row] = await readAllAudit(caller, "?kind=call");
    expect(row?.["removed"]).toEqual({ elements: 3, escapes: 2, bidi: 1, invisible: 1 });
  });
});

it("an error does not give hidden characters back to whoever sent them", async () => {
  const { error } = await call(await openCaller(tools), `x${BAD}`);
  expect(error?.message).toBe("Unknown tool: xabc");
});
