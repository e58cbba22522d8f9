// A client's day with 2024-11-05, the revision of HTTP+SSE: one stream down, POSTs up.

import { expect, onTestFinished, test, vi } from "vitest";
import { openStream } from "./support/event-stream.ts";
import { calculate, initialize, LIST_CHANGED, request, toolNames, type Message } from "./support/rpc.ts";
import { startFixtureServer } from "./support/server.ts";

const GONE_WITHIN_MS = 5_000;

const server = await startFixtureServer();

interface Connection {
  /** Where to POST, as the stream said. */
  endpoint: URL;
  key: string;
  stream: Awaited<ReturnType<typeof openStream>>;
}

test("shakes hands on a stream that says where to post", async () => {
  const { key } = await server.mintKey();
  const stream = await openStream(server.sseEndpoint(), { headers: bearer(key) });
  onTestFinished(stream.close);
  const endpoint = await stream.next();
  expect(endpoint).toEqual({ event: "endpoint", data: expect.stringMatching(/^\/messages\?session=[\w.-]+$/) });

  const day = { key, stream, endpoint: new URL(endpoint?.data ?? "", server.url) };
  expect(await send(day, initialize("2024-11-05"))).toEqual({ status: 202, text: "Accepted" });
  expect(await stream.next()).toEqual({ event: "message", data: expect.stringContaining('"protocolVersion"') });
  expect(await send(day, { jsonrpc: "2.0", method: "notifications/initialized" })).toMatchObject({ status: 202 });
  expect(await ask(day, request("ping", {}, 1))).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
});

test("introduces itself in the revision's words", async () => {
  const day = await connect();
  expect(await ask(day, { ...initialize("2024-11-05"), id: "again" })).toEqual({
    jsonrpc: "2.0",
    id: "again",
    result: {
      protocolVersion: "2024-11-05",
      capabilities: { tools: { listChanged: true }, logging: {} },
      serverInfo: { name: "toolgate", version: expect.any(String) },
    },
  });
});

test("lists tools with nothing but a name, a description and a schema", async () => {
  const { result } = await ask(await connect(), request("tools/list"));
  const tools = result?.["tools"] as Record<string, unknown>[];
  expect(new Set(tools.flatMap((tool) => Object.keys(tool)))).toEqual(new Set(["name", "description", "inputSchema"]));
  expect(tools.find(({ name }) => name === "haiku")).toEqual({
    name: "haiku",
    description: "Has the model write a haiku.",
    inputSchema: {
      type: "object",
      properties: { about: { type: "string" } },
      required: ["about"],
    },
  });
});

test("answers calls with content of the revision's types", async () => {
  const day = await connect();
  expect(await ask(day, calculate("6 * 7", "sum"))).toEqual({
    jsonrpc: "2.0",
    id: "sum",
    result: { content: [{ type: "text", text: "6 * 7 = 42" }] },
  });
  expect(await ask(day, callOf("tone", { durationMs: 10 }, "sound"))).toEqual({
    jsonrpc: "2.0",
    id: "sound",
    result: {
      content: [
        {
          type: "resource",
          resource: {
            uri: expect.stringMatching(/^toolgate:/),
            mimeType: "audio/wav",
            blob: expect.stringMatching(/^UklGR/),
          },
        },
        { type: "text", text: "sine tone, 440 Hz, 10 ms." },
      ],
    },
  });
});

test("reports and logs on the stream, from the level on that was set", async () => {
  const day = await connect();
  await send(day, climb("loud"));
  expect(await day.stream.messages(5)).toEqual([
    progressOf("loud", 1),
    logAt("info", 1),
    progressOf("loud", 2),
    logAt("warning", 2),
    climbed("loud"),
  ]);
  expect(await ask(day, request("logging/setLevel", { level: "warning" }, 2))).toHaveProperty("result", {});
  await send(day, climb("quiet"));
  expect(await day.stream.messages(4)).toEqual([
    progressOf("quiet", 1),
    progressOf("quiet", 2),
    logAt("warning", 2),
    climbed("quiet"),
  ]);
});

test("asks the client's model, and not its user, for whom the revision has no words", async () => {
  const day = await connect({ sampling: {}, elicitation: {} });
  await send(day, callOf("haiku", { about: "rain" }, "poem"));
  const question = await day.stream.message();
  expect(question).toEqual({
    jsonrpc: "2.0",
    id: expect.any(String),
    method: "sampling/createMessage",
    params: { messages: [{ role: "user", content: { type: "text", text: "rain" } }], maxTokens: 30 },
  });
  const reply = { role: "assistant", model: "m", content: { type: "text", text: "It rains." } };
  expect(await send(day, { jsonrpc: "2.0", id: question.id, result: reply })).toMatchObject({ status: 202 });
  expect(await day.stream.message()).toEqual({
    jsonrpc: "2.0",
    id: "poem",
    result: { content: [{ type: "text", text: "It rains." }] },
  });
  expect(await ask(day, callOf("order", {}, "order"))).toEqual({
    jsonrpc: "2.0",
    id: "order",
    result: {
      content: [{ type: "text", text: "This tool needs a client that can answer elicitation/create" }],
      isError: true,
    },
  });
});

