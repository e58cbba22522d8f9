// The tools on a server of the official SDK's.

import { McpServer } from "@modelcontextprotocol/server";
import { ADD, ECHO, OTHERS, SERVER } from "../../speed/worker/catalogue.ts";
import { addInput, echoInput, otherInputs, textResult } from "./zod-inputs.ts";

/** A server of its own for a request, as the SDK wants it. */
export function createServer(): McpServer {
  const server = new McpServer(SERVER);
  server.registerTool(ECHO.name, { ...ECHO, inputSchema: echoInput }, ({ text }) => textResult(text));
  server.registerTool(ADD.name, { ...ADD, inputSchema: addInput }, ({ a, b }) => textResult(String(a + b)));
  OTHERS.forEach((tool, n) => {
    const inputSchema = otherInputs[n];
    server.registerTool(tool.name, { ...tool, inputSchema }, ({ query }) => textResult(query));
  });
  return server;
}
