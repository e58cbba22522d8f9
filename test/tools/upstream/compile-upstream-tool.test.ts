import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import type { ToolContext } from "../../../src/tools/context.ts";
import { compileUpstreamTool } from "../../../src/tools/upstream/compile-upstream-tool.ts";
import { SessionCache } from "../../../src/tools/upstream/session-cache.ts";
import type { UpstreamSource } from "../../../src/tools/upstream/upstream-record.ts";
import { error, events, handshake, linkTo, result, scriptUpstream } from "../../support/scripted-upstream.ts";
import { UPSTREAM_URL, type Method } from "../../support/scripted-upstream.ts";
import { toolContext } from "../../support/tool-context.ts";

const LEGACY: UpstreamSource = { kind: "upstream", upstream: "up", tool: "do it", url: UPSTREAM_URL };
const MODERN: UpstreamSource = { ...LEGACY, era: "modern" };
const said = (value: string) => ({ content: [{ type: "text", text: value }] });
const done: Method = () => result(said("done"));

interface World {
  source?: UpstreamSource;
  inputSchema?: Record<string, unknown>;
  secret?: string;
  ctx?: Partial<ToolContext>;
  signal?: AbortSignal;
}

/** A tool of an upstream that answers as the script has it, and what calling it told the context. */
function open(script: Record<string, Method>, world: World = {}) {
  const { source = LEGACY, inputSchema = { type: "object" }, secret = "s3cret-value", signal } = world;
  const upstream = scriptUpstream({ initialize: handshake(), ...script });
  const { fetch, fetchLater, settle } = linkTo(upstream, signal);
  const told: unknown[] = [];
  const run = compileUpstreamTool(source, { sessions: new SessionCache(), inputSchema, timeoutMs: 1_000 });
  const ctx = toolContext({
    ...(signal && { signal }),
    fetch,
    readSecret: () => Promise.resolve(secret),
    reportProgress: (...progress) => void told.push(["progress", ...progress]),
    log: (...log) => void told.push(["log", ...log]),
    afterCall: { fetch: fetchLater, refreshUpstream: (name) => void told.push(["refresh", name]) },
  });
  return { ...upstream, told, settle, call: (args: Record<string, unknown> = {}) => run(args, ctx) };
}

const answers = (status: number, type: string, toBody: (id: unknown) => string) => (id: unknown) =>
  new Response(toBody(id), { status, headers: { "content-type": type } });
const refusal = (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, ...error(-32000, "Too late") });
const outcome = (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, ...result(said("x")) });
const seeOther = () => new Response(null, { status: 303, headers: { location: "/result" } });

