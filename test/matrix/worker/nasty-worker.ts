// The Worker as it is deployed, with tools that do what none should.

import { allParts, composeWorker } from "../../../src/compose.ts";
import { nastyTools } from "./nasty-tools.ts";

const { app, ToolRegistry, McpEntrypoint } = composeWorker(nastyTools, allParts());

export default app;
export { ToolRegistry, McpEntrypoint };
export { ApiKey, AuditLog, CallRelay, CatalogueReplica, SessionHub } from "../../../src/objects.ts";
