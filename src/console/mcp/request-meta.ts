/** The revision that the console speaks: every request stands by itself. */
export const REVISION = "2026-07-28";

const MCP_PREFIX = "io.modelcontextprotocol/";

/** What each request says of the console (MCP 2026-07-28, basic, "_meta"). */
export const requestMeta = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  [`${MCP_PREFIX}protocolVersion`]: REVISION,
  [`${MCP_PREFIX}clientInfo`]: { name: "toolgate-console", version: "1" },
  [`${MCP_PREFIX}clientCapabilities`]: { elicitation: { form: {}, url: {} } },
  ...more,
});

/** The name of the log level that a request asks for. */
export const LOG_LEVEL = `${MCP_PREFIX}logLevel`;
