// A client's day with 2025-03-26, the first of Streamable HTTP: sessions, batches, a stream to listen on, an end.

import { expect, onTestFinished, test } from "vitest";
import { openStream, type EventStream } from "./support/event-stream.ts";
import { calculate, initialize, LIST_CHANGED, request, toolNames, type Message } from "./support/rpc.ts";
import { startFixtureServer } from "./support/server.ts";

const server = await startFixtureServer();
const endpoint = server.endpoint();

interface Session {
  key: string;
  id: string;
}

test("shakes hands and is given a session", async () => {
  const { key } = await server.mintKey();
  const hello = { ...initialize("2025-03-26"), id: 0 };
  const { status, headers, body } = await send("POST", { key }, hello);
  expect({ status, type: headers.get("content-type"), body: JSON.parse(body) }).toEqual({
    status: 200,
    type: "application/json",
    body: {
      jsonrpc: "2.0",
      id: 0,
      result: {
        protocolVersion: "2025-03-26",
        capabilities: { tools: { listChanged: true }, logging: {} },
        serverInfo: { name: "toolgate", version: expect.any(String) },
      },
    },
  });
  const id = headers.get("mcp-session-id") ?? "";
  expect(id).toMatch(/^[\x21-\x7e]+$/);
  expect(await send("POST", { key, id }, INITIALIZED)).toMatchObject({ status: 202, body: "" });
  expect(await ask({ key, id }, request("ping", {}, 1))).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
});

test("lists tools with annotations, and without what came later", async () => {
  const { result } = await ask(await connect(), request("tools/list"));
  const tools = result?.["tools"] as Record<string, unknown>[];
  expect(new Set(tools.flatMap((tool) => Object.keys(tool)))).toEqual(
    new Set(["name", "description", "inputSchema", "annotations"]),
  );
});

test("answers calls with content of the revision's types", async () => {
  const session = await connect();
  expect([
    await ask(session, calculate("6 * 7", 1)),
    await ask(session, callOf("tone", { durationMs: 10 }, 2)),
  ]).toEqual([
    { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "6 * 7 = 42" }] } },
    {
      jsonrpc: "2.0",
      id: 2,
      result: {
        content: [
          { type: "audio", mimeType: "audio/wav", data: expect.stringMatching(/^UklGR/) },
          { type: "text", text: "sine tone, 440 Hz, 10 ms." },
        ],
      },
    },
  ]);
});

test("answers each request of a batch, and no notification", async () => {
  const session = await connect();
  const batch = [
    request("ping", {}, "ping"),
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "nobody" } },
    calculate("1 + 1", 2),
    request("resources/list", {}, 3),
    callOf("nonesuch", {}, 4),
    { jsonrpc: "2.0", id: 5 },
  ];
  const { status, body } = await send("POST", session, batch);
  expect({ status, body: JSON.parse(body) }).toEqual({
    status: 200,
    body: [
      { jsonrpc: "2.0", id: "ping", result: {} },
      { jsonrpc: "2.0", id: 2, result: { content: [{ type: "text", text: "1 + 1 = 2" }] } },
      { jsonrpc: "2.0", id: 3, error: { code: -32601, message: "Method not found: resources/list" } },
      { jsonrpc: "2.0", id: 4, error: { code: -32602, message: "Unknown tool: nonesuch" } },
      { jsonrpc: "2.0", id: 5, error: { code: -32600, message: expect.any(String) } },
    ],
  });
  expect(await send("POST", session, [INITIALIZED, INITIALIZED])).toMatchObject({ status: 202, body: "" });
});

test.each([
  { what: "nothing", batch: [] },
  { what: "the handshake", batch: [initialize("2025-03-26")] },
  { what: "too much", batch: Array.from({ length: 21 }, () => request("ping")) },
])("refuses a batch of $what as a whole", async ({ batch }) => {
  const { status, body } = await send("POST", await connect(), batch);
  expect({ status, body: JSON.parse(body) }).toEqual({
    status: 400,
    body: { jsonrpc: "2.0", id: null, error: { code: -32600, message: expect.stringContaining("batch") } },
  });
});

