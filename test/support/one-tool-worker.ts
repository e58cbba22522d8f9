// The server with one small tool: what the size of the server itself is measured by.

import * as v from "valibot";
import { composeWorker } from "../../src/compose.ts";
import { defineTool } from "../../src/tools/define-tool.ts";

const echo = defineTool({
  name: "echo",
  description: "Gives back its text.",
  input: v.object({ text: v.string() }),
  run: ({ text }) => text,
});

const { app, ToolRegistry, McpEntrypoint } = composeWorker([echo]);

export default app;
export { ToolRegistry, McpEntrypoint };
export { ApiKey, AuditLog, CallRelay, CatalogueReplica, SessionHub } from "../../src/objects.ts";
