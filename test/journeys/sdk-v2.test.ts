import { Client, StreamableHTTPClientTransport, type VersionNegotiationOptions } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "./support/server.ts";

const TOOLS = ["calculate", "current_time", "fetch_page", "qr_code", "tone"];

const MODES: { mode: NonNullable<VersionNegotiationOptions["mode"]>; version: string; era: string }[] = [
  { mode: "legacy", version: "2025-11-25", era: "legacy" },
  { mode: "auto", version: "2026-07-28", era: "modern" },
  { mode: { pin: "2026-07-28" }, version: "2026-07-28", era: "modern" },
];

const server = await startServer();

test.each(MODES)("negotiates $version in mode $mode, lists and calls", async ({ mode, version, era }) => {
  const client = await connect(mode, (await server.mintKey()).key);
  const { tools } = await client.listTools();
  const { content, structuredContent } = await client.callTool({
    name: "calculate",
    arguments: { expression: "6 * 7" },
  });
  expect({
    version: client.getNegotiatedProtocolVersion(),
    era: client.getProtocolEra(),
    server: client.getServerVersion()?.name,
    capabilities: client.getServerCapabilities(),
    tools: tools.map(({ name }) => name),
    content,
    structuredContent,
  }).toEqual({
    version,
    era,
    server: "toolgate",
    capabilities: { tools: { listChanged: true }, logging: {} },
    tools: TOOLS,
    content: [{ type: "text", text: "6 * 7 = 42" }],
    structuredContent: { expression: "6 * 7", result: 42 },
  });
});

test.each(MODES)("calls tools that answer with an image and audio in mode $mode", async ({ mode }) => {
  const client = await connect(mode, (await server.mintKey()).key);
  const image = await client.callTool({ name: "qr_code", arguments: { text: "hello" } });
  const audio = await client.callTool({ name: "tone", arguments: { durationMs: 10 } });
  expect([image.content[0], audio.content[0]]).toEqual([
    { type: "image", mimeType: "image/png", data: expect.stringMatching(/^iVBORw0KGgo/) },
    { type: "audio", mimeType: "audio/wav", data: expect.stringMatching(/^UklGR/) },
  ]);
});

test.each(MODES)("throws −32602 for an unknown tool in mode $mode", async ({ mode }) => {
  const client = await connect(mode, (await server.mintKey()).key);
  await expect(client.callTool({ name: "nonesuch" })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining("Unknown tool: nonesuch"),
  });
});

test("passes on what the server says of a wrong key in mode legacy", async () => {
  await expect(connect("legacy", "tg_wrong")).rejects.toThrow(/A valid API key is required: send it as/);
});

test.each(["auto" as const, { pin: "2026-07-28" }])("says that a wrong key is wrong in mode %j", async (mode) => {
  await expect(connect(mode, "tg_wrong")).rejects.toThrow(/the server requires authorization \(HTTP 401\)/);
});

async function connect(mode: NonNullable<VersionNegotiationOptions["mode"]>, key: string): Promise<Client> {
  const client = new Client({ name: "journey", version: "1.0.0" }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(
    new StreamableHTTPClientTransport(server.endpoint(), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  );
  return client;
}
