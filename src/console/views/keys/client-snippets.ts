// How clients are told of this server, in the forms of late 2026. Where a client can read the key from its environment or
// ask for it, the shared file has no key.

/** Where and how a client gets in. */
export interface Access {
  /** This server's, without a path. */
  origin: string;
  key: string;
  /** The key is part of the path, and goes into no header. */
  isUrlKey: boolean;
}

export interface Snippet {
  /** Where it goes. */
  where: string;
  text: string;
  isJson: boolean;
}

export interface ClientGuide {
  client: string;
  steps: readonly Snippet[];
  note?: string;
}

const NAME = "toolgate";

/** The guides, the ones that most ask for first. */
export function clientGuides(access: Access): ClientGuide[] {
  return [claudeCode(access), cursor(access), vsCode(access), chatGpt(access), curl(access)];
}

const endpointOf = ({ origin, key, isUrlKey }: Access): string =>
  isUrlKey ? `${origin}/k/${key}/mcp` : `${origin}/mcp`;

const json = (where: string, value: unknown): Snippet => ({
  where,
  text: JSON.stringify(value, undefined, 2),
  isJson: true,
});

const shell = (where: string, text: string): Snippet => ({ where, text, isJson: false });

function claudeCode(access: Access): ClientGuide {
  const url = endpointOf(access);
  const header = access.isUrlKey ? "" : ` \\\n  --header "Authorization: Bearer ${access.key}"`;
  return {
    client: "Claude Code",
    steps: [
      shell("In a terminal, for you in this project", `claude mcp add --transport http ${NAME} ${url}${header}`),
      json("Or for a team: .mcp.json, with the key in TOOLGATE_KEY", {
        mcpServers: {
          [NAME]: {
            type: "http",
            url: access.isUrlKey ? `${access.origin}/k/\${TOOLGATE_KEY}/mcp` : url,
            ...headersOf(access, "${TOOLGATE_KEY}"),
          },
        },
      }),
    ],
  };
}

function cursor(access: Access): ClientGuide {
  return {
    client: "Cursor",
    steps: [
      json(".cursor/mcp.json in a project, or ~/.cursor/mcp.json", {
        mcpServers: { [NAME]: { url: endpointOf(access), ...headersOf(access, access.key) } },
      }),
    ],
    note: access.isUrlKey
      ? "The file has the key: keep it out of version control."
      : "The file has the key. In one that is shared, write ${env:TOOLGATE_KEY} in its place.",
  };
}

function vsCode(access: Access): ClientGuide {
  const input = { type: "promptString", id: "toolgate-key", description: "toolgate API key", password: true };
  const asked = "${input:toolgate-key}";
  return {
    client: "VS Code",
    steps: [
      json(".vscode/mcp.json: asks for the key once, and keeps it safe", {
        inputs: [input],
        servers: {
          [NAME]: {
            type: "http",
            url: access.isUrlKey ? `${access.origin}/k/${asked}/mcp` : endpointOf(access),
            ...headersOf(access, asked),
          },
        },
      }),
    ],
  };
}

function chatGpt(access: Access): ClientGuide {
  const reach = isLocal(access.origin) ? " ChatGPT reaches public servers alone: this one is on your machine." : "";
  if (access.isUrlKey) {
    return {
      client: "ChatGPT",
      steps: [shell("MCP server URL, with no authentication", endpointOf(access))],
      note: `Settings → Apps & Connectors → Advanced settings: turn on developer mode, then create an app with this URL.${reach}`,
    };
  }
  return {
    client: "ChatGPT",
    steps: [
      json("The API: a tool of POST /v1/responses", {
        type: "mcp",
        server_label: NAME,
        server_url: endpointOf(access),
        authorization: access.key,
        require_approval: "always",
      }),
    ],
    note: `The app sends no header of yours: for it, mint a key that is part of the URL.${reach}`,
  };
}

function curl(access: Access): ClientGuide {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const authorization = access.isUrlKey ? "" : ` \\\n  -H 'authorization: Bearer ${access.key}'`;
  return {
    client: "curl",
    steps: [
      shell(
        "In a terminal",
        `curl -s ${endpointOf(access)} \\\n  -H 'content-type: application/json'${authorization} \\\n  -d '${JSON.stringify(call)}'`,
      ),
    ],
  };
}

const headersOf = ({ isUrlKey }: Access, key: string): { headers?: Record<string, string> } =>
  isUrlKey ? {} : { headers: { Authorization: `Bearer ${key}` } };

const isLocal = (origin: string): boolean => /^https?:\/\/(localhost|127\.|\[::1\])/.test(origin);
