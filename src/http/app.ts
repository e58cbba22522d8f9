// Every route of the Worker. The only folder that knows Hono.

import { Hono } from "hono";
import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import type { Env } from "../env.ts";
import { boundedEnv } from "../lib/bounded-env.ts";
import { LIMITS } from "../lib/limits.ts";
import { regionOf } from "../lib/region.ts";
import { encodeError } from "../protocol/json-rpc.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import { hopsOf, type Isolate } from "../server/scope.ts";
import type { Tool } from "../tools/define-tool.ts";
import { adminAudit } from "./admin-audit.ts";
import { requireAdmin, type AdminEnv } from "./admin-auth.ts";
import { adminImports } from "./admin-imports.ts";
import { adminKeys } from "./admin-keys.ts";
import { adminLint } from "./admin-lint.ts";
import { adminSecrets } from "./admin-secrets.ts";
import { adminSessions } from "./admin-sessions.ts";
import { adminStats } from "./admin-stats.ts";
import { adminTools } from "./admin-tools.ts";
import { adminUpstreams } from "./admin-upstreams.ts";
import { serveConsole } from "./console-route.ts";
import { deleteSession, getEndpoint, methodNotAllowed } from "./endpoint-route.ts";
import type { Base } from "./exchange.ts";
import type { frontPage as FrontPage } from "./front-page.ts";
import { answerUnexpected, guard } from "./guards.ts";
import { answerHealth } from "./health.ts";
import type { health as Health } from "./health-route.ts";
import { refuseOrigin } from "./origin.ts";
import { postMessage } from "./post-route.ts";
import { HttpError, problem, problemOf } from "./problem.ts";
import { openSse, postSseMessage } from "./sse-route.ts";

/** Routes that say more than they must. */
export interface AppParts {
  /** What `GET /` shows; a line of text without it. */
  frontPage?: typeof FrontPage;
  /** What `GET /healthz` tells an admin key; that the server is well without it. */
  health?: typeof Health;
}

/** The app for a Worker with these tools in its code. */
export function createApp(
  isolate: Isolate,
  builtins: readonly Tool[],
  { frontPage, health }: AppParts = {},
): Hono<{ Bindings: Env }> {
  const app = new Hono<{ Bindings: Env }>({ strict: false });
  app.use(guardAnswer);
  app.use(async (c, next) => {
    c.env = boundedEnv(c.env);
    if (hopsOf(c.req.raw.headers) > LIMITS.hops) return loopDetected();
    const refusal = refuseOrigin(c.req.raw, c.env);
    if (refusal !== undefined) return forbidden(refusal);
    // A 101 is the hub's and can't be changed; a request without Origin is no browser's.
    const plain = c.req.header("origin") === undefined || c.req.header("upgrade") !== undefined;
    return plain ? next() : crossOrigin(c, next);
  });
  if (frontPage) app.route("/", frontPage(isolate));
  else app.get("/", ({ text }) => text(WELCOME));
  if (health) app.route("/healthz", health(isolate));
  else app.get("/healthz", ({ env }) => answerHealth(env));
  app.get("/console/*", serveConsole);
  app.post("/register", ({ json }) => json(NO_OAUTH, 400));
  for (const prefix of ["", "/k/:key"] as const) {
    mount(app, isolate, `${prefix}/mcp`, { POST: postMessage, GET: getEndpoint, DELETE: deleteSession });
    mount(app, isolate, `${prefix}/sse`, { GET: openSse });
    mount(app, isolate, `${prefix}/messages`, { POST: postSseMessage });
  }
  app.route("/admin/v1", createAdmin(isolate, builtins));
  app.onError(answerUnexpected);
  return app;
}

type Route = (base: Base, pathKey: string | undefined) => Promise<Response>;

function mount(
  app: Hono<{ Bindings: Env }>,
  isolate: Isolate,
  path: string,
  routes: Partial<Record<"POST" | "GET" | "DELETE", Route>>,
): void {
  app.all(path, ({ req, env, executionCtx, notFound }) => {
    const pathKey = req.param("key");
    const waitUntil = (work: Promise<unknown>): void => executionCtx.waitUntil(work);
    if (pathKey !== undefined && env.URL_KEYS === "off") return notFound();
    const route = routes[req.method as keyof typeof routes];
    isolate.snapshot.region ??= regionOf(req.raw.cf);
    const base = { isolate, env, waitUntil, request: req.raw, headers: req.raw.headers };
    return route ? route(base, pathKey) : methodNotAllowed(Object.keys(routes));
  });
}

/** A hub's 101 can't be changed, and leads nowhere. */
const guardAnswer = createMiddleware(async (c, next) => {
  await next();
  if (!c.res.webSocket) guard(c.res);
});

function createAdmin(isolate: Isolate, builtins: readonly Tool[]): Hono<AdminEnv> {
  const admin = new Hono<AdminEnv>();
  admin.use(requireAdmin(isolate));
  admin.route("/audit", adminAudit);
  admin.route("/imports", adminImports(builtins));
  admin.route("/keys", adminKeys);
  admin.route("/secrets", adminSecrets);
  admin.route("/sessions", adminSessions);
  admin.route("/stats", adminStats);
  admin.route("/tools", adminTools(builtins));
  admin.route("/upstreams", adminUpstreams(isolate));
  admin.route("/", adminLint(builtins));
  admin.all("*", ({ req }) => problem(new HttpError(404, "not_found", `There is no ${req.method} ${req.path}`)));
  admin.onError(problemOf);
  return admin;
}

const forbidden = (reason: string): Response => refuse(new ProtocolError(403, `Forbidden: ${reason}`));

/** RFC 5842, 508. A tool that reaches its own server by another name would call it for ever. */
const loopDetected = (): Response =>
  refuse(new ProtocolError(508, `Loop detected: at most ${LIMITS.hops} tool may call this server for another`));

const refuse = (error: ProtocolError): Response =>
  new Response(encodeError(null, error), {
    status: error.code,
    headers: { "content-type": "application/json" },
  });

/** For origins that were let in: any header may come (`Mcp-Param-*` has no list), and what the protocol says is read. */
const crossOrigin = cors({
  origin: (origin) => origin,
  allowMethods: ["GET", "POST", "DELETE", "OPTIONS"],
  exposeHeaders: [
    "Mcp-Session-Id",
    "MCP-Protocol-Version",
    "WWW-Authenticate",
    "Retry-After",
    "RateLimit",
    "RateLimit-Policy",
  ],
  maxAge: 7_200,
});

const WELCOME = "This is a toolgate server: MCP tools at /mcp, with an API key.\n";

const NO_OAUTH = {
  error: "invalid_request",
  error_description:
    "This server does not use OAuth. Send your API key as `Authorization: Bearer <key>` or `X-API-Key: <key>`.",
};
