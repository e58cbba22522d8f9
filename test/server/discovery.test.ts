// A key with discovery: two tools in the catalogue's place, and calls through them that are like any other.

import { reset } from "cloudflare:test";
import * as v from "valibot";
import { afterEach, describe, expect, it, vi } from "vitest";
import { registryStub } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import { defineTool, type Tool } from "../../src/tools/define-tool.ts";
import { elicit } from "../../src/tools/input-request.ts";
import { COMPLETE, errorOf, LIST_TTL, META, MODERN, openGate, request, resultOf, REVISIONS } from "../support/app.ts";
import { notification, readAnswer, type Caller, type Gate, type RevisionName } from "../support/app.ts";
import { readAudit } from "../support/audit.ts";
import { testEnv } from "../support/counting-env.ts";
import { SseReader } from "../support/sse-reader.ts";
import { edgeClient } from "../support/stream-client.ts";
import { ends, streamTools } from "../support/stream-tools.ts";

afterEach(() => reset());

const FORM = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;

const tools: Tool[] = [
  defineTool({
    name: "refund_invoice",
    description: "Gives the money of an invoice back.",
    cost: 5,
    input: v.strictObject({ id: v.pipe(v.string(), v.description("Which invoice")), note: v.optional(v.string()) }),
    run: ({ id }) => `refunded ${id}`,
  }),
  defineTool({
    name: "send_message",
    description: "Sends a message to a channel.",
    input: v.strictObject({ region: v.optional(v.string()) }),
    paramHeaders: { region: "Region" },
    run: (_, { reportProgress }) => {
      reportProgress(1, 2);
      return "sent";
    },
  }),
  defineTool({
    name: "ask_name",
    description: "Asks who is there.",
    input: v.strictObject({}),
    run: async (_, ctx) => {
      const { who } = await ctx.requireInput({ who: elicit("Who?", FORM) });
      return who.action === "accept" ? `Hello ${String(who.content?.["name"])}` : "nobody";
    },
  }),
];

async function open(input: object = {}, list = tools): Promise<Gate & Caller> {
  const gate = openGate(list);
  return { ...gate, ...gate.caller(await gate.mint({ discovery: true, ...input })) };
}

const through = (name: unknown, args?: unknown) => ({
  name: "call_tool",
  arguments: { name, ...(args !== undefined && { arguments: args }) },
});
const search = (query: string, limit?: number) => ({
  name: "search_tools",
  arguments: { query, ...(limit !== undefined && { limit }) },
});

const namesOf = (body: unknown): string[] =>
  (body as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);

const found = async ({ ask }: Caller, query: string, limit?: number): Promise<string[]> => {
  const { body } = await ask("2025-11-25", "tools/call", search(query, limit));
  const { structuredContent } = (body as { result: { structuredContent: { tools: { name: string }[] } } }).result;
  return structuredContent.tools.map(({ name }) => name);
};

const failed = (text: unknown) => ({ result: { isError: true, content: [{ type: "text", text }] } });

describe("tools/list", () => {
  it.each(REVISIONS)("names the two, in few words, in %s", async (revision) => {
    const caller = await open();
    const { body } = await caller.ask(revision, "tools/list");
    expect(namesOf(body)).toEqual(["call_tool", "search_tools"]);
    expect(JSON.stringify(body).length).toBeLessThan(2_000);
  });

  it("is for such keys alone, and theirs is no other's", async () => {
    const caller = await open();
    const { body } = await caller.ask(MODERN, "tools/list");
    expect(body).toMatchObject({ result: { cacheScope: "private", ttlMs: LIST_TTL } });
    const other = await caller.caller(await caller.mint()).ask(MODERN, "tools/list");
    expect(namesOf(other.body)).toEqual(["ask_name", "refund_invoice", "send_message"]);
  });

  it("follows a change of the key within the life of a lease", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const caller = await open({ discovery: false });
    const { keys } = await (await caller.admin("GET", "/keys")).json<{ keys: { id: string }[] }>();
    const path = `/keys/${keys[0]?.id}`;
    const seen: unknown[] = [];
    for (const discovery of [true, null]) {
      const changed = await readAnswer(await caller.admin("PATCH", path, { discovery }));
      vi.setSystemTime(Date.now() + LIMITS.leaseLifeMs + 1);
      const { body } = await caller.ask("2025-11-25", "tools/list");
      const { keys: listed } = await (await caller.admin("GET", "/keys")).json<{ keys: object[] }>();
      seen.push([
        (changed.body as { discovery?: boolean }).discovery,
        listed.map((key) => "discovery" in key),
        namesOf(body).length,
      ]);
    }
    vi.useRealTimers();
    expect(seen).toEqual([
      [true, [true], 2],
      [undefined, [false], 3],
    ]);
  });
});

