// The Worker as it is deployed, with tools in its code that take their time, report, ask and answer at length.

import { composeWorker } from "../../../src/compose.ts";
import { fixtureTools } from "./fixture-tools.ts";

const { app, ToolRegistry, McpEntrypoint } = composeWorker(fixtureTools);

export default app;
export { ToolRegistry, McpEntrypoint };
export { CallRelay } from "../../../src/sessions/call-relay-object.ts";
export { ApiKey } from "../../../src/keys/api-key-object.ts";
export { SessionHub } from "../../../src/sessions/session-hub-object.ts";
