import { createMCPClient, type MCPClient } from "@ai-sdk/mcp";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "./support/server.ts";

const server = await startServer();
const TOOLS = await server.toolNames();

interface Way {
  type: "http" | "sse";
  /** Whether the client first asks what the server speaks. */
  discovers: boolean;
  version: string;
}

const WAYS: Way[] = [
  { type: "http", discovers: true, version: "2026-07-28" },
  { type: "http", discovers: false, version: "2025-11-25" },
  { type: "sse", discovers: true, version: "2025-11-25" },
  { type: "sse", discovers: false, version: "2025-11-25" },
];

test.each(WAYS)("speaks $version over $type (discovery: $discovers), lists and runs a tool", async (way) => {
  const client = await connect(way, (await server.mintKey()).key);
  const tools = await client.tools();
  const { content, structuredContent } = await run(tools["calculate"], { expression: "6 * 7" });
  expect({
    version: client.initializeResult.protocolVersion,
    server: client.serverInfo.name,
    tools: Object.keys(tools),
    content,
    structuredContent,
  }).toEqual({
    version: way.version,
    server: "toolgate",
    tools: TOOLS,
    content: [{ type: "text", text: "6 * 7 = 42" }],
    structuredContent: { expression: "6 * 7", result: 42 },
  });
});

test.each(WAYS)("lists over $type (discovery: $discovers) without a tool that went", async (way) => {
  const client = await connect(way, (await server.mintKey()).key);
  const { tone } = await client.tools();
  await server.switchTool("tone", false);
  const tools = Object.keys(await client.tools());
  await expect(run(tone, { durationMs: 10 })).rejects.toThrow("Unknown tool: tone");
  await server.switchTool("tone", true);
  expect([tools, Object.keys(await client.tools())]).toEqual([TOOLS.filter((name) => name !== "tone"), TOOLS]);
});

test.each(WAYS)("shows over $type (discovery: $discovers) what the server says of a wrong key", async (way) => {
  await expect(connect(way, "tg_wrong")).rejects.toMatchObject({
    name: "MCPClientError",
    statusCode: 401,
    message: expect.stringContaining("A valid API key is required: send it as `Authorization: Bearer <key>`"),
  });
});

async function connect({ type, discovers }: Way, key: string): Promise<MCPClient> {
  const url = (type === "http" ? server.endpoint() : server.sseEndpoint()).href;
  const client = await createMCPClient({
    transport: { type, url, headers: { authorization: `Bearer ${key}` } },
    protocolVersionDiscovery: discovers,
    // It reports here what it throws as well.
    onUncaughtError: () => undefined,
  });
  onTestFinished(() => client.close());
  return client;
}

type McpTool = Awaited<ReturnType<MCPClient["tools"]>>[string];

async function run(tool: McpTool | undefined, input: unknown): Promise<Record<string, unknown>> {
  if (!tool) throw new Error("the tool is not listed");
  return (await tool.execute(input)) as Record<string, unknown>;
}
