/** What a newcomer needs to connect a client, ready to print. */
export function connectText(origin: string, key: string, notes: string[]): string {
  const endpoint = `${origin}/mcp`;
  return [
    "toolgate is running.",
    "",
    `  Endpoint   ${endpoint}`,
    `  Key        ${key}`,
    `  Console    ${origin}/console/ (sign in with the ADMIN_KEY in .dev.vars)`,
    ...notes.map((note) => `  ${note}`),
    "",
    "Claude Code: save this as .mcp.json in your project. Cursor: as .cursor/mcp.json.",
    "",
    clientConfig(endpoint, key),
    "",
    'VS Code: the same in .vscode/mcp.json, with "servers" in place of "mcpServers".',
    "",
    "Try it from another terminal:",
    "",
    curlLine(endpoint, key),
    "",
    `Keys and tools:  ${portPrefix(origin)}npm run toolgate -- --help`,
    "Stop:            Ctrl-C",
    "",
  ].join("\n");
}

/** The CLI looks for the local server on the default port, unless told. */
function portPrefix(origin: string): string {
  const { port } = new URL(origin);
  return port === "8787" ? "" : `PORT=${port} `;
}

function clientConfig(endpoint: string, key: string): string {
  const toolgate = { type: "http", url: endpoint, headers: { Authorization: `Bearer ${key}` } };
  return JSON.stringify({ mcpServers: { toolgate } }, undefined, 2);
}

function curlLine(endpoint: string, key: string): string {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "current_time", arguments: {} } };
  const headers = `-H 'content-type: application/json' -H 'authorization: Bearer ${key}'`;
  return `curl -s ${endpoint} ${headers} -d '${JSON.stringify(call)}'`;
}
