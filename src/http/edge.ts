// The Worker's front. What a client of tools sends most, a POST to the endpoint that no browser sent, goes straight to its
// route; everything else goes through the app, which is loaded when it is first asked for.

import type { Hono } from "hono";
import type { Env } from "../env.ts";
import { boundedEnv } from "../lib/bounded-env.ts";
import { HOPS_HEADER } from "../lib/hops-header.ts";
import { regionOf } from "../lib/region.ts";
import type { Isolate } from "../server/scope.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { AppParts } from "./app.ts";
import { answerUnexpected } from "./guards.ts";
import { refuseOrigin } from "./origin.ts";
import { postMessage } from "./post-route.ts";

/** What the runtime asks of a Worker. */
export interface Edge {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response>;
}

/** The front of a Worker with these tools in its code. */
export function createEdge(isolate: Isolate, builtins: readonly Tool[], loadRoutes?: () => Promise<AppParts>): Edge {
  let app: Hono<{ Bindings: Env }> | undefined;
  return {
    async fetch(request, env, ctx) {
      if (isPlainPost(request, env)) {
        isolate.snapshot.region ??= regionOf(request.cf);
        const waitUntil = (work: Promise<unknown>): void => ctx.waitUntil(work);
        return postMessage(
          { isolate, env: boundedEnv(env), waitUntil, request, headers: request.headers },
          undefined,
        ).catch(answerUnexpected);
      }
      app ??= (await import("./app.ts")).createApp(isolate, builtins, await loadRoutes?.());
      return app.fetch(request, env, ctx);
    },
  };
}

/** What the app would let through as it is: of no browser, no other server of this kind, to a host that is served. */
function isPlainPost(request: Request, env: Env): boolean {
  if (request.method !== "POST" || !isEndpoint(request.url)) return false;
  const { headers } = request;
  if (headers.get("origin") !== null || headers.get(HOPS_HEADER) !== null) return false;
  return !env.ALLOWED_HOSTS || refuseOrigin(request, env) === undefined;
}

const ENDPOINT = "/mcp";

/** Whether a URL's path is the endpoint's, as it is commonly written: the app knows the other spellings. */
function isEndpoint(url: string): boolean {
  const path = url.indexOf("/", url.indexOf("//") + 2);
  return url.length - path === ENDPOINT.length && url.startsWith(ENDPOINT, path);
}
