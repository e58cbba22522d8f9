// Puts a Worker together from the tools in its code. `index.ts` does it for the built-in ones; whoever brings other
// tools exports the same names.

import { AuditRecorder } from "./audit/audit-recorder.ts";
import type { AppParts } from "./http/app.ts";
import { createEdge } from "./http/edge.ts";
import { KeyCache } from "./keys/key-cache.ts";
import { Strangers } from "./keys/strangers.ts";
import { LIMITS } from "./lib/limits.ts";
import { LruMap } from "./lib/lru-map.ts";
import { lateToolRegistry } from "./objects.ts";
import { SERVER } from "./protocol/server-info.ts";
import type { ToTool } from "./registry/catalogue.ts";
import { SnapshotCache } from "./registry/snapshot-cache.ts";
import { SecretCache } from "./secrets/secret-cache.ts";
import { createObserver } from "./server/create-observer.ts";
import type { Observer } from "./server/observer.ts";
import { ListBodies } from "./server/list-tools.ts";
import { createUpstreamHints } from "./server/after-call.ts";
import type { Isolate } from "./server/scope.ts";
import { createMcpEntrypoint } from "./sessions/mcp-entrypoint.ts";
import { OtlpExporter } from "./telemetry/otlp-exporter.ts";
import type { Tool } from "./tools/define-tool.ts";

/** What makes tools of data is loaded with the first of them. */
const loadToolMaker = async (): Promise<ToTool> => (await import("./registry/load-tool.ts")).createLoader();

/** What a Worker works without: it costs some kilobytes. */
export interface WorkerParts {
  /** Routes that say more than they must; they come with the app. */
  routes?: () => Promise<AppParts>;
  /** Exports spans and metrics where that is configured. */
  observer?: Observer;
}

const loadRoutes = async (): Promise<AppParts> => {
  const [{ frontPage }, { health }] = await Promise.all([
    import("./http/front-page.ts"),
    import("./http/health-route.ts"),
  ]);
  return { frontPage, health };
};

/** All parts that there are. */
export const allParts = (): WorkerParts => ({
  routes: loadRoutes,
  observer: createObserver(new OtlpExporter(SERVER)),
});

/** The front, the registry's class and the entrypoint's class. Throws when two tools share a name. */
export function composeWorker(tools: readonly Tool[], parts: WorkerParts = {}) {
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two tools are named ${twice}`);
  const isolate: Isolate = {
    keys: new KeyCache(),
    strangers: new Strangers(),
    sessions: new LruMap(LIMITS.knownSessions),
    snapshot: new SnapshotCache(tools, loadToolMaker),
    listBodies: new ListBodies(),
    secrets: new SecretCache(),
    audit: new AuditRecorder(),
    upstreamHints: createUpstreamHints(),
    observer: parts.observer,
  };
  return {
    app: createEdge(isolate, tools, parts.routes),
    ToolRegistry: lateToolRegistry(tools),
    McpEntrypoint: createMcpEntrypoint(isolate),
  };
}
