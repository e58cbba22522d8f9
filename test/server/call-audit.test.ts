// Every call leaves exactly one row, over every transport and whatever becomes of it.

import { reset } from "cloudflare:test";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AuditBatch, AuditLogStub, AuditQuery } from "../../src/audit/audit-contract.ts";
import { sha256Hex } from "../../src/lib/signing.ts";
import { builtinTools } from "../../src/tools/builtin/catalog.ts";
import { defineTool, type Tool } from "../../src/tools/define-tool.ts";
import type { ToolContext } from "../../src/tools/context.ts";
import { elicit } from "../../src/tools/input-request.ts";
import { ToolError } from "../../src/tools/tool-error.ts";
import {
  CLIENT,
  META,
  MODERN,
  modernHeaders,
  openCaller,
  openGate,
  REVISIONS,
  request,
  type Caller,
  type Gate,
} from "../support/app.ts";
import { NOTHING_LOST, readAllAudit, readAudit, type AuditRow } from "../support/audit.ts";
import { testEnv } from "../support/counting-env.ts";

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const SUM = { name: "calculate", arguments: { expression: "1 + 1" } };
const UNKNOWN = { name: "unknown", version: "unknown" };

const tool = (name: string, run: (input: unknown, ctx: ToolContext) => unknown, timeoutMs = 5_000): Tool =>
  defineTool({
    name,
    description: "Does as it is named.",
    input: v.object({ text: v.optional(v.string()) }),
    timeoutMs,
    run: run as never,
  });

const never = (): Promise<never> => new Promise(() => undefined);

const outcomeTools: Tool[] = [
  ...builtinTools,
  tool("fine", () => "fine"),
  tool("says_no", () => {
    throw new ToolError("no");
  }),
  tool("is_error", () => ({ content: [], isError: true })),
  tool("breaks", () => {
    throw new Error("broken");
  }),
  tool("odd", () => 7n),
  tool("huge", () => "x".repeat(5_000_000)),
  tool("hangs", never, 20),
  tool("waits", never),
  tool("asks", async (_, ctx) => {
    await ctx.requireInput({ name: elicit("Name?", { type: "object", properties: {} }) });
    return "asked";
  }),
];

const rowOf = (more: Record<string, unknown>) => ({
  kind: "call",
  id: expect.stringMatching(/^[a-z2-7]{16}\.[0-9a-z]{7}\.[0-9a-z]{3}$/),
  at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  durationMs: expect.any(Number),
  removed: {},
  client: UNKNOWN,
  version: 1,
  known: true,
  resultBytes: 0,
  ...more,
});

const keyIdOf = (key: string): string => key.split("_")[1] ?? "";

const rowsOf = async (gate: Gate): Promise<AuditRow[]> => readAllAudit(gate);

