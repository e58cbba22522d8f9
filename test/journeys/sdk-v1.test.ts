import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished, test } from "vitest";
import { withKey } from "./support/clients.ts";
import { startServer } from "./support/server.ts";
import { within } from "./support/within.ts";

const CHANGE_WITHIN_MS = 2_000;

const server = await startServer();
const TOOLS = await server.toolNames();

const TRANSPORTS: { by: string; urlKey: boolean; transportFor: (key: string) => Transport }[] = [
  { by: "HTTP", urlKey: false, transportFor: (key) => http(server.endpoint(), withKey(key)) },
  { by: "HTTP with a URL key", urlKey: true, transportFor: (key) => http(server.endpoint(key)) },
  { by: "SSE", urlKey: false, transportFor: (key) => new SSEClientTransport(server.sseEndpoint(), withKey(key)) },
  { by: "SSE with a URL key", urlKey: true, transportFor: (key) => new SSEClientTransport(server.sseEndpoint(key)) },
  {
    by: "WebSocket with a URL key",
    urlKey: true,
    transportFor: (key) => new WebSocketClientTransport(server.socketEndpoint(key)),
  },
];

test.each(TRANSPORTS)("connects over $by, pings, lists and calls", async ({ urlKey, transportFor }) => {
  const client = await connect(transportFor((await server.mintKey({ urlKey })).key));
  await client.ping();
  // Having listed, the client checks the result against the output schema.
  const tools = await listNames(client);
  const result = await client.callTool({ name: "calculate", arguments: { expression: "6 * 7" } });
  expect({
    server: client.getServerVersion()?.name,
    capabilities: client.getServerCapabilities(),
    tools,
    result,
  }).toEqual({
    server: "toolgate",
    capabilities: { tools: { listChanged: true }, logging: {} },
    tools: TOOLS,
    result: {
      content: [{ type: "text", text: "6 * 7 = 42" }],
      structuredContent: { expression: "6 * 7", result: 42 },
    },
  });
});

test.each(TRANSPORTS)("hears over $by that a tool went and that it is back", async ({ urlKey, transportFor }) => {
  const client = await connect(transportFor((await server.mintKey({ urlKey })).key));
  const gone = nextChange(client);
  await server.switchTool("tone", false);
  await within(CHANGE_WITHIN_MS, "list_changed when the tool goes", gone);
  expect(await listNames(client)).toEqual(TOOLS.filter((name) => name !== "tone"));
  await expect(client.callTool({ name: "tone" })).rejects.toMatchObject({ name: "McpError", code: -32602 });

  const back = nextChange(client);
  await server.switchTool("tone", true);
  await within(CHANGE_WITHIN_MS, "list_changed when the tool is back", back);
  expect(await listNames(client)).toEqual(TOOLS);
  expect(await client.callTool({ name: "tone", arguments: { durationMs: 10 } })).not.toHaveProperty("isError");
});

test("calls a tool that answers with an image", async () => {
  const client = await connectHttp();
  expect(await client.callTool({ name: "qr_code", arguments: { text: "hello", scale: 1, margin: 0 } })).toEqual({
    content: [
      { type: "image", mimeType: "image/png", data: expect.stringMatching(/^iVBORw0KGgo/) },
      { type: "text", text: "QR code, 21 × 21 pixels, error correction M." },
    ],
  });
});

test("calls a tool that answers with audio", async () => {
  const client = await connectHttp();
  expect(await client.callTool({ name: "tone", arguments: { durationMs: 10 } })).toEqual({
    content: [
      { type: "audio", mimeType: "audio/wav", data: expect.stringMatching(/^UklGR/) },
      { type: "text", text: "sine tone, 440 Hz, 10 ms." },
    ],
  });
});

test("throws −32602 for a tool that is not there", async () => {
  const client = await connectHttp();
  await expect(client.callTool({ name: "nonesuch" })).rejects.toMatchObject({
    name: "McpError",
    code: -32602,
    message: expect.stringContaining("Unknown tool: nonesuch"),
  });
});

test("tells bad arguments to the model, by path and rule", async () => {
  const client = await connectHttp();
  expect(await client.callTool({ name: "qr_code", arguments: { text: "hello", scale: 99 } })).toEqual({
    content: [
      { type: "text", text: expect.stringMatching(/^Invalid arguments for tool qr_code: scale \(max_value\): /) },
    ],
    isError: true,
  });
});

test("ends its session for good, and no other session of its key", async () => {
  const { key } = await server.mintKey();
  const other = await connect(http(server.endpoint(), withKey(key)));
  const transport = new StreamableHTTPClientTransport(server.endpoint(), withKey(key));
  const client = await connect(transport as Transport);
  const { sessionId } = transport;
  if (sessionId === undefined) throw new Error("no session");
  const resumed = await connect(http(server.endpoint(), { ...withKey(key), sessionId }));
  expect(await listNames(resumed)).toEqual(TOOLS);

  await transport.terminateSession();
  expect(transport.sessionId).toBeUndefined();
  await client.close();
  await expect(resumed.listTools()).rejects.toMatchObject({
    code: 404,
    message: expect.stringContaining("Session not found: it is unknown or over. Send initialize again"),
  });
  await expect(resumed.ping()).rejects.toMatchObject({ code: 404 });

  const heard = nextChange(other);
  await server.switchTool("tone", false);
  await within(CHANGE_WITHIN_MS, "list_changed of the other session", heard);
  expect(await listNames(other)).toEqual(TOOLS.filter((name) => name !== "tone"));
  await server.switchTool("tone", true);
});

test("says over HTTP that a wrong key is wrong", async () => {
  await expect(connect(http(server.endpoint(), withKey("tg_wrong")))).rejects.toMatchObject({
    code: 401,
    message: expect.stringContaining("A valid API key is required: send it as `Authorization: Bearer <key>`"),
  });
});

test.each([
  { what: "a wrong key", transport: () => new SSEClientTransport(server.sseEndpoint(), withKey("tg_wrong")) },
  { what: "a wrong URL key", transport: () => new SSEClientTransport(server.sseEndpoint("tg_wrong")) },
])("says over SSE that $what is wrong", async ({ transport }) => {
  // This client does not read the body of a refusal.
  await expect(connect(transport())).rejects.toMatchObject({ code: 401, message: expect.stringContaining("401") });
});

test("fails at once to connect over WebSocket with a wrong key", async () => {
  const transport = new WebSocketClientTransport(server.socketEndpoint("tg_wrong"));
  // A WebSocket client of the web platform is not told why an upgrade was refused.
  await expect(connect(transport)).rejects.toBeInstanceOf(Error);
});

const http = (url: URL, options?: ConstructorParameters<typeof StreamableHTTPClientTransport>[1]): Transport =>
  // The SDK's own types do not agree under `exactOptionalPropertyTypes`.
  new StreamableHTTPClientTransport(url, options) as Transport;

const connectHttp = async (): Promise<Client> =>
  connect(http(server.endpoint(), withKey((await server.mintKey()).key)));

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: "journey", version: "1.0.0" });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

const nextChange = (client: Client): Promise<void> =>
  new Promise((resolve) => client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()));

const listNames = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
