// The Worker as it is deployed, with tools to be fuzzed besides the built-in ones, and limits that a run may set.

import { env } from "cloudflare:workers";
import { allParts, composeWorker } from "../../../src/compose.ts";
import { LIMITS } from "../../../src/lib/limits.ts";
import { builtinTools } from "../../../src/tools/builtin/catalog.ts";
import { matrixTools } from "../../matrix/worker/tools.ts";
import { fuzzTools } from "./tools.ts";

Object.assign(LIMITS, JSON.parse((env as { BENCH_LIMITS?: string }).BENCH_LIMITS ?? "{}"));

const { app, ToolRegistry, McpEntrypoint } = composeWorker(
  [
    ...builtinTools,
    // Those that fill pages would be most of each list.
    ...matrixTools.filter(({ name }) => !name.startsWith("page_")),
    ...fuzzTools,
  ],
  allParts(),
);

export default app;
export { ToolRegistry, McpEntrypoint };
export { ApiKey, AuditLog, CallRelay, CatalogueReplica, SessionHub } from "../../../src/objects.ts";
