import { Hono } from "hono";
import { McpServer, StreamableHttpTransport } from "mcp-lite";
import { z } from "zod";
import { ADD, ECHO, OTHERS, SERVER } from "../../speed/worker/catalogue.ts";
import { addInput, echoInput, otherInputs, textResult } from "./zod-inputs.ts";

const server = new McpServer({ ...SERVER, schemaAdapter: (schema) => z.toJSONSchema(schema as z.ZodType) });
server.tool(ECHO.name, { ...ECHO, inputSchema: echoInput, handler: ({ text }) => textResult(text) });
server.tool(ADD.name, { ...ADD, inputSchema: addInput, handler: ({ a, b }) => textResult(String(a + b)) });
OTHERS.forEach((tool, n) => {
  const inputSchema = otherInputs[n];
  server.tool(tool.name, { ...tool, inputSchema, handler: ({ query }) => textResult(query) });
});

const answer = new StreamableHttpTransport().bind(server);
const app = new Hono();
app.all("/mcp", ({ req }) => answer(req.raw));

export default app;
