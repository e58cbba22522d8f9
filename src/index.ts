import { allParts, composeWorker } from "./compose.ts";
import { builtinTools } from "./tools/builtin/catalog.ts";

const { app, ToolRegistry, McpEntrypoint } = composeWorker(builtinTools, allParts());

export default app;
export { ToolRegistry, McpEntrypoint };
export { ApiKey, AuditLog, CallRelay, CatalogueReplica, SessionHub } from "./objects.ts";
