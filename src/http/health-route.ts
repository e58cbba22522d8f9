// `GET /healthz`: whether the server is well. Strangers are told that and what it is, by no more than a look at the
// configuration; an admin key is told how the objects are, which asks them at most once in a few seconds.

import { Hono } from "hono";
import type { Env } from "../env.ts";
import { REVISION_NAMES } from "../protocol/revisions.ts";
import { SERVER } from "../protocol/server-info.ts";
import { readObjects, type ObjectStates } from "../server/object-states.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Isolate } from "../server/scope.ts";
import { requireAdmin, type AdminEnv } from "./admin-auth.ts";
import { problemOf } from "./problem.ts";

export function health(isolate: Isolate): Hono<AdminEnv> {
  const app = new Hono<AdminEnv>();
  const readFresh = createFreshStates();
  app.onError(problemOf);
  app.use(async (c, next) => {
    const headers = c.req.raw.headers;
    if (headers.has("authorization") || headers.has("x-api-key")) return requireAdmin(isolate)(c, next);
    return answer(c.env, {});
  });
  app.get("/", async ({ env }) => {
    const { checkedAt, objects } = await readFresh(env);
    const states = [...objects.registry, ...objects.auditLogs, ...objects.hubs];
    const isWell = states.every(({ state }) => state === "ok");
    return answer(env, {
      ...(!isWell && { status: "degraded" }),
      revisions: REVISION_NAMES,
      catalogueVersion: isolate.snapshot.held?.version ?? null,
      ...(env.CF_VERSION_METADATA && { deployment: env.CF_VERSION_METADATA }),
      configured: configuredOf(env),
      checkedAt,
      objects,
    });
  });
  return app;
}

function answer(env: Env, details: object): Response {
  const isSound = Boolean(env.SIGNING_SECRET);
  const status = isSound ? "ok" : "misconfigured";
  const told = { status, name: SERVER.name, version: SERVER.version };
  const body = isSound ? { ...told, ...details } : { ...told, ...details, status };
  return Response.json(body, { status: isSound ? 200 : 503, headers: { "cache-control": "no-store" } });
}

/** What is there, never what it is. */
const configuredOf = (env: Env) => ({
  signingSecret: Boolean(env.SIGNING_SECRET),
  previousSigningSecret: Boolean(env.SIGNING_SECRET_PREVIOUS),
  adminKeyHash: Boolean(env.ADMIN_KEY_HASH),
  secretsKey: Boolean(env.SECRETS_KEY),
  codeTools: env.LOADER !== undefined,
  strangersCeiling: env.STRANGERS !== undefined,
  auditAnalytics: env.AUDIT_ANALYTICS !== undefined,
  auditQueue: env.AUDIT_QUEUE !== undefined,
});

interface FreshStates {
  checkedAt: string;
  objects: ObjectStates;
}

function createFreshStates(): (env: Env) => Promise<FreshStates> {
  let last: (FreshStates & { atMs: number }) | undefined;
  return async (env) => {
    const nowMs = Date.now();
    if (last && nowMs - last.atMs < LIMITS.healthFreshMs) return last;
    const objects = await readObjects(env);
    return (last = { atMs: nowMs, checkedAt: new Date(nowMs).toISOString(), objects });
  };
}
