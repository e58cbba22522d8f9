// `GET /healthz` with more for an admin key: how the objects are, which asks them at most once in a few seconds. Strangers
// are told no more than that the server is well. A part of the Worker that may be left out.

import { Hono } from "hono";
import type { Env } from "../env.ts";
import { REVISION_NAMES } from "../protocol/revisions.ts";
import { readObjects, type ObjectStates } from "../server/object-states.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Isolate } from "../server/scope.ts";
import { requireAdmin, type AdminEnv } from "./admin-auth.ts";
import { readHeaderKey } from "./credentials.ts";
import { answerHealth } from "./health.ts";
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
    if (!c.env.SIGNING_SECRET || readHeaderKey(c.req.raw.headers) === undefined) return answerHealth(c.env, {});
    try {
      await requireAdmin(isolate)(c, async () => {
        c.res = answerHealth(c.env, await readDetails(c.env));
      });
      return c.res;
    } catch (error) {
      // Whoever's key it is, or if it is none: that the server is well is for everybody.
      if (error instanceof HttpError) return answerHealth(c.env, {});
      throw error;
    }
  });
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