describe("search_tools", () => {
  const REFUND = {
    name: "refund_invoice",
    description: "Gives the money of an invoice back.",
    inputSchema: {
      type: "object",
      properties: { id: { type: "string", description: "Which invoice" }, note: { type: "string" } },
      required: ["id"],
    },
  };

  it("answers what it takes to call what was found, in both eras", async () => {
    const caller = await open();
    const structuredContent = { tools: [REFUND] };
    const content = [{ type: "text", text: JSON.stringify(structuredContent) }];
    const answers = [];
    for (const revision of ["2025-03-26", "2025-11-25", MODERN] as const) {
      answers.push(await caller.ask(revision, "tools/call", search("refunds for an Invoice")));
    }
    expect(answers).toEqual([
      { status: 200, body: resultOf({ content }) },
      { status: 200, body: resultOf({ content, structuredContent }) },
      { status: 200, body: resultOf({ ...COMPLETE, content, structuredContent }) },
    ]);
  });

  it("says what to do when nothing was found", async () => {
    const caller = await open();
    const { body } = await caller.ask("2025-11-25", "tools/call", search("weather in Paris"));
    const content = [{ type: "text", text: expect.stringMatching(/^Nothing found for "weather in Paris"\. Try /) }];
    expect(body).toEqual(resultOf({ content, structuredContent: { tools: [] } }));
  });

  it("shows no tool that is hidden from the key, whatever it is asked", async () => {
    const caller = await open({ tools: { allow: ["*"], deny: ["refund_*"] } });
    const all = await found(caller, "refund_invoice invoice message channel asks money", 20);
    expect(all.toSorted()).toEqual(["ask_name", "send_message"]);
    expect(await found(caller, "refund_invoice")).toEqual([]);
  });

  it("finds what a change brought, and not what it took, as soon as it was made", async () => {
    const caller = await open({}, builtinTools);
    const before = await found(caller, "QR code");
    await caller.admin("PATCH", "/tools/qr_code", { enabled: false });
    const record = {
      description: "Prints a QR code.",
      inputSchema: { type: "object", properties: {} },
      source: { kind: "http", method: "GET", url: "https://api.example.com/" },
    };
    await caller.admin("PUT", "/tools/print", record);
    expect([before, await found(caller, "QR code")]).toEqual([["qr_code"], ["print"]]);
  });

  it.each<[object, RegExp]>([
    [{}, /search_tools: query \(required\)/],
    [{ query: "" }, /query/],
    [{ query: "x".repeat(LIMITS.searchQueryChars + 1) }, /query/],
    [{ query: "x", limit: 0 }, /limit/],
    [{ query: "x", limit: LIMITS.searchResults + 1 }, /limit/],
  ])("refuses %o", async (args, message) => {
    const { ask } = await open();
    const { body } = await ask("2025-11-25", "tools/call", { name: "search_tools", arguments: args });
    expect(body).toMatchObject(failed(expect.stringMatching(message)));
  });

  it("answers so many when nothing is said", async () => {
    const many = Array.from({ length: LIMITS.searchDefaultResults + 1 }, (_, index) =>
      defineTool({ name: `invoice_${index}`, description: "Reads.", input: v.object({}), run: () => "read" }),
    );
    const caller = await open({}, many);
    const all = await found(caller, "invoice", LIMITS.searchResults);
    expect([(await found(caller, "invoice")).length, all.length]).toEqual([LIMITS.searchDefaultResults, many.length]);
  });

  it("takes a query and a limit at their bounds", async () => {
    const caller = await open();
    const query = "invoice ".repeat(LIMITS.searchQueryChars / 8);
    expect(await found(caller, query, LIMITS.searchResults)).toEqual(["refund_invoice"]);
  });
});

