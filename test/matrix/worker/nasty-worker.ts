// The Worker as it is deployed, with tools that do what none should.

import { allParts, composeWorker } from "../../../src/compose.ts";
import { nastyTools } from "./nasty-tools.ts";

const { app, ToolRegistry, McpEntrypoint } = composeWorker(nastyTools, allParts());

export default app;
export { ToolRegistry, McpEntrypoint };
export { CatalogueReplica } from "../../../src/registry/catalogue-replica-object.ts";
export { CallRelay } from "../../../src/sessions/call-relay-object.ts";
export { AuditLog } from "../../../src/audit/audit-log-object.ts";
export { ApiKey } from "../../../src/keys/api-key-object.ts";
export { SessionHub } from "../../../src/sessions/session-hub-object.ts";
