import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "./support/server.ts";
import { within } from "./support/within.ts";

const TOOLS = ["calculate", "current_time", "fetch_page", "qr_code", "tone"];
const CHANGE_WITHIN_MS = 1_000;

const server = await startServer();

test("connects over HTTP, pings and lists", async () => {
  const client = await connect(httpTransport((await server.mintKey()).key));
  await client.ping();
  const { tools } = await client.listTools();
  expect({
    server: client.getServerVersion()?.name,
    capabilities: client.getServerCapabilities(),
    tools: names(tools),
  }).toEqual({
    server: "toolgate",
    capabilities: { tools: { listChanged: true }, logging: {} },
    tools: TOOLS,
  });
});

test("calls a tool with structured results", async () => {
  const client = await connect(httpTransport((await server.mintKey()).key));
  // Having listed, the client checks the result against the output schema.
  await client.listTools();
  expect(await client.callTool({ name: "calculate", arguments: { expression: "6 * 7" } })).toEqual({
    content: [{ type: "text", text: "6 * 7 = 42" }],
    structuredContent: { expression: "6 * 7", result: 42 },
  });
});

test("calls a tool that answers with an image", async () => {
  const client = await connect(httpTransport((await server.mintKey()).key));
  expect(await client.callTool({ name: "qr_code", arguments: { text: "hello", scale: 1, margin: 0 } })).toEqual({
    content: [
      { type: "image", mimeType: "image/png", data: expect.stringMatching(/^iVBORw0KGgo/) },
      { type: "text", text: "QR code, 21 × 21 pixels, error correction M." },
    ],
  });
});

test("calls a tool that answers with audio", async () => {
  const client = await connect(httpTransport((await server.mintKey()).key));
  expect(await client.callTool({ name: "tone", arguments: { durationMs: 10 } })).toEqual({
    content: [
      { type: "audio", mimeType: "audio/wav", data: expect.stringMatching(/^UklGR/) },
      { type: "text", text: "sine tone, 440 Hz, 10 ms." },
    ],
  });
});

test("throws −32602 for a tool that is not there", async () => {
  const client = await connect(httpTransport((await server.mintKey()).key));
  await expect(client.callTool({ name: "nonesuch" })).rejects.toMatchObject({
    name: "McpError",
    code: -32602,
    message: expect.stringContaining("Unknown tool: nonesuch"),
  });
});

test("tells bad arguments to the model, by path and rule", async () => {
  const client = await connect(httpTransport((await server.mintKey()).key));
  expect(await client.callTool({ name: "qr_code", arguments: { text: "hello", scale: 99 } })).toEqual({
    content: [
      { type: "text", text: expect.stringMatching(/^Invalid arguments for tool qr_code: scale \(max_value\): /) },
    ],
    isError: true,
  });
});

test("says over HTTP that a wrong key is wrong", async () => {
  await expect(connect(httpTransport("tg_wrong"))).rejects.toMatchObject({
    code: 401,
    message: expect.stringContaining("A valid API key is required: send it as `Authorization: Bearer <key>`"),
  });
});

test("connects over WebSocket with a URL key, lists and calls", async () => {
  const client = await connect(await socketTransport());
  const { tools } = await client.listTools();
  const result = await client.callTool({ name: "calculate", arguments: { expression: "2^10" } });
  expect({ capabilities: client.getServerCapabilities(), tools: names(tools), result }).toEqual({
    capabilities: { tools: { listChanged: true }, logging: {} },
    tools: TOOLS,
    result: {
      content: [{ type: "text", text: "2^10 = 1024" }],
      structuredContent: { expression: "2^10", result: 1024 },
    },
  });
});

test("hears over WebSocket within a second that a tool went and that it is back", async () => {
  const client = await connect(await socketTransport());
  const gone = nextChange(client);
  await server.switchTool("tone", false);
  await within(CHANGE_WITHIN_MS, "list_changed when the tool goes", gone);
  expect(names((await client.listTools()).tools)).toEqual(TOOLS.filter((name) => name !== "tone"));
  await expect(client.callTool({ name: "tone" })).rejects.toMatchObject({ name: "McpError", code: -32602 });

  const back = nextChange(client);
  await server.switchTool("tone", true);
  await within(CHANGE_WITHIN_MS, "list_changed when the tool is back", back);
  expect(names((await client.listTools()).tools)).toEqual(TOOLS);
  expect(await client.callTool({ name: "tone", arguments: { durationMs: 10 } })).not.toHaveProperty("isError");
});

test("fails at once to connect over WebSocket with a wrong key", async () => {
  const transport = new WebSocketClientTransport(server.socketEndpoint("tg_wrong"));
  // A WebSocket client of the web platform is not told why an upgrade was refused.
  await expect(connect(transport)).rejects.toBeInstanceOf(Error);
});

const httpTransport = (key: string): Transport =>
  // The SDK's own types do not agree under `exactOptionalPropertyTypes`.
  new StreamableHTTPClientTransport(server.endpoint(), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  }) as Transport;

async function socketTransport(): Promise<Transport> {
  const { key } = await server.mintKey({ urlKey: true });
  return new WebSocketClientTransport(server.socketEndpoint(key));
}

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: "journey", version: "1.0.0" });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

const nextChange = (client: Client): Promise<void> =>
  new Promise((resolve) => client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()));

const names = (tools: { name: string }[]): string[] => tools.map(({ name }) => name);
