// The Worker as it is deployed, with the suite's tools in place of the built-in ones.

import { allParts, composeWorker } from "../../src/compose.ts";
import { askingTools } from "./fixture-input-tools.ts";
import { answeringTools } from "./fixture-tools.ts";

const { app, ToolRegistry, McpEntrypoint } = composeWorker([...answeringTools, ...askingTools], allParts());

export default app;
export { ToolRegistry, McpEntrypoint };
export { ApiKey, AuditLog, CallRelay, CatalogueReplica, SessionHub } from "../../src/objects.ts";
