// The Worker as it is deployed, with the matrix's tools in place of the built-in ones.

import { allParts, composeWorker } from "../../../src/compose.ts";
import { matrixTools } from "./tools.ts";

const { app, ToolRegistry, McpEntrypoint } = composeWorker(matrixTools, allParts());

export default app;
export { ToolRegistry, McpEntrypoint };
export { CatalogueReplica } from "../../../src/registry/catalogue-replica-object.ts";
export { CallRelay } from "../../../src/sessions/call-relay-object.ts";
export { AuditLog } from "../../../src/audit/audit-log-object.ts";
export { ApiKey } from "../../../src/keys/api-key-object.ts";
export { SessionHub } from "../../../src/sessions/session-hub-object.ts";
