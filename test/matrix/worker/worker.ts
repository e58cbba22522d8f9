// The Worker as it is deployed, with the matrix's tools in place of the built-in ones.

import { allParts, composeWorker } from "../../../src/compose.ts";
import { matrixTools } from "./tools.ts";

const { app, ToolRegistry, McpEntrypoint } = composeWorker(matrixTools, allParts());

export default app;
export { ToolRegistry, McpEntrypoint };
export { ApiKey, AuditLog, CallRelay, CatalogueReplica, SessionHub } from "../../../src/objects.ts";
