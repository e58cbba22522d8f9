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
import { readHeaderKey } from "./credentials.ts";
import { HttpError } from "./problem.ts";

export function health(isolate: Isolate): Hono<AdminEnv> {
  const readFresh = createFreshStates();
  const readDetails = async (env: Env): Promise<object> => {
    const { checkedAt, objects } = await readFresh(env);
    const states = [...objects.registry, ...objects.auditLogs, ...objects.hubs];
    return {
      ...(states.some(({ state }) => state !== "ok") && { status: "degraded" }),
      revisions: REVISION_NAMES,
      catalogueVersion: isolate.snapshot.held?.version ?? null,
      ...(env.CF_VERSION_METADATA && { deployment: env.CF_VERSION_METADATA }),
      configured: configuredOf(env),
      checkedAt,
      objects,
    };
  };
  return new Hono<AdminEnv>().get("/", async (c) => {
    // Without its signing secret it knows nobody.
    if (!c.env.SIGNING_SECRET || readHeaderKey(c.req.raw.headers) === undefined) return answer(c.env, {});
    try {
      await requireAdmin(isolate)(c, async () => {
        c.res = answer(c.env, await readDetails(c.env));
      });
      return c.res;
    } catch (error) {
      // Whoever's key it is, or if it is none: that the server is well is for everybody.
      if (error instanceof HttpError) return answer(c.env, {});
      throw error;
    }
  });
}

function answer({ SIGNING_SECRET }: Env, details: object): Response {
  const status = SIGNING_SECRET ? "ok" : "misconfigured";
  const told = { status, name: SERVER.name, version: SERVER.version, ...details };
  return Response.json(told, { status: SIGNING_SECRET ? 200 : 503 });
}

/** What is there, never what it is. */
const configuredOf = (env: Env) => ({
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