describe("call_tool", () => {
  const ARGS = { id: "7" };

  it.each(REVISIONS)("answers what the tool itself answers, in %s", async (revision) => {
    const { ask } = await open();
    const direct = await ask(revision, "tools/call", { name: "refund_invoice", arguments: ARGS });
    expect(direct.body).toMatchObject({ result: { content: [{ text: "refunded 7" }] } });
    expect(await ask(revision, "tools/call", through("refund_invoice", ARGS))).toEqual(direct);
  });

  it("refuses arguments in the tool's own words", async () => {
    const { ask } = await open();
    const { body } = await ask("2025-11-25", "tools/call", through("refund_invoice", { id: 7 }));
    expect(body).toMatchObject(failed(expect.stringMatching(/^Invalid arguments for tool refund_invoice: id /)));
  });

  it.each<[unknown, unknown, RegExp]>([
    ["gone", {}, /^Unknown tool: gone\. search_tools finds/],
    ["search_tools", { query: "x" }, /^Unknown tool: search_tools/],
    ["call_tool", through("refund_invoice", ARGS).arguments, /^Unknown tool: call_tool/],
    [undefined, {}, /tool call_tool: name \(required\)/],
    [7, {}, /tool call_tool: name /],
    ["refund_invoice", "id=7", /tool call_tool: arguments /],
  ])("of %o with %o tells the model why not", async (name, args, message) => {
    const { ask } = await open();
    const { body } = await ask("2025-11-25", "tools/call", through(name, args));
    expect(body).toMatchObject(failed(expect.stringMatching(message)));
  });

  it("knows no tool that is hidden from the key", async () => {
    const { ask } = await open({ tools: { deny: ["refund_*"] } });
    const { body } = await ask("2025-11-25", "tools/call", through("refund_invoice", ARGS));
    expect(body).toMatchObject(failed(expect.stringMatching(/^Unknown tool: refund_invoice\./)));
  });

  it("is paid for as the tool that it calls: its cost, and the limits of its name", async () => {
    const costly = await open({ limits: { perMinute: 8, burst: 8 } });
    const limited = await open({ limits: { perMinute: 100, tools: { "send_*": { perMinute: 1 } } } });
    const { send: pay } = costly;
    const { ask, send } = limited;
    const statuses = [
      (await pay(request("tools/call", through("refund_invoice", ARGS)))).status,
      (await pay(request("tools/call", through("refund_invoice", ARGS)))).status,
      (await send(request("tools/call", through("send_message")))).status,
    ];
    const { status, body } = await ask("2025-11-25", "tools/call", through("send_message"));
    expect([...statuses, status]).toEqual([200, 429, 200, 429]);
    expect(body).toMatchObject({ error: { data: { scope: "tool", tools: "send_*" } } });
  });

  it("passes on what a tool says while it runs", async () => {
    const { send } = await open();
    const params = { ...through("send_message"), _meta: { progressToken: "p" } };
    const response = await send(request("tools/call", params), {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    });
    const text = await response.text();
    expect(text).toContain('"method":"notifications/progress","params":{"progressToken":"p","progress":1,"total":2}');
    expect(text).toContain('"text":"sent"');
  });

  it("goes on once the client has answered what the tool asked", async () => {
    const { post } = await open();
    const meta = { ...META, "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
    const headers = { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "call_tool" };
    const ask = (more: object) =>
      post(request("tools/call", { ...through("ask_name"), ...more, _meta: meta }), headers);
    const first = await ask({});
    expect(first.body).toMatchObject({ result: { resultType: "input_required" } });
    const { requestState } = (first.body as { result: { requestState: string } }).result;
    const inputResponses = { who: { action: "accept", content: { name: "Ada" } } };
    const { body } = await ask({ requestState, inputResponses });
    expect(body).toMatchObject({ result: { resultType: "complete", content: [{ text: "Hello Ada" }] } });
  });

  it("is cancelled as the tool is, and its row says so", async () => {
    ends.length = 0;
    const gate = await open({}, streamTools);
    const client = await edgeClient(streamTools, gate.key);
    const headers = await client.initialize("2025-06-18");
    const params = { ...through("hang"), _meta: { progressToken: "t" } };
    const reader = new SseReader(await client.post(request("tools/call", params, 7), headers));
    await reader.nextMessage();
    await client.post(notification("notifications/cancelled", { requestId: 7 }), headers);
    expect([await reader.restMessages(), ends.length]).toEqual([[], 1]);
    await vi.waitFor(async () => {
      const { rows } = await readAudit(gate, "?kind=call");
      expect(rows.map(({ tool, outcome }) => [tool, outcome])).toEqual([["hang", "cancelled"]]);
    });
  });

  it("needs no header for an argument that its client can't know of, and lets no wrong one pass", async () => {
    const { ask } = await open();
    const params = through("send_message", { region: "eu" });
    const sent = await Promise.all([
      ask(MODERN, "tools/call", params),
      ask(MODERN, "tools/call", params, { "mcp-param-region": "eu" }),
      ask(MODERN, "tools/call", params, { "mcp-param-region": "us" }),
    ]);
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 400]);
  });

  it("leaves the tool's own row, however it ends", async () => {
    const caller = await open({ tools: { deny: ["ask_*"] } });
    await caller.ask("2025-11-25", "tools/call", through("refund_invoice", ARGS));
    await caller.ask("2025-11-25", "tools/call", through("refund_invoice", {}));
    await caller.ask("2025-11-25", "tools/call", through("ask_name", {}));
    await caller.ask("2025-11-25", "tools/call", through(7));
    await caller.ask("2025-11-25", "tools/call", search("invoice"));
    const { rows } = await readAudit(caller, "?kind=call");
    expect(
      rows.map(({ tool, outcome, known, argumentsBytes }) => [tool, outcome, known, argumentsBytes]).toReversed(),
    ).toEqual([
      ["refund_invoice", "ok", true, JSON.stringify(ARGS).length],
      ["refund_invoice", "invalid_arguments", true, 2],
      ["ask_name", "unknown_tool", true, 2],
      ["call_tool", "invalid_arguments", true, JSON.stringify({ name: 7 }).length],
      ["search_tools", "ok", true, JSON.stringify({ query: "invoice" }).length],
    ]);
  });

  it("counts under its name what was refused before it was looked at", async () => {
    const caller = await open({ limits: { perMinute: 1 } });
    for (const params of [search("a"), search("a"), through(7)]) await caller.ask("2025-11-25", "tools/call", params);
    const { rows } = await readAudit(caller, "?kind=call");
    expect(rows.map(({ tool, outcome, known }) => [tool, outcome, known]).toReversed()).toEqual([
      ["search_tools", "ok", true],
      ["search_tools", "limited", true],
      ["call_tool", "limited", true],
    ]);
  });
});

