// The Worker as it is deployed, with more tools in its code: they take their time, report, ask and answer at length, or
// are requests to an upstream.

import { allParts, composeWorker } from "../../../src/compose.ts";
import { builtinTools } from "../../../src/tools/builtin/catalog.ts";
import { fixtureHttpTools } from "./fixture-http-tools.ts";
import { fixtureTools } from "./fixture-tools.ts";

// Whatever is built in: a fixture's name is the fixture's.
const fixtureNames = fixtureTools.map(({ name }) => name);
const others = builtinTools.filter(({ name }) => !fixtureNames.includes(name));

const { app, ToolRegistry, McpEntrypoint } = composeWorker(
  [...others, ...fixtureTools, ...fixtureHttpTools],
  allParts(),
);

export default app;
export { ToolRegistry, McpEntrypoint };
export { CatalogueReplica } from "../../../src/registry/catalogue-replica-object.ts";
export { CallRelay } from "../../../src/sessions/call-relay-object.ts";
export { AuditLog } from "../../../src/audit/audit-log-object.ts";
export { ApiKey } from "../../../src/keys/api-key-object.ts";
export { SessionHub } from "../../../src/sessions/session-hub-object.ts";
