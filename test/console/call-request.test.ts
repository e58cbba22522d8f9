import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { toCallRequest } from "../../src/console/mcp/call-request.ts";
import { toCurl } from "../../src/console/views/call/snippets.ts";

beforeAll(() => vi.stubGlobal("location", new URL("https://gate.example/console/")));
afterAll(() => vi.unstubAllGlobals());

const SCHEMA = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    inner: { type: "object", properties: { count: { type: "integer", "x-mcp-header": "Count" } } },
    absent: { type: "string", "x-mcp-header": "Absent" },
  },
};

const call = (args: unknown) =>
  toCallRequest({ name: "sail", arguments: args, inputSchema: SCHEMA, logLevel: "info" }, "7");

it("makes a request of all that it is told", () => {
  expect(call({ region: "Baltic", inner: { count: 3 } })).toEqual({
    url: "https://gate.example/mcp",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "sail",
      "mcp-param-region": "Baltic",
      "mcp-param-count": "3",
    },
    body: {
      jsonrpc: "2.0",
      id: "7",
      method: "tools/call",
      params: {
        name: "sail",
        arguments: { region: "Baltic", inner: { count: 3 } },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "toolgate-console", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {}, url: {} } },
          "io.modelcontextprotocol/logLevel": "info",
          progressToken: "7",
        },
      },
    },
  });
});

it.each([
  ["Østersøen", "=?base64?w5hzdGVyc8O4ZW4=?="],
  [" Baltic", "=?base64?IEJhbHRpYw==?="],
  ["=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="],
  ["North Sea", "North Sea"],
])("mirrors %j as %s", (region, header) => {
  expect(call({ region }).headers["mcp-param-region"]).toBe(header);
});

it("copies a line for the shell that sends just that body, whatever is in it", async () => {
  const request = call({ region: "it's $HOME, `date` and \"\\\" 'quoted'" });
  // In curl's place: what prints its last argument.
  const { stdout } = await promisify(execFile)("sh", [
    "-c",
    `curl() { for last; do :; done; printf %s "$last"; }; ${toCurl(request)}`,
  ]);
  expect(JSON.parse(stdout)).toEqual(request.body);
});