describe("a call over HTTP", () => {
  it.each(REVISIONS)("in %s is a row with all that is known of it", async (revision) => {
    const caller = await openCaller();
    const { body } = await caller.ask(revision, "tools/call", SUM, { traceparent: TRACEPARENT });
    const { result } = body as { result: object };
    expect(await readAudit(caller, "?kind=call")).toEqual({
      rows: [
        rowOf({
          key: keyIdOf(caller.key),
          tool: "calculate",
          outcome: "ok",
          argumentsBytes: 22,
          argumentsSha256: await sha256Hex('{"expression":"1 + 1"}'),
          resultBytes: JSON.stringify(result).length,
          client: revision === MODERN ? CLIENT : UNKNOWN,
          revision,
          transport: "http-json",
          traceId: TRACE_ID,
        }),
      ],
      lost: NOTHING_LOST,
    });
  });

  it("in a session names the client that shook hands", async () => {
    const caller = await openCaller();
    const session = await caller.openSession("2025-06-18");
    await caller.ask("2025-06-18", "tools/call", SUM, { "mcp-session-id": session });
    expect(await rowsOf(caller)).toMatchObject([{ client: CLIENT, revision: "2025-06-18", transport: "http-json" }]);
  });

  it("whose answer is an event is one over a stream", async () => {
    const caller = await openCaller();
    await (await caller.send(request("tools/call", SUM), { accept: "text/event-stream" })).text();
    expect(await rowsOf(caller)).toMatchObject([{ outcome: "ok", transport: "http-stream" }]);
  });

  it("in a batch is a row each, with the trace that its own message names", async () => {
    const caller = await openCaller();
    const other = `00-${"a".repeat(32)}-00f067aa0ba902b7-01`;
    const calls = [
      request("tools/call", { ...SUM, _meta: { traceparent: other } }, 1),
      request("ping", {}, 2),
      request("tools/call", { name: "none" }, 3),
      { jsonrpc: "2.0", method: "tools/call", params: SUM },
    ];
    const headers = { "mcp-protocol-version": "2025-03-26", traceparent: TRACEPARENT };
    expect((await caller.post(calls, headers)).status).toBe(200);
    const rows = (await rowsOf(caller)).map(({ tool: name, outcome, traceId }) => [name, outcome, traceId]);
    expect(rows.toSorted()).toEqual([
      ["calculate", "ok", "a".repeat(32)],
      ["none", "unknown_tool", TRACE_ID],
    ]);
  });

  it.each([
    `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
    `ff-${TRACE_ID}-00f067aa0ba902b7-01`,
    `00-${TRACE_ID}-${"0".repeat(16)}-01`,
    `00-${TRACE_ID.toUpperCase()}-00f067aa0ba902b7-01`,
    `${TRACEPARENT}-more`,
    `${TRACEPARENT}${"0".repeat(100)}`,
  ])("is without a trace when it says %s", async (traceparent) => {
    const caller = await openCaller();
    await caller.ask("2025-11-25", "tools/call", SUM, { traceparent });
    const [row] = await rowsOf(caller);
    expect(row).not.toHaveProperty("traceId");
  });

  it("that is no request for a tool is no row", async () => {
    const caller = await openCaller();
    await caller.ask("2025-11-25", "ping");
    await caller.ask("2025-11-25", "tools/list");
    await caller.post([]);
    await caller.post("{");
    expect(await rowsOf(caller)).toEqual([]);
  });
});

const ask = async (params: object, revision: (typeof REVISIONS)[number] = "2025-11-25"): Promise<AuditRow[]> => {
  const caller = await openCaller(outcomeTools);
  await caller.ask(revision, "tools/call", params);
  return rowsOf(caller);
};

describe("the outcome", () => {
  it.each<[string, object, object]>([
    ["ok", { name: "fine" }, {}],
    ["tool_error", { name: "says_no" }, {}],
    ["tool_error", { name: "is_error" }, {}],
    ["tool_error", { name: "asks" }, {}],
    ["failed", { name: "breaks" }, {}],
    ["failed", { name: "odd" }, {}],
    ["failed", { name: "huge" }, {}],
    ["timeout", { name: "hangs" }, {}],
    ["invalid_arguments", { name: "fine", arguments: { text: 7 } }, {}],
  ])("is %s for %j", async (outcome, params, more) => {
    const resultBytes = expect.any(Number) as number;
    expect(await ask(params)).toMatchObject([{ outcome, known: true, version: 1, resultBytes, ...more }]);
  });

  it.each<[string, object, object]>([
    ["invalid_arguments", { name: "fine", arguments: [] }, { tool: "fine", known: true, version: 1 }],
    ["invalid_request", { name: 7 }, { tool: "", known: false, version: 1 }],
    ["invalid_request", {}, { tool: "", known: false, version: 1 }],
    ["unknown_tool", { name: "none" }, { tool: "none", known: false, version: 1 }],
    ["unknown_tool", { name: "n".repeat(70) }, { tool: "n".repeat(64), known: false, version: 1 }],
  ])("is %s for %j, which runs nothing", async (outcome, params, more) => {
    expect(await ask(params)).toMatchObject([{ outcome, resultBytes: 0, ...more }]);
  });

  it("is client_unable where the client can't be asked, and input_required where it can", async () => {
    expect(await ask({ name: "asks" }, MODERN)).toMatchObject([{ outcome: "client_unable", known: true }]);
    await reset();
    const caller = await openCaller(outcomeTools);
    const meta = { ...META, "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };
    await caller.post(
      request("tools/call", { name: "asks", _meta: meta }),
      modernHeaders("tools/call", { name: "asks" }),
    );
    expect(await rowsOf(caller)).toMatchObject([{ outcome: "input_required", known: true }]);
  });

  it("is unknown_tool for a tool that the key may not see", async () => {
    const gate = openGate();
    const caller = gate.caller(await gate.mint({ tools: { deny: ["tone"] } }));
    await caller.ask("2025-11-25", "tools/call", { name: "tone" });
    expect(await rowsOf(gate)).toMatchObject([{ tool: "tone", outcome: "unknown_tool" }]);
  });

  it("is cancelled when the client leaves", async () => {
    const gate = openGate(outcomeTools);
    const caller = gate.caller(await gate.mint());
    const leave = new AbortController();
    const params = { name: "waits", _meta: META };
    const answer = gate.fetch("/mcp", {
      method: "POST",
      headers: {
        authorization: `Bearer ${caller.key}`,
        "content-type": "application/json",
        ...(modernHeaders("tools/call", params) as Record<string, string>),
      },
      body: JSON.stringify(request("tools/call", params)),
      signal: leave.signal,
    });
    setTimeout(() => leave.abort(), 50);
    expect((await answer).status).toBe(499);
    expect(await rowsOf(gate)).toMatchObject([{ outcome: "cancelled", tool: "waits", known: true }]);
  });

  it("is limited for what the key has no tokens for", async () => {
    const gate = openGate();
    const caller = gate.caller(await gate.mint({ limits: { perMinute: 1, burst: 1 } }));
    const statuses = [];
    for (let id = 0; id < 3; id++) statuses.push((await caller.post(request("tools/call", SUM, id))).status);
    expect(statuses).toEqual([200, 429, 429]);
    const rows = (await rowsOf(gate)).map(({ outcome, tool: name, known, version }) => [outcome, name, known, version]);
    expect(rows).toEqual([
      ["limited", "calculate", true, 1],
      ["limited", "calculate", true, 1],
      ["ok", "calculate", true, 1],
    ]);
  });

  it("is forbidden without the scope, and unauthorized once the key is revoked", async () => {
    const gate = openGate();
    const reader = gate.caller(await gate.mint({ scopes: ["admin:read"] }));
    await reader.ask("2025-11-25", "tools/call", SUM);
    const caller = gate.caller(await gate.mint());
    await gate.admin("DELETE", `/keys/${keyIdOf(caller.key)}`);
    await caller.ask("2025-11-25", "tools/call", SUM);
    expect((await rowsOf(gate)).map(({ outcome, key }) => [outcome, key])).toEqual([
      ["unauthorized", keyIdOf(caller.key)],
      ["forbidden", keyIdOf(reader.key)],
    ]);
  });

  it("is invalid_request where the revision, its headers or the session are wrong", async () => {
    const caller = await openCaller();
    await caller.ask("2025-11-25", "tools/call", SUM, { "mcp-protocol-version": "1999-01-01" });
    await caller.ask(MODERN, "tools/call", SUM, { "mcp-name": "tone" });
    await caller.ask("2025-11-25", "tools/call", SUM, { "mcp-session-id": "nonsense" });
    expect((await rowsOf(caller)).map(({ outcome, revision }) => [outcome, revision])).toEqual([
      ["invalid_request", "unknown"],
      ["invalid_request", "unknown"],
      ["invalid_request", "unknown"],
    ]);
  });

  it("is no row for a key that this server did not mint", async () => {
    const gate = openGate();
    const stranger = gate.caller(`tg_k${"a".repeat(15)}_${"b".repeat(48)}`);
    expect((await stranger.ask("2025-11-25", "tools/call", SUM)).status).toBe(401);
    expect(await rowsOf(gate)).toEqual([]);
  });
});

const open = (AUDIT_ARGUMENTS: string) => openCaller(outcomeTools, { AUDIT_ARGUMENTS });

const call = async (caller: Gate & Caller, args: object) => {
  await caller.ask("2025-11-25", "tools/call", { name: "fine", arguments: args });
  const [row] = await rowsOf(caller);
  return row;
};

describe("arguments", () => {
  const SECRETS = { password: "hunter2", deep: [{ apiKey: "abc", note: "fine" }], author: "me" };
  it("are hashed unless an operator says otherwise, long ones too", async () => {
    const args = { text: "é".repeat(50_000) };
    const row = await call(await open("nonsense"), args);
    expect(row).toMatchObject({ argumentsBytes: 100_011, argumentsSha256: await sha256Hex(JSON.stringify(args)) });
    expect(row).not.toHaveProperty("arguments");
  });

  it("leave no trace but their size where they are off", async () => {
    const row = await call(await open("off"), SECRETS);
    expect(row).toMatchObject({ argumentsBytes: JSON.stringify(SECRETS).length });
    expect(row).not.toHaveProperty("argumentsSha256");
    expect(row).not.toHaveProperty("arguments");
  });

  it("are kept in clear by choice, without what is named like a secret", async () => {
    const row = await call(await open("clear"), SECRETS);
    expect(row).toMatchObject({
      argumentsSha256: await sha256Hex(JSON.stringify(SECRETS)),
      arguments: '{"password":"[redacted]","deep":[{"apiKey":"[redacted]","note":"fine"}],"author":"me"}',
    });
  });

  it("are cut where they are long", async () => {
    const row = await call(await open("clear"), { text: "x".repeat(10_000) });
    expect(row?.["arguments"]).toBe(`{"text":"${"x".repeat(4_087)}…`);
  });
});

it("never keeps a key, wherever it was sent", async () => {
  const gate = openGate(outcomeTools, { AUDIT_ARGUMENTS: "clear" });
  const [key, urlKey] = [await gate.mint(), await gate.mint({ urlKey: true })];
  const caller = gate.caller(key);
  const [hidden, selected] = ["\u034f", "\ufe0f"].map((between) => `${key.slice(0, 10)}${between}${key.slice(10)}`);
  const client = { name: hidden, version: selected };
  const meta = { ...META, "io.modelcontextprotocol/clientInfo": client, traceparent: key };
  await caller.post(request("tools/call", { name: key, arguments: { [key]: key } }), { traceparent: key });
  await caller.post(request("tools/call", { name: "fine", arguments: { text: `x${key}y` } }), { "x-api-key": key });
  await caller.post(
    request("tools/call", { name: "fine", _meta: meta }),
    modernHeaders("tools/call", { name: "fine" }),
  );
  await gate.fetch(`/k/${urlKey}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request("tools/call", { name: urlKey, arguments: { text: urlKey } })),
  });
  const rows = await readAllAudit(gate, "?limit=100");
  expect(rows.filter(({ kind }) => kind === "call")).toHaveLength(4);
  const secrets = [key, urlKey].map((text) => text.split("_")[2] ?? text);
  for (const secret of secrets) expect(JSON.stringify(rows)).not.toContain(secret.slice(0, 20));
});

it("has one row where a log wrote it but its answer was lost", async () => {
  let answers = 0;
  const forgetful = {
    idFromName: (name: string) => testEnv.AUDIT_LOG.idFromName(name),
    get: (id: DurableObjectId) => ({
      write: async (batch: AuditBatch) => {
        const written = await (testEnv.AUDIT_LOG.get(id) as unknown as AuditLogStub).write(batch);
        if (++answers === 1) throw new Error("connection lost");
        return written;
      },
      read: (query: AuditQuery) => (testEnv.AUDIT_LOG.get(id) as unknown as AuditLogStub).read(query),
    }),
  } as unknown as DurableObjectNamespace;
  const caller = await openCaller(builtinTools, { AUDIT_LOG: forgetful });
  await caller.ask("2025-11-25", "tools/call", SUM);
  expect(answers).toBe(2);
  expect(await readAudit(caller, "?kind=call")).toMatchObject({ rows: [{ outcome: "ok" }], lost: NOTHING_LOST });
});
