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
export { ApiKey, AuditLog, CallRelay, CatalogueReplica, SessionHub } from "../../../src/objects.ts";