describe("a session", () => {
  it("is opened once and used by later calls", async () => {
    const { call, methods, sent } = open({ "tools/call": done });
    expect([await call({ a: 1 }), await call()]).toEqual([said("done"), said("done")]);
    expect(methods()).toEqual(["initialize", "notifications/initialized", "tools/call", "tools/call"]);
    expect(sent[2]?.params).toEqual({
      name: "do it",
      arguments: { a: 1 },
      _meta: { progressToken: expect.stringMatching(/^[a-z2-7]{12}$/) },
    });
    expect(sent[3]?.headers.get("mcp-session-id")).toBe("s1");
  });

  const READING: UpstreamSource = { ...LEGACY, annotations: { readOnlyHint: true } };
  const REPEATABLE: UpstreamSource = { ...LEGACY, annotations: { readOnlyHint: false, idempotentHint: true } };

  it.each([
    [404, LEGACY],
    [400, READING],
    [400, REPEATABLE],
  ])("that ended is opened again when a call is answered with %i", async (status, source) => {
    let hasRestarted = false;
    const restarting: Method = ({ headers }) =>
      hasRestarted && headers.get("mcp-session-id") === "s1"
        ? Response.json({ jsonrpc: "2.0", id: null, ...error(-32001, "Session not found") }, { status })
        : result(said("done"));
    const { call, methods, sent, told } = open({ "tools/call": restarting }, { source });
    await call();
    hasRestarted = true;
    expect(await call()).toEqual(said("done"));
    const again = ["tools/call", "initialize", "notifications/initialized", "tools/call"];
    expect([methods().slice(3), sent.at(-1)?.headers.get("mcp-session-id"), told]).toEqual([again, "s2", []]);
  });

  it.each<[string, UpstreamSource, (id: unknown) => Response]>([
    ["404 and an error under its id", READING, answers(404, "application/json", refusal)],
    ["400 and an error under its id", READING, answers(400, "application/json", refusal)],
    ["404 and a result under its id", LEGACY, answers(404, "application/json", outcome)],
    ["404 and a batch", LEGACY, answers(404, "application/json", (id) => `[${outcome(id)}]`)],
    ["404 and its id in what is no JSON by its type", LEGACY, answers(404, "text/plain", refusal)],
    ["404 and a stream without a response", LEGACY, answers(404, "text/event-stream", () => ": taken up\n\n")],
    ["404 and a stream with one", LEGACY, answers(404, "text/event-stream", (id) => `data: ${refusal(id)}\n\n`)],
  ])("goes on after %s: the call is not sent again", async (_, source, answer) => {
    const replies: Method[] = [done, ({ message }) => answer(message["id"]), done];
    const { call, methods } = open({ "tools/call": (...given) => replies.shift()?.(...given) ?? {} }, { source });
    await call();
    await expect(call()).rejects.toThrow("Upstream up ");
    await call();
    const calls = ["tools/call", "tools/call", "tools/call"];
    expect(methods()).toEqual(["initialize", "notifications/initialized", ...calls]);
  });

  it.each([
    ["400, which may come of anything", handshake(), () => new Response(null, { status: 400 })],
    [
      "404 where the session has no id",
      () => result({ protocolVersion: "2025-11-25", capabilities: {} }),
      () => new Response(null, { status: 404 }),
    ],
  ])("is opened again by the call that comes after %s", async (_, initialize: Method, refuse: () => Response) => {
    const replies: Method[] = [done, refuse, done];
    const { call, methods } = open({ initialize, "tools/call": (...given) => replies.shift()?.(...given) ?? {} });
    await call();
    await expect(call()).rejects.toThrow("Upstream up answered with status 40");
    expect(await call()).toEqual(said("done"));
    const opened = ["initialize", "notifications/initialized", "tools/call"];
    expect(methods()).toEqual([...opened, "tools/call", ...opened]);
  });

  it("that a redirect led away from, to where there is nothing, has no call sent again", async () => {
    const replies: Method[] = [done, seeOther];
    const { call, methods } = open({ "tools/call": (...given) => replies.shift()?.(...given) ?? {} });
    await call();
    await expect(call()).rejects.toThrow("Upstream up answered with status 404.");
    expect(methods()).toEqual(["initialize", "notifications/initialized", "tools/call", "tools/call"]);
  });

  it("that is refused although it is new is not opened twice", async () => {
    const { call, methods, told } = open({ "tools/call": () => new Response(null, { status: 404 }) });
    await expect(call()).rejects.toThrow("Upstream up answered with status 404.");
    expect(methods()).toEqual(["initialize", "notifications/initialized", "tools/call"]);
    expect(told).toEqual([["refresh", "up"]]);
  });

  it("is not needed in the modern era, whose headers mirror the call", async () => {
    const inputSchema = {
      type: "object",
      properties: {
        place: { type: "string", "x-mcp-header": "Place" },
        deep: { type: "object", properties: { n: { type: "integer", "x-mcp-header": "N" } } },
        absent: { type: "string", "x-mcp-header": "Absent" },
        plain: { type: "string" },
      },
    };
    const { call, methods, sent } = open({ "tools/call": done }, { source: { ...MODERN, tool: "tûn" }, inputSchema });
    await call({ place: "Kyïv", deep: { n: 7 }, plain: "x" });
    expect(methods()).toEqual(["tools/call"]);
    const mcp = Array.from(sent[0]?.headers ?? []).filter(([name]) => name.startsWith("mcp-"));
    expect(Object.fromEntries(mcp)).toEqual({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "=?base64?dMO7bg==?=",
      "mcp-param-place": "=?base64?S3nDr3Y=?=",
      "mcp-param-n": "7",
    });
  });
});

const note = (method: string, params: object) => ({ jsonrpc: "2.0", method, params });

