import { expect, test } from "vitest";
import { makeHome, runProgram } from "./support/client-process.ts";
import { startServer } from "./support/server.ts";

const INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";

const server = await startServer();
const TOOLS = await server.toolNames();

interface Way {
  transport: "http" | "sse";
  era: "legacy" | "auto" | "modern";
}

const WAYS: Way[] = [
  { transport: "http", era: "legacy" },
  { transport: "http", era: "auto" },
  { transport: "http", era: "modern" },
  { transport: "sse", era: "legacy" },
  { transport: "sse", era: "auto" },
];

test.each(WAYS)("lists and calls over $transport in era $era", async (way) => {
  const { key } = await server.mintKey();
  const [listed, called] = await Promise.all([
    inspect(way, key, "--method", "tools/list", "--strict"),
    inspect(way, key, "--method", "tools/call", "--tool-name", "calculate", "--tool-arg", "expression=6 * 7"),
  ]);
  expect({ listed: summaryOf(listed), called: summaryOf(called) }).toEqual({
    listed: { code: 0, names: TOOLS },
    called: { code: 0, content: [{ type: "text", text: "6 * 7 = 42" }] },
  });
});

test.each([
  { way: { transport: "http", era: "legacy" } as const, says: "A valid API key is required: send it as" },
  { way: { transport: "http", era: "modern" } as const, says: "the server requires authorization (HTTP 401)" },
  { way: { transport: "sse", era: "legacy" } as const, says: "401" },
])("says that a wrong key is wrong: $way", async ({ way, says }) => {
  const { code, stdout, stderr } = await inspect(way, "tg_wrong", "--method", "tools/list", "--stored-auth-only");
  expect({ code, stdout, stderr }).toEqual({ code: 3, stdout: "", stderr: expect.stringContaining(says) });
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

async function inspect({ transport, era }: Way, key: string, ...args: string[]): Promise<Ended> {
  const home = await makeHome();
  const url = (transport === "http" ? server.endpoint() : server.sseEndpoint()).href;
  const target = [url, "--transport", transport, "--protocol-era", era, "--header", `Authorization: Bearer ${key}`];
  return runProgram(INSPECTOR, ["--cli", ...target, ...args], home);
}

/** What the eras answer alike. */
function summaryOf({ code, stdout, stderr }: Ended): Record<string, unknown> {
  if (code !== 0) return { code, stdout, stderr };
  const { tools, content } = JSON.parse(stdout) as { tools?: { name: string }[]; content?: unknown };
  return { code, ...(tools && { names: tools.map(({ name }) => name) }), ...(content !== undefined && { content }) };
}
