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
export { CatalogueReplica } from "../../src/registry/catalogue-replica-object.ts";
export { CallRelay } from "../../src/sessions/call-relay-object.ts";
export { AuditLog } from "../../src/audit/audit-log-object.ts";
export { ApiKey } from "../../src/keys/api-key-object.ts";
export { SessionHub } from "../../src/sessions/session-hub-object.ts";
