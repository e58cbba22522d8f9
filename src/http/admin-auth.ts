// Who may use the admin API: the admin key that the deployment knows by its hash, or a minted key with an admin scope.

import { createMiddleware } from "hono/factory";
import { apiKeyStub, type Env, type WaitUntil } from "../env.ts";
import { ADMIN_READ, ADMIN_WRITE, type Entrance, type KeyHandle } from "../keys/key-cache.ts";
import type { KeyFacts, KeyRecord } from "../keys/key-record.ts";
import { equalInConstantTime, sha256Hex } from "../lib/signing.ts";
import type { Isolate } from "../server/scope.ts";
import { readHeaderKey } from "./credentials.ts";
import { HttpError } from "./problem.ts";
import { setRateLimitFields } from "./rate-limit-fields.ts";

const READS = ["GET", "HEAD"];
const CHALLENGE = { "www-authenticate": 'Bearer realm="toolgate admin"' };

const UNAUTHORIZED = "An admin key is required: send it as `Authorization: Bearer <admin key>`";

/**
 * Lets through whoever may do what the method asks: `GET` with `admin:read`, anything else with `admin`. Changes are paid
 * for, by the deployment's admin key too, and wait until that can be counted.
 */
export const requireAdmin = (isolate: Isolate) =>
  createMiddleware<{ Bindings: Env }>(async (c, next) => {
    const { req, env, executionCtx } = c;
    const key = readHeaderKey(req.raw.headers);
    if (key === undefined) throw new HttpError(401, "unauthorized", UNAUTHORIZED, CHALLENGE);
    const isRead = READS.includes(req.method);
    const waitUntil: WaitUntil = (work) => executionCtx.waitUntil(work);
    const isRoot = await isRootKey(env, key);
    if (isRoot && isRead) return next();
    const entrance = isRoot
      ? await payAsRoot(isolate, env, waitUntil)
      : await payAsMinted(isolate, env, key, isRead, waitUntil);
    const { scopes } = factsOf(entrance);
    if (!scopes.includes("admin") && !(isRead && scopes.includes("admin:read"))) {
      throw new HttpError(403, "forbidden", `This key lacks the scope ${isRead ? "admin:read" : "admin"}`);
    }
    await next();
    setRateLimitFields(c.res.headers, entrance, Date.now());
  });

async function isRootKey({ ADMIN_KEY_HASH, ADMIN_KEY }: Env, key: string): Promise<boolean> {
  const expected = ADMIN_KEY_HASH || (ADMIN_KEY ? await sha256Hex(ADMIN_KEY) : undefined);
  return expected !== undefined && equalInConstantTime(await sha256Hex(key), expected.toLowerCase());
}

async function payAsMinted(
  isolate: Isolate,
  env: Env,
  key: string,
  isRead: boolean,
  waitUntil: WaitUntil,
): Promise<Entrance> {
  const verified = await isolate.keys.verify(env, key);
  if (verified?.place !== "header") throw new HttpError(401, "unauthorized", UNAUTHORIZED, CHALLENGE);
  return isolate.keys.admit(env, verified, isRead ? ADMIN_READ : ADMIN_WRITE, waitUntil);
}

/** The deployment's admin key as far as it is counted: no minted key has this id, so that nothing else is open to it. */
const ROOT: KeyHandle = { keyId: "root", digest: "root" };

async function payAsRoot(isolate: Isolate, env: Env, waitUntil: WaitUntil): Promise<Entrance> {
  const entrance = await isolate.keys.admit(env, ROOT, ADMIN_WRITE, waitUntil);
  if (entrance.status !== "refused") return entrance;
  await apiKeyStub(env, ROOT.keyId).create(rootRecord(Date.now()));
  isolate.keys.forget(ROOT);
  return isolate.keys.admit(env, ROOT, ADMIN_WRITE, waitUntil);
}

const rootRecord = (nowMs: number): KeyRecord => ({
  id: ROOT.keyId,
  name: "admin key",
  place: "header",
  digest: ROOT.digest,
  scopes: ["admin"],
  tools: {},
  calls: { perMinute: 1, burst: 1 },
  createdAtMs: nowMs,
});

/** What is known of a key that was let in. Throws a problem for one that was not. */
function factsOf(entrance: Entrance): KeyFacts {
  switch (entrance.status) {
    case "admitted":
      return entrance.facts;
    case "refused":
      throw new HttpError(401, "unauthorized", UNAUTHORIZED, CHALLENGE);
    case "limited": {
      const seconds = String(Math.max(1, Math.ceil(entrance.denial.retryAfterMs / 1000)));
      const headers = new Headers({ "retry-after": seconds });
      setRateLimitFields(headers, entrance, Date.now());
      const fields = Object.fromEntries(headers);
      throw new HttpError(429, "rate_limited", `Too many requests: retry in ${seconds} s`, fields);
    }
    case "unavailable":
      throw new HttpError(503, "unavailable", "The key can't be checked right now", { "retry-after": "2" });
  }
}