describe("what comes while a call runs", () => {
  it("is progress, logs, news of the list, and a ping that is answered", async () => {
    const { call, told, sent, settle } = open({
      "tools/call": ({ message, params }) => {
        const { progressToken } = params["_meta"] as { progressToken: string };
        const progress = { progressToken, progress: 1, total: 2, message: "half\u200b way" };
        return events(
          note("notifications/progress", progress),
          note("notifications/progress", { ...progress, progressToken: "another" }),
          note("notifications/message", { level: "warning", logger: "db", data: { slow: true } }),
          note("notifications/message", { level: "loud", data: 1 }),
          note("notifications/tools/list_changed", {}),
          { jsonrpc: "2.0", id: 5, method: "ping" },
          { jsonrpc: "2.0", id: 6, method: "sampling/createMessage", params: {} },
          { jsonrpc: "2.0", id: message["id"], ...result(said("done")) },
          note("notifications/progress", progress),
        );
      },
    });
    expect(await call()).toEqual(said("done"));
    expect(told).toEqual([
      ["progress", 1, 2, "half way"],
      ["log", "warning", { slow: true }, "up/db"],
      ["refresh", "up"],
    ]);
    await settle();
    const answers = sent.filter(({ method }) => method === "response").map(({ message }) => message);
    expect(answers).toEqual([
      { jsonrpc: "2.0", id: 5, result: {} },
      { jsonrpc: "2.0", id: 6, error: { code: -32601, message: "Method not found" } },
    ]);
  });

  it.each([
    [
      "a legacy server in words",
      LEGACY,
      ["initialize", "notifications/initialized", "tools/call", "notifications/cancelled"],
    ],
    ["a modern one by closing the connection", MODERN, ["tools/call"]],
  ])("may be a cancellation, which is told to %s", async (_, source, expected) => {
    const client = new AbortController();
    let closed: AbortSignal | undefined;
    const hang: Method = (_sent, signal) => {
      closed = signal;
      queueMicrotask(() => client.abort(new Error("cancelled")));
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    };
    const { call, methods, sent, settle } = open({ "tools/call": hang }, { source, signal: client.signal });
    await expect(call()).rejects.toThrow("cancelled");
    await settle();
    expect([methods(), closed?.aborted]).toEqual([expected, true]);
    const cancelled = sent.find(({ method }) => method === "notifications/cancelled");
    const id = sent.find(({ method }) => method === "tools/call")?.message["id"];
    expect(cancelled?.params["requestId"]).toBe(source === LEGACY ? id : undefined);
  });
});