describe("the two names", () => {
  it("are unknown to other keys, whose rows say what they called", async () => {
    const caller = await open({ discovery: false });
    const answers = [
      await caller.ask("2025-11-25", "tools/call", search("invoice")),
      await caller.ask("2025-11-25", "tools/call", through("refund_invoice", { id: "7" })),
    ];
    expect(answers.map(({ body }) => body)).toEqual([
      errorOf(-32602, 1, "Unknown tool: search_tools"),
      errorOf(-32602, 1, "Unknown tool: call_tool"),
    ]);
    const { rows } = await readAudit(caller, "?kind=call");
    expect(rows.map(({ tool, outcome }) => [tool, outcome]).toReversed()).toEqual([
      ["search_tools", "unknown_tool"],
      ["call_tool", "unknown_tool"],
    ]);
  });

  it.each(["search_tools", "call_tool"])("can't be given to another tool: %s", async (name) => {
    const { admin } = openGate([]);
    const record = {
      description: "Searches.",
      inputSchema: { type: "object", properties: {} },
      source: { kind: "http", method: "GET", url: "https://api.example.com/" },
    };
    expect(await readAnswer(await admin("PUT", `/tools/${name}`, record))).toMatchObject({
      status: 400,
      body: { code: "invalid_body", detail: `name: ${name} is the name of a tool of the server's own` },
    });
    const define = () => defineTool({ name, description: name, input: v.object({}), run: () => name });
    expect(define).toThrow(`defineTool: ${name} is the name of a tool of the server's own`);
  });

  it.each<RevisionName>(["2025-11-25", MODERN])("stay with a tool that had one before, in %s", async (revision) => {
    const record = {
      description: "Is older.",
      inputSchema: '{"type":"object","properties":{}}',
      source: { kind: "http", method: "GET", url: "https://api.example.com/" },
    } as const;
    const row = { name: "call_tool", enabled: true, record };
    await registryStub(testEnv).editTools([{ op: "put", name: "call_tool", row }]);
    const fetcher = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("older"));
    const { ask } = await open();
    const listed = await ask(revision, "tools/list");
    const called = await ask(revision, "tools/call", through("refund_invoice", { id: "7" }));
    fetcher.mockRestore();
    expect(listed.body).toMatchObject({ result: { tools: [{ description: "Is older." }, { name: "search_tools" }] } });
    expect(called.body).toMatchObject({ result: { content: [{ text: "older" }] } });
  });
});
