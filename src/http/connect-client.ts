// How each client is told of this endpoint, ready to paste: with a placeholder where the key goes, never with a key.
// From the clients' own documentation of 2026: code.claude.com/docs/en/mcp, cursor.com/docs/mcp,
// code.visualstudio.com/docs/copilot/reference/mcp-configuration, developers.openai.com/api/docs/guides/developer-mode.

/** One client's way in: `where` the `text` goes. */
export interface Connection {
  client: string;
  where: string;
  text: string;
}

const KEY = "YOUR_API_KEY";
const URL_KEY = "YOUR_URL_KEY";

/** Every client's way to the server at an origin. Those that send no header need keys in URLs. */
export function connectionsOf(origin: string, urlKeys: boolean): Connection[] {
  const endpoint = `${origin}/mcp`;
  return [
    {
      client: "Claude Code",
      where: "In a terminal, in your project. The key stays in your own settings.",
      text: `claude mcp add --transport http toolgate ${endpoint} \\\n  --header "Authorization: Bearer ${KEY}"`,
    },
    {
      client: "Cursor",
      where:
        "Save as .cursor/mcp.json in the project, or ~/.cursor/mcp.json; the key is the environment's TOOLGATE_KEY.",
      text: toJson({
        mcpServers: { toolgate: { url: endpoint, headers: { Authorization: `Bearer \${env:TOOLGATE_KEY}` } } },
      }),
    },
    {
      client: "VS Code",
      where: "Save as .vscode/mcp.json; VS Code asks for the key once and keeps it.",
      text: toJson({
        inputs: [{ type: "promptString", id: "toolgate-key", description: "API key", password: true }],
        servers: {
          toolgate: { type: "http", url: endpoint, headers: { Authorization: `Bearer \${input:toolgate-key}` } },
        },
      }),
    },
    ...(urlKeys ? [viaUrl(origin)] : []),
    {
      client: "curl",
      where: "In a terminal: lists the tools.",
      text: [
        `curl -s ${endpoint}`,
        `-H 'content-type: application/json' -H 'authorization: Bearer ${KEY}'`,
        `-d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
      ].join(" \\\n  "),
    },
  ];
}

/** Both take a URL and OAuth, or a URL alone. */
const viaUrl = (origin: string): Connection => ({
  client: "ChatGPT and claude.ai",
  where:
    "ChatGPT: Settings, Apps, Advanced settings, Developer mode; then Create app, with No authentication. claude.ai: " +
    "Settings, Connectors, Add custom connector. Both need a key that was made for URLs.",
  text: `${origin}/k/${URL_KEY}/mcp`,
});

const toJson = (value: object): string => JSON.stringify(value, undefined, 2);
