import { ValibotJsonSchemaAdapter } from "@tmcp/adapter-valibot";
import { HttpTransport } from "@tmcp/transport-http";
import { McpServer } from "tmcp";
import * as v from "valibot";
import { ADD, ECHO, OTHERS, PARAMETERS, SERVER } from "../../speed/worker/catalogue.ts";

const textResult = (text: string) => ({ content: [{ type: "text" as const, text }] });

const server = new McpServer(
  { ...SERVER, description: "bench" },
  { adapter: new ValibotJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
);
server.tool({ ...ECHO, schema: v.object({ text: v.string() }) }, ({ text }) => textResult(text));
server.tool({ ...ADD, schema: v.object({ a: v.number(), b: v.number() }) }, ({ a, b }) => textResult(String(a + b)));
for (const tool of OTHERS) {
  const schema = v.object({
    query: v.pipe(v.string(), v.description(PARAMETERS.query)),
    limit: v.optional(v.pipe(v.number(), v.description(PARAMETERS.limit))),
    order: v.optional(v.pipe(v.picklist(["newest", "oldest"]), v.description(PARAMETERS.order))),
  });
  server.tool({ ...tool, schema }, ({ query }) => textResult(query));
}

const transport = new HttpTransport(server, { path: "/mcp" });

export default {
  fetch: async (request: Request): Promise<Response> =>
    (await transport.respond(request)) ?? new Response(null, { status: 404 }),
};
