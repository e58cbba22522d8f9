// Who may use the admin API: the admin key that the deployment knows by its hash, or a minted key with an admin scope.

import { createMiddleware } from "hono/factory";
import { ADMIN_KEY_HOLDER } from "../audit/admin-log.ts";
import type { Env } from "../env.ts";
import type { KeyFacts } from "../keys/key-record.ts";
import { equalInConstantTime, sha256Hex } from "../lib/signing.ts";
import type { Isolate } from "../server/scope.ts";
import { readHeaderKey } from "./credentials.ts";
import { HttpError } from "./problem.ts";

/** What an admin route gets with its request: `who` asks, as the audit trail names them. */
export interface AdminEnv {
  Bindings: Env;
  Variables: { who: string };
}

const READS = ["GET", "HEAD"];
const CHALLENGE = { "www-authenticate": 'Bearer realm="toolgate admin"' };

const UNAUTHORIZED = "An admin key is required: send it as `Authorization: Bearer <admin key>`";

/** Lets through whoever may do what the method asks: `GET` with `admin:read`, anything else with `admin`. */
export const requireAdmin = (isolate: Isolate) =>
  createMiddleware<AdminEnv>(async ({ req, env, executionCtx, set }, next) => {
    const key = readHeaderKey(req.raw.headers);
    if (key === undefined) throw new HttpError(401, "unauthorized", UNAUTHORIZED, CHALLENGE);
    set("who", ADMIN_KEY_HOLDER);
    if (!(await isRootKey(env, key))) {
      const { keyId, scopes } = await factsOf(isolate, env, key, (work) => executionCtx.waitUntil(work));
      set("who", keyId);
      const mayRead = READS.includes(req.method) && scopes.includes("admin:read");
      if (!mayRead && !scopes.includes("admin")) {
        throw new HttpError(
          403,
          "forbidden",
          `This key lacks the scope ${READS.includes(req.method) ? "admin:read" : "admin"}`,
        );
      }
    }
    await next();
  });

async function isRootKey({ ADMIN_KEY_HASH, ADMIN_KEY }: Env, key: string): Promise<boolean> {
  const expected = ADMIN_KEY_HASH || (ADMIN_KEY ? await sha256Hex(ADMIN_KEY) : undefined);
  return expected !== undefined && equalInConstantTime(await sha256Hex(key), expected.toLowerCase());
}

async function factsOf(
  isolate: Isolate,
  env: Env,
  key: string,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<KeyFacts> {
  const verified = await isolate.keys.verify(env, key);
  if (verified?.place !== "header") throw new HttpError(401, "unauthorized", UNAUTHORIZED, CHALLENGE);
  const admission = await isolate.keys.admit(env, verified, "control", waitUntil);
  switch (admission.status) {
    case "admitted":
      return admission.facts;
    case "refused":
      throw new HttpError(401, "unauthorized", UNAUTHORIZED, CHALLENGE);
    case "limited": {
      const seconds = String(Math.max(1, Math.ceil(admission.retryAfterMs / 1000)));
      throw new HttpError(429, "rate_limited", `Too many requests: retry in ${seconds} s`, { "retry-after": seconds });
    }
    case "unavailable":
      throw new HttpError(503, "unavailable", "The key can't be checked right now", { "retry-after": "2" });
  }
}