test("streams what a call reports and logs, and then its answer", async () => {
  const session = await connect();
  const call = { name: "climb", arguments: { stairs: 2 }, _meta: { progressToken: 7 } };
  const climb = await stream(session, request("tools/call", call, "up"));
  expect(await events(climb)).toEqual([
    { method: "notifications/progress", params: { progressToken: 7, progress: 1, total: 2, message: "stair 1" } },
    { method: "notifications/message", params: { level: "info", logger: "stairs", data: { stair: 1 } } },
    { method: "notifications/progress", params: { progressToken: 7, progress: 2, total: 2, message: "stair 2" } },
    { method: "notifications/message", params: { level: "warning", logger: "stairs", data: { stair: 2 } } },
    { id: "up", result: { content: [{ type: "text", text: "Climbed 2 stairs." }] } },
  ]);
  expect(await ask(session, request("logging/setLevel", { level: "error" }, 2))).toHaveProperty("result", {});
  // With nothing to tell before it, the answer needs no stream.
  expect(await ask(session, callOf("climb", { stairs: 2 }, "again"))).toEqual({
    jsonrpc: "2.0",
    id: "again",
    result: { content: [{ type: "text", text: "Climbed 2 stairs." }] },
  });
});

test("asks the client's model on the call's stream and hears the answer by POST", async () => {
  const session = await connect({ sampling: {} });
  const call = await stream(session, callOf("haiku", { about: "rain" }, "poem"));
  const question = await call.message();
  expect(question).toEqual({
    jsonrpc: "2.0",
    id: expect.any(String),
    method: "sampling/createMessage",
    params: { messages: [{ role: "user", content: { type: "text", text: "rain" } }], maxTokens: 30 },
  });
  const reply = { role: "assistant", model: "m", content: { type: "text", text: "It rains." } };
  expect(await send("POST", session, { jsonrpc: "2.0", id: question.id, result: reply })).toMatchObject({
    status: 202,
    body: "",
  });
  expect(await events(call)).toEqual([{ id: "poem", result: { content: [{ type: "text", text: "It rains." }] } }]);
});

test("ends the stream of a call that is cancelled without an answer", async () => {
  const session = await connect();
  const call = { name: "wait", arguments: { label: "second" }, _meta: { progressToken: "t" } };
  const waiting = await stream(session, request("tools/call", call, "long"));
  expect(await waiting.message()).toMatchObject({ method: "notifications/progress" });
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "long" } };
  expect(await send("POST", session, cancelled)).toMatchObject({ status: 202, body: "" });
  const rest = await events(waiting);
  expect(rest.filter(({ id }) => id !== undefined)).toEqual([]);
  expect(await ask(session, callOf("was_cancelled", { label: "second" }, 9))).toMatchObject({
    result: { content: [{ type: "text", text: "yes" }] },
  });
});

test("listens to changes, and hears after a pause what it missed", async () => {
  const session = await connect();
  const first = await listen(session);
  await server.switchTool("tone", false);
  const event = await first.next();
  expect(event).toEqual({ event: "message", id: expect.any(String), data: JSON.stringify(LIST_CHANGED) });
  expect(toolNames(await ask(session, request("tools/list")))).not.toContain("tone");
  first.close();

  await server.published(await server.switchTool("tone", true));
  const second = await listen(session, { "last-event-id": event?.id ?? "" });
  expect(await second.message()).toEqual(LIST_CHANGED);
  expect(toolNames(await ask(session, request("tools/list")))).toContain("tone");
});

