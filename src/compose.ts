// Puts a Worker together from the tools in its code. `index.ts` does it for the built-in ones; whoever brings other
// tools exports the same names.

import { AuditRecorder } from "./audit/audit-recorder.ts";
import { createApp, type AppParts } from "./http/app.ts";
import { frontPage } from "./http/front-page.ts";
import { health } from "./http/health-route.ts";
import { KeyCache } from "./keys/key-cache.ts";
import { Strangers } from "./keys/strangers.ts";
import { SERVER } from "./protocol/server-info.ts";
import { createLoader } from "./registry/load-tool.ts";
import { SnapshotCache } from "./registry/snapshot-cache.ts";
import { createToolRegistry } from "./registry/tool-registry-object.ts";
import { SecretCache } from "./secrets/secret-cache.ts";
import { createObserver } from "./server/create-observer.ts";
import type { Observer } from "./server/observer.ts";
import { ListBodies } from "./server/list-tools.ts";
import { createUpstreamHints } from "./server/after-call.ts";
import type { Isolate } from "./server/scope.ts";
import { ToolSearch } from "./server/tool-search.ts";
import { createMcpEntrypoint } from "./sessions/mcp-entrypoint.ts";
import { OtlpExporter } from "./telemetry/otlp-exporter.ts";
import type { Tool } from "./tools/define-tool.ts";

/** What a Worker works without: it costs some kilobytes. */
export interface WorkerParts extends AppParts {
  /** Exports spans and metrics where that is configured. */
  observer?: Observer;
}

/** All parts that there are. */
export const allParts = (): WorkerParts => ({
  frontPage,
  health,
  observer: createObserver(new OtlpExporter(SERVER)),
});

/** The app, the registry's class and the entrypoint's class. Throws when two tools share a name. */
export function composeWorker(tools: readonly Tool[], parts: WorkerParts = {}) {
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two tools are named ${twice}`);
  const isolate: Isolate = {
    keys: new KeyCache(),
    strangers: new Strangers(),
    snapshot: new SnapshotCache(tools, createLoader()),
    listBodies: new ListBodies(),
    search: new ToolSearch(),
    secrets: new SecretCache(),
    audit: new AuditRecorder(),
    upstreamHints: createUpstreamHints(),
    observer: parts.observer,
  };
  return {
    app: createApp(isolate, tools, parts),
    ToolRegistry: createToolRegistry(tools),
    McpEntrypoint: createMcpEntrypoint(isolate),
  };
}
