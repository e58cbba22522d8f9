import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeHome, type Home } from "./support/client-process.ts";
import { startServer } from "./support/server.ts";
import { within } from "./support/within.ts";

const CHANGE_WITHIN_MS = 2_000;
const GONE_WITHIN_MS = 20_000;

const server = await startServer();
const TOOLS = await server.toolNames();

const WAYS = [
  { way: "HTTP", url: server.endpoint(), args: ["--transport", "http-only"] },
  { way: "HTTP in the modern era", url: server.endpoint(), args: ["--transport", "http-only", "--protocol", "auto"] },
  { way: "SSE", url: server.sseEndpoint(), args: ["--transport", "sse-only"] },
];

test.each(WAYS)("passes lists, calls and changes on over $way, and leaves nothing behind", async ({ url, args }) => {
  const home = await makeHome();
  const { transport, said } = startProxy(url, (await server.mintKey()).key, args, home);
  const client = createClient();
  await client.connect(transport);
  const { pid } = transport;
  const before = await listNames(client);
  const result = await client.callTool({ name: "calculate", arguments: { expression: "6 * 7" } });
  const heard = new Promise<void>((resolve) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
  });
  await server.switchTool("tone", false);
  await within(CHANGE_WITHIN_MS, "list_changed", heard);
  const after = await listNames(client);
  await client.close();
  await gone(pid);
  await server.switchTool("tone", true);
  expect({
    server: client.getServerVersion()?.name,
    before,
    content: result.content,
    after,
    files: await home.files(),
  }).toEqual({
    server: "toolgate",
    before: TOOLS,
    content: [{ type: "text", text: "6 * 7 = 42" }],
    after: TOOLS.filter((name) => name !== "tone"),
    files: [],
  });
  expect(said()).not.toMatch(/browser|Fatal error/i);
});

test.each(WAYS)("says over $way what is missing where the key is wrong, and ends", async ({ url, args }) => {
  const home = await makeHome();
  const { transport, said } = startProxy(url, "tg_wrong", args, home);
  await transport.start();
  await gone(transport.pid);
  expect(said()).toContain("This server does not use OAuth. Send your API key as `Authorization: Bearer <key>`");
  expect(said()).not.toMatch(/browser/i);
  expect(await home.files()).toEqual([]);
});

function startProxy(url: URL, key: string, args: string[], { dir, env }: Home) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      join(process.cwd(), "node_modules/mcp-remote/dist/proxy.js"),
      url.href,
      "--header",
      `Authorization: Bearer ${key}`,
      ...args,
    ],
    cwd: dir,
    env: { ...env, MCP_REMOTE_CONFIG_DIR: join(dir, "mcp-remote") },
    stderr: "pipe",
  });
  let text = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  onTestFinished(() => transport.close());
  return { transport, said: () => text };
}

function createClient(): Client {
  const client = new Client({ name: "journey", version: "1.0.0" });
  onTestFinished(() => client.close());
  return client;
}

/** Waits until there is no such process. */
async function gone(pid: number | null): Promise<void> {
  if (pid === null) throw new Error("the proxy was not started");
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), {
    timeout: GONE_WITHIN_MS,
    interval: 20,
  });
}

const listNames = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