test("says what is wrong with a message, and goes on", async () => {
  const day = await connect();
  const answers = [
    await ask(day, request("resources/list", {}, 1)),
    await ask(day, callOf("nonesuch", {}, 2)),
    await ask(day, callOf("climb", { stairs: "two" }, 3)),
    await ask(day, [request("ping", {}, 4)]),
    await ask(day, request("ping", {}, 5)),
  ];
  expect(answers).toEqual([
    { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "Method not found: resources/list" } },
    { jsonrpc: "2.0", id: 2, error: { code: -32602, message: "Unknown tool: nonesuch" } },
    {
      jsonrpc: "2.0",
      id: 3,
      result: {
        content: [{ type: "text", text: expect.stringMatching(/^Invalid arguments for tool climb: stairs/) }],
        isError: true,
      },
    },
    { jsonrpc: "2.0", id: null, error: { code: -32600, message: expect.any(String) } },
    { jsonrpc: "2.0", id: 5, result: {} },
  ]);
});

test("says that the list has changed", async () => {
  const day = await connect();
  await server.switchTool("tone", false);
  expect(await day.stream.message()).toEqual(LIST_CHANGED);
  expect(toolNames(await ask(day, request("tools/list")))).not.toContain("tone");
  await server.switchTool("tone", true);
  expect(await day.stream.message()).toEqual(LIST_CHANGED);
});

test("takes messages from the stream's own key alone", async () => {
  const day = await connect();
  const { key } = await server.mintKey();
  const ping = request("ping");
  expect([await send({ ...day, key }, ping), await send({ ...day, key: "tg_wrong" }, ping)]).toEqual([
    { status: 404, text: expect.stringContaining("Session not found: its stream is gone. Open /sse again") },
    { status: 401, text: expect.stringContaining("A valid API key is required") },
  ]);
});

test("knows no stream whose client hung up", async () => {
  const day = await connect();
  day.stream.close();
  // That nobody reads is noticed by what can't be written.
  await vi.waitFor(async () => expect(await send(day, request("ping"))).toMatchObject({ status: 404 }), {
    timeout: GONE_WITHIN_MS,
    interval: 50,
  });
});

test("ends the stream of a key that is revoked", async () => {
  const { id, key } = await server.mintKey();
  const day = await connect({}, key);
  await server.admin("DELETE", `/keys/${id}`);
  expect(await day.stream.next()).toBeUndefined();
  expect(await send(day, request("ping"))).toMatchObject({ status: expect.toBeOneOf([401, 404]) });
});

/** A connection on which hands were shaken. */
async function connect(capabilities: Record<string, unknown> = {}, given?: string): Promise<Connection> {
  const key = given ?? (await server.mintKey()).key;
  const stream = await openStream(server.sseEndpoint(), { headers: bearer(key) });
  onTestFinished(stream.close);
  const { data = "" } = (await stream.next()) ?? {};
  const day = { key, stream, endpoint: new URL(data, server.url) };
  const hello = initialize("2024-11-05");
  await ask(day, { ...hello, params: { ...hello.params, capabilities } });
  await send(day, { jsonrpc: "2.0", method: "notifications/initialized" });
  return day;
}

async function send({ endpoint, key }: Connection, message: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: { ...bearer(key), "content-type": "application/json" },
    body: JSON.stringify(message),
  });
  return { status: response.status, text: await response.text() };
}

/** Sends a message and reads the next that comes, which must be its answer. */
async function ask(day: Connection, message: unknown): Promise<Message> {
  const { status, text } = await send(day, message);
  if (status !== 202) throw new Error(`expected status 202, received ${status}: ${text}`);
  return day.stream.message();
}

const callOf = (name: string, args: Record<string, unknown>, id: string | number) =>
  request("tools/call", { name, arguments: args }, id);

const climb = (id: string) =>
  request("tools/call", { name: "climb", arguments: { stairs: 2 }, _meta: { progressToken: id } }, id);

const progressOf = (progressToken: string, progress: number) => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken, progress, total: 2 },
});

const logAt = (level: string, stair: number) => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level, logger: "stairs", data: { stair } },
});

const climbed = (id: string) => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text: "Climbed 2 stairs." }] },
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
