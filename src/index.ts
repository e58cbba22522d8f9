import { allParts, composeWorker } from "./compose.ts";
import { builtinTools } from "./tools/builtin/catalog.ts";

const { app, ToolRegistry, McpEntrypoint } = composeWorker(builtinTools, allParts());

export default app;
export { ToolRegistry, McpEntrypoint };
export { CallRelay } from "./sessions/call-relay-object.ts";
export { CatalogueReplica } from "./registry/catalogue-replica-object.ts";
export { AuditLog } from "./audit/audit-log-object.ts";
export { ApiKey } from "./keys/api-key-object.ts";
export { SessionHub } from "./sessions/session-hub-object.ts";
