// Every route of the Worker. The only folder that knows Hono.

import { Hono, type Context } from "hono";
import type { Env } from "../env.ts";
import { randomText } from "../lib/random.ts";
import { encodeError } from "../protocol/json-rpc.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import { SERVER } from "../protocol/server-info.ts";
import type { Isolate } from "../server/scope.ts";
import { logFailure } from "../telemetry/log.ts";
import type { Tool } from "../tools/define-tool.ts";
import { requireAdmin } from "./admin-auth.ts";
import { adminKeys } from "./admin-keys.ts";
import { adminTools } from "./admin-tools.ts";
import { refuseOrigin } from "./origin.ts";
import { postMessage } from "./post-route.ts";
import { HttpError, problem, problemOf } from "./problem.ts";
import { methodNotAllowed, openSession } from "./socket-route.ts";

type AppContext = Context<{ Bindings: Env }>;

/** The app for a Worker with these tools in its code. */
export function createApp(isolate: Isolate, builtins: readonly Tool[]): Hono<{ Bindings: Env }> {
  const app = new Hono<{ Bindings: Env }>({ strict: false });
  app.use(async ({ req, env }, next) => {
    const refusal = refuseOrigin(req.raw, env);
    if (refusal === undefined) return next();
    return Response.json(JSON.parse(encodeError(null, new ProtocolError(403, `Forbidden: ${refusal}`))), {
      status: 403,
    });
  });
  app.get("/", ({ text }) => text(WELCOME));
  app.get("/healthz", ({ env, json }) => {
    const status = env.SIGNING_SECRET ? "ok" : "misconfigured";
    return json({ status, name: SERVER.name, version: SERVER.version }, env.SIGNING_SECRET ? 200 : 503);
  });
  app.post("/register", ({ json }) => json(NO_OAUTH, 400));
  mountEndpoint(app, "/mcp", isolate);
  mountEndpoint(app, "/k/:key/mcp", isolate);
  app.route("/admin/v1", createAdmin(isolate, builtins));
  app.onError((error) => {
    const ref = randomText(12);
    logFailure("request_failed", ref, error);
    return new Response(`Internal error (ref ${ref})\n`, { status: 500 });
  });
  return app;
}

function mountEndpoint(app: Hono<{ Bindings: Env }>, path: "/mcp" | "/k/:key/mcp", isolate: Isolate): void {
  app.all(path, (c: AppContext) => {
    const pathKey = path === "/mcp" ? undefined : c.req.param("key");
    if (pathKey !== undefined && c.env.URL_KEYS === "off") return c.notFound();
    const waitUntil = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
    const exchange = { isolate, env: c.env, waitUntil, request: c.req.raw };
    if (c.req.method === "POST") return postMessage(exchange, pathKey);
    return c.req.method === "GET" ? openSession(exchange, pathKey) : methodNotAllowed();
  });
}

function createAdmin(isolate: Isolate, builtins: readonly Tool[]): Hono<{ Bindings: Env }> {
  const admin = new Hono<{ Bindings: Env }>();
  admin.use(requireAdmin(isolate));
  admin.route("/keys", adminKeys);
  admin.route("/tools", adminTools(builtins));
  admin.all("*", ({ req }) => problem(new HttpError(404, "not_found", `There is no ${req.method} ${req.path}`)));
  admin.onError(problemOf);
  return admin;
}

const WELCOME = `This is a toolgate server: MCP tools at /mcp, with an API key.

POST JSON-RPC to /mcp with \`Authorization: Bearer <key>\`, or open a WebSocket there.
`;

const NO_OAUTH = {
  error: "invalid_request",
  error_description:
    "This server does not use OAuth. Send your API key as `Authorization: Bearer <key>` or `X-API-Key: <key>`.",
};
