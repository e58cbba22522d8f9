import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type ClientOptions,
  type Tool,
  type Transport,
  type VersionNegotiationOptions,
} from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { withKey } from "./support/clients.ts";
import { startServer } from "./support/server.ts";
import { within } from "./support/within.ts";

const CHANGE_WITHIN_MS = 2_000;

type Mode = NonNullable<VersionNegotiationOptions["mode"]>;

const PINNED = { pin: "2026-07-28" };
const MODES: { mode: Mode; version: string; era: string }[] = [
  { mode: "legacy", version: "2025-11-25", era: "legacy" },
  { mode: "auto", version: "2026-07-28", era: "modern" },
  { mode: PINNED, version: "2026-07-28", era: "modern" },
];

const server = await startServer();
const TOOLS = await server.toolNames();
const WITHOUT_TONE = TOOLS.filter((name) => name !== "tone");

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
    tools: names(tools),
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

test.each(["legacy", "auto"] as const)("speaks 2025-11-25 over SSE in mode %s, lists and calls", async (mode) => {
  const { key } = await server.mintKey();
  const client = await open(mode, new SSEClientTransport(server.sseEndpoint(), withKey(key)));
  const { tools } = await client.listTools();
  const { content } = await client.callTool({ name: "calculate", arguments: { expression: "6 * 7" } });
  expect([names(tools), content]).toEqual([TOOLS, [{ type: "text", text: "6 * 7 = 42" }]]);
});

test.each(MODES)("hears of a change by its option in mode $mode", async ({ mode }) => {
  const lists: string[][] = [];
  const arrivals = new EventTarget();
  const onChanged = (_: Error | null, tools: Tool[] | null): void => {
    lists.push(names(tools ?? []));
    arrivals.dispatchEvent(new Event("list"));
  };
  const listed = (expected: string[]): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (JSON.stringify(lists.at(-1)) === JSON.stringify(expected)) resolve();
      };
      arrivals.addEventListener("list", look);
      look();
    });
  const client = await connect(mode, (await server.mintKey()).key, {
    listChanged: { tools: { onChanged, debounceMs: 0 } },
  });
  expect(names((await client.listTools()).tools)).toEqual(TOOLS);
  await server.switchTool("tone", false);
  await within(CHANGE_WITHIN_MS, "the list without the tool", listed(WITHOUT_TONE));
  await expect(client.callTool({ name: "tone" })).rejects.toMatchObject({ code: -32602 });
  await server.switchTool("tone", true);
  await within(CHANGE_WITHIN_MS, "the list with the tool", listed(TOOLS));
  // A client without a session is told of the last test's change too.
  expect(lists.slice(-2)).toEqual([WITHOUT_TONE, TOOLS]);
});

test.each(MODES.filter(({ era }) => era === "modern"))("listens in mode $mode until it stops", async ({ mode }) => {
  const client = await connect(mode, (await server.mintKey()).key);
  const listening = await client.listen({ toolsListChanged: true, promptsListChanged: true });
  const gone = nextChange(client);
  await server.switchTool("tone", false);
  await within(CHANGE_WITHIN_MS, "list_changed", gone);
  expect(names((await client.listTools()).tools)).toEqual(WITHOUT_TONE);
  await listening.close();

  let heardMore = false;
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    heardMore = true;
  });
  await server.published(await server.switchTool("tone", true));
  await client.callTool({ name: "calculate", arguments: { expression: "1" } });
  expect({ honored: listening.honoredFilter, closed: await listening.closed, heardMore }).toEqual({
    honored: { toolsListChanged: true },
    closed: "local",
    heardMore: false,
  });
});

test("is told that its subscription is over when its key is revoked", async () => {
  const { id, key } = await server.mintKey();
  const client = await connect("auto", key);
  const { closed } = await client.listen({ toolsListChanged: true });
  await server.admin("DELETE", `/keys/${id}`);
  expect(await within(CHANGE_WITHIN_MS, "end of the subscription", closed)).toBe("graceful");
});

test("ends its session for good, and no other session of its key", async () => {
  const { key } = await server.mintKey();
  const other = await connect("legacy", key);
  const transport = new StreamableHTTPClientTransport(server.endpoint(), withKey(key));
  await open("legacy", transport);
  const { sessionId } = transport;
  if (sessionId === undefined) throw new Error("no session");
  const resumed = new StreamableHTTPClientTransport(server.endpoint(), { ...withKey(key), sessionId });
  await transport.terminateSession();
  const late = await open("legacy", resumed);
  await expect(late.ping()).rejects.toThrow(/Session not found: it is unknown or over/);
  expect(names((await other.listTools()).tools)).toEqual(TOOLS);
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

test.each(["auto" as const, PINNED])("says that a wrong key is wrong in mode %j", async (mode) => {
  await expect(connect(mode, "tg_wrong")).rejects.toThrow(/the server requires authorization \(HTTP 401\)/);
});

test("says over SSE that a wrong key is wrong", async () => {
  const transport = new SSEClientTransport(server.sseEndpoint(), withKey("tg_wrong"));
  await expect(open("legacy", transport)).rejects.toThrow(/401/);
});

const connect = (mode: Mode, key: string, options?: ClientOptions): Promise<Client> =>
  open(mode, new StreamableHTTPClientTransport(server.endpoint(), withKey(key)), options);

async function open(mode: Mode, transport: Transport, options: ClientOptions = {}): Promise<Client> {
  const client = new Client({ name: "journey", version: "1.0.0" }, { ...options, versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

const nextChange = (client: Client): Promise<void> =>
  new Promise((resolve) => client.setNotificationHandler("notifications/tools/list_changed", () => resolve()));

const names = (tools: { name: string }[]): string[] => tools.map(({ name }) => name);