test("has no stream for a client without a session", async () => {
  const { key } = await server.mintKey();
  const { status, headers, body } = await send("GET", { key });
  const error = { code: 405, message: expect.stringContaining("it needs the Mcp-Session-Id") };
  expect({ status, allow: headers.get("allow"), body: JSON.parse(body) }).toEqual({
    status: 405,
    allow: "POST, GET, DELETE",
    body: { jsonrpc: "2.0", id: null, error },
  });
});

test("knows a session by its own key alone", async () => {
  const session = await connect();
  const { key } = await server.mintKey();
  const { status, body } = await send("POST", { ...session, key }, request("ping", {}, 1));
  expect({ status, body: JSON.parse(body) }).toEqual({ status: 404, body: notFound(1) });
});

test("ends with its day", async () => {
  const session = await connect();
  const listening = await listen(session);
  expect(await send("DELETE", session)).toMatchObject({ status: 204, body: "" });
  expect(await listening.next()).toBeUndefined();

  const answers = [
    await send("POST", session, request("ping", {}, 1)),
    await send("POST", session, INITIALIZED),
    await send("POST", session, [request("ping", {}, 1)]),
    await send("GET", session),
    await send("DELETE", session),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  expect(JSON.parse(answers[0]?.body ?? "")).toEqual(notFound(1));

  const { key } = session;
  expect(await send("POST", { key }, initialize("2025-03-26"))).toMatchObject({ status: 200 });
});

const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

const notFound = (id: number) => ({
  jsonrpc: "2.0",
  id,
  error: { code: 404, message: "Session not found: it is unknown or over. Send initialize again" },
});

/** A session in which hands were shaken. */
async function connect(capabilities: Record<string, unknown> = {}): Promise<Session> {
  const { key } = await server.mintKey();
  const hello = initialize("2025-03-26");
  const { headers } = await send("POST", { key }, { ...hello, params: { ...hello.params, capabilities } });
  const session = { key, id: headers.get("mcp-session-id") ?? "" };
  await send("POST", session, INITIALIZED);
  return session;
}

async function send(method: string, session: Partial<Session>, message?: unknown) {
  const response = await fetch(endpoint, { method, ...initOf(session, message) });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** The answer to a request, which comes as JSON. */
async function ask(session: Session, message: unknown): Promise<Message> {
  const { status, body } = await send("POST", session, message);
  if (status !== 200) throw new Error(`expected status 200, received ${status}: ${body}`);
  return JSON.parse(body) as Message;
}

/** A request whose answer comes on a stream. */
async function stream(session: Session, message: unknown): Promise<EventStream> {
  const opened = await openStream(endpoint, { method: "POST", ...initOf(session, message) });
  onTestFinished(opened.close);
  return opened;
}

async function listen(session: Session, headers: Record<string, string> = {}): Promise<EventStream> {
  const { headers: own } = initOf(session);
  const opened = await openStream(endpoint, { headers: { ...own, ...headers } });
  onTestFinished(opened.close);
  return opened;
}

/** This revision has no header that names it. */
const initOf = ({ key, id }: Partial<Session>, message?: unknown) => ({
  headers: {
    authorization: `Bearer ${key}`,
    accept: message === undefined ? "text/event-stream" : "application/json, text/event-stream",
    ...(id !== undefined && { "mcp-session-id": id }),
    ...(message !== undefined && { "content-type": "application/json" }),
  },
  ...(message !== undefined && { body: JSON.stringify(message) }),
});

/** All messages to the end of a stream, without their `jsonrpc`; events of this revision have no id. */
async function events(from: EventStream): Promise<Message[]> {
  const all: Message[] = [];
  for (let event = await from.next(); event; event = await from.next()) {
    const { data, ...fields } = event;
    expect(fields).toEqual({ event: "message" });
    const { jsonrpc: _, ...message } = JSON.parse(data) as Message;
    all.push(message);
  }
  return all;
}

const callOf = (name: string, args: Record<string, unknown>, id: string | number) =>
  request("tools/call", { name, arguments: args }, id);
