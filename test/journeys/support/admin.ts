// The admin API as an operator's script would use it, for any server that the tests start.

export interface AdminAnswer {
  status: number;
  body: Record<string, unknown>;
}

export interface MintedKey {
  id: string;
  key: string;
}

export interface Admin {
  admin: (method: string, path: string, body?: unknown) => Promise<AdminAnswer>;
  /** Mints a key; whatever `input` leaves out is the server's default. */
  mintKey: (input?: Record<string, unknown>) => Promise<MintedKey>;
  /** The names of all tools, whatever is built in. */
  toolNames: () => Promise<string[]>;
  /** Switches a tool and answers the catalogue's version. */
  switchTool: (name: string, enabled: boolean) => Promise<number>;
}

export function createAdmin(url: URL, adminKey: string): Admin {
  const admin: Admin["admin"] = async (method, path, body) => {
    const response = await fetch(new URL(`/admin/v1${path}`, url), {
      method,
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as AdminAnswer["body"] };
  };
  return {
    admin,
    mintKey: async (input = {}) => {
      const { id, key } = expectStatus(201, await admin("POST", "/keys", { name: "journey", ...input }));
      return { id: String(id), key: String(key) };
    },
    toolNames: async () => {
      const { tools } = expectStatus(200, await admin("GET", "/tools"));
      return (tools as { name: string }[]).map(({ name }) => name);
    },
    switchTool: async (name, enabled) => {
      const { version } = expectStatus(200, await admin("PATCH", `/tools/${name}`, { enabled }));
      return Number(version);
    },
  };
}

function expectStatus(expected: number, { status, body }: AdminAnswer): AdminAnswer["body"] {
  if (status === expected) return body;
  throw new Error(`admin API: expected status ${expected}, received ${status}: ${JSON.stringify(body)}`);
}
