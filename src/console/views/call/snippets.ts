// A call as others would make it. The key is never in what is copied.

import type { CallInput, CallRequest } from "../../mcp/call-request.ts";

/** For a POSIX shell. */
export function toCurl({ url, headers, body }: CallRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `  -H ${quote(`${name}: ${value}`)} \\`);
  return [
    `curl -sN ${quote(url)} \\`,
    `  -H "authorization: Bearer $TOOLGATE_KEY" \\`,
    ...lines,
    `  -d ${quote(JSON.stringify(body))}`,
  ].join("\n");
}

/** For the MCP SDK's client, version 2. */
export const toTypeScript = ({
  name,
  arguments: args,
}: CallInput): string => `import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const client = new Client({ name: "my-client", version: "1.0.0" });
await client.connect(
  new StreamableHTTPClientTransport(new URL(${JSON.stringify(`${location.origin}/mcp`)}), {
    requestInit: { headers: { authorization: \`Bearer \${process.env.TOOLGATE_KEY}\` } },
  }),
);
const result = await client.callTool(${JSON.stringify({ name, arguments: args }, undefined, 2)});
console.log(result.content);
await client.close();
`;

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