describe("a result", () => {
  const source = { ...LEGACY, headers: { Authorization: "Bearer {{secret:TOKEN}}" } };

  it("holds no secret, wherever the upstream repeats it", async () => {
    const value = { ...said("token s3cret-value"), structuredContent: { "s3cret-value": ["x s3cret-value"] } };
    const { call, sent } = open({ "tools/call": () => result(value) }, { source });
    expect(await call()).toEqual({
      ...said("token [redacted]"),
      structuredContent: { "[redacted]": ["x [redacted]"] },
    });
    expect(sent.map(({ headers }) => headers.get("authorization"))).toEqual(Array(3).fill("Bearer s3cret-value"));
  });

  it("holds no secret as a number, and nor does what comes before it", async () => {
    const { call, told } = open(
      {
        "tools/call": ({ message, params }) => {
          const { progressToken } = params["_meta"] as { progressToken: string };
          return events(
            note("notifications/progress", { progressToken, progress: 48213377 }),
            note("notifications/progress", { progressToken, progress: 1, total: 48213377 }),
            note("notifications/message", { level: "info", data: [48213377] }),
            { jsonrpc: "2.0", id: message["id"], ...result({ ...said("a"), structuredContent: { pin: 48213377 } }) },
          );
        },
      },
      { source, secret: "48213377" },
    );
    expect(await call()).toEqual({ ...said("a"), structuredContent: { pin: "[redacted]" } });
    expect(told).toEqual([
      ["progress", 1, undefined, undefined],
      ["log", "info", ["[redacted]"], "up"],
    ]);
  });

  it.each(["\u200b", "\u034f", "\ufe0f", "\u001b[0m"])(
    "holds no secret with %j in it, wherever it is said",
    async (between) => {
      const echo = [..."s3cret-value"].join(between);
      const structuredContent = { [echo]: echo };
      const { call, told } = open(
        {
          "tools/call": ({ message, params }) => {
            const { progressToken } = params["_meta"] as { progressToken: string };
            return events(
              note("notifications/progress", { progressToken, progress: 1, message: echo }),
              note("notifications/message", { level: "info", logger: echo, data: { [echo]: echo } }),
              { jsonrpc: "2.0", id: message["id"], ...result({ ...said(echo), structuredContent }) },
            );
          },
        },
        { source },
      );
      expect(await call()).toEqual({ ...said("[redacted]"), structuredContent: { "[redacted]": "[redacted]" } });
      expect(told).toEqual([
        ["progress", 1, undefined, "[redacted]"],
        ["log", "info", { "[redacted]": "[redacted]" }, "up/[redacted]"],
      ]);
      const failing = open({ "tools/call": () => error(-32000, echo) }, { source });
      await expect(failing.call()).rejects.toThrow("Upstream up answered with an error: [redacted]");
    },
  );

  it("holds no part of a secret where words of the upstream's are cut", async () => {
    const long = `${"x".repeat(LIMITS.httpErrorChars - 5)}s3cret-value`;
    const clean = `${"x".repeat(LIMITS.httpErrorChars - 5)}[reda…`;
    const { call, told } = open(
      {
        "tools/call": ({ message, params }) => {
          const { progressToken } = params["_meta"] as { progressToken: string };
          return events(
            note("notifications/progress", { progressToken, progress: 1, message: long }),
            note("notifications/message", { level: "info", logger: long, data: 1 }),
            { jsonrpc: "2.0", id: message["id"], ...error(-32000, long) },
          );
        },
      },
      { source },
    );
    await expect(call()).rejects.toThrow(`Upstream up answered with an error: ${clean}`);
    expect(told).toEqual([
      ["progress", 1, undefined, clean],
      ["log", "info", 1, `up/${clean}`],
    ]);
  });

  it("that is an error is the upstream's own", async () => {
    const { call, told } = open({ "tools/call": () => result({ ...said("Too cold."), isError: true }) });
    expect(await call()).toEqual({ ...said("Too cold."), isError: true });
    expect(told).toEqual([]);
  });

  it("has nothing of what the protocol, or this server, says of itself", async () => {
    const own = { own: 1, "io.toolgates/own": 2 };
    const reserved = { "io.modelcontextprotocol/serverInfo": { name: "up" }, "io.toolgate/idempotentReplay": true };
    const { call } = open(
      { "tools/call": () => result({ ...said("a"), resultType: "complete", _meta: { ...reserved, ...own } }) },
      { source: MODERN },
    );
    expect(await call()).toEqual({ ...said("a"), _meta: own });
  });

  it.each([null, 7, {}, { "io.toolgate/idempotentReplay": true }])("bears %j as _meta", async (meta) => {
    const { call } = open({ "tools/call": () => result({ ...said("a"), _meta: meta }) });
    expect(await call()).toEqual(said("a"));
  });

  it.each<[string, Method, string, unknown[]]>([
    [
      "an error",
      () => error(-32000, "Out of s3cret-value order"),
      "Upstream up answered with an error: Out of [redacted] order",
      [],
    ],
    ["an unknown tool", () => error(-32602, "Unknown tool: do it"), "error: Unknown tool: do it", [["refresh", "up"]]],
    [
      "a question",
      () => result({ resultType: "input_required" }),
      "Upstream up asks for input, which is not passed on.",
      [],
    ],
    [
      "no content",
      () => result({ content: [{ type: "smell" }] }),
      "Upstream up answered with a result that is not MCP's",
      [],
    ],
    ["nothing", () => events(), "Upstream up ended its answer without a result.", []],
    ["a status", () => new Response("s3cret", { status: 502 }), "Upstream up answered with status 502.", []],
  ])("that is %s is told to the model", async (_, method, message, expected) => {
    const { call, told } = open({ "tools/call": method }, { source });
    await expect(call()).rejects.toMatchObject({ name: "ToolError", message: expect.stringContaining(message) });
    expect(told).toEqual(expected);
  });

  it("that says in words that the tool is gone has the tools listed again", async () => {
    const gone = { ...said("MCP error -32602: Tool do it not found"), isError: true };
    const { call, told } = open({ "tools/call": () => result(gone) });
    expect(await call()).toEqual(gone);
    expect(told).toEqual([["refresh", "up"]]);
  });
});

it("answers so many requests of an upstream's own during a call, and passes over the others", async () => {
  const asking: Method = ({ message }) => {
    const pings = Array.from({ length: LIMITS.upstreamRequests + 1 }, (_, id) => ({
      jsonrpc: "2.0",
      id,
      method: "ping",
    }));
    return events(...pings, { jsonrpc: "2.0", id: message["id"], ...result(said("done")) });
  };
  const { call, settle, sent } = open({ "tools/call": asking });
  expect(await call()).toEqual(said("done"));
  await settle();
  const answered = sent.filter(({ method }) => method === "response").map(({ message }) => message["id"]);
  expect(answered).toEqual(Array.from({ length: LIMITS.upstreamRequests }, (_, id) => id));
});
