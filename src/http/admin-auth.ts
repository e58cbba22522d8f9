// Who may use the admin API: the admin key that the deployment knows by its hash, or a minted key with an admin scope.

import { createMiddleware } from "hono/factory";
import { ADMIN_KEY_HOLDER } from "../audit/admin-act.ts";
import { apiKeyStub, type Env, type WaitUntil } from "../env.ts";
import { ADMIN_READ, ADMIN_WRITE, type Entrance, type KeyHandle } from "../keys/key-cache.ts";
import type { KeyFacts, KeyRecord } from "../keys/key-record.ts";
import { equalInConstantTime, sha256Hex } from "../lib/signing.ts";
import type { Isolate } from "../server/scope.ts";
import { identify, readHeaderKey, TOO_MANY_REFUSED } from "./credentials.ts";
import { HttpError } from "./problem.ts";
import { setRateLimitFields } from "./rate-limit-fields.ts";

/** What an admin route gets with its request: `who` asks, as the audit trail names them. */
export interface AdminEnv {
  Bindings: Env;
  Variables: { who: string };
}

const READS = ["GET", "HEAD"];
const CHALLENGE = { "www-authenticate": 'Bearer realm="toolgate admin"' };

const MISSING = "An admin key is required: send it as `Authorization: Bearer <admin key>`";
// The same for all: what is wrong with a key is for nobody to find out.
const REFUSED =
  "The key that was sent does not open the admin API here: expected this deployment's admin key, or a key with the scope admin or admin:read";

/**
 * Lets through whoever may do what the method asks: `GET` with `admin:read`, anything else with `admin`. Changes are paid
 * for, by the deployment's admin key too, and wait until that can be counted.
 */
export const requireAdmin = (isolate: Isolate) =>
  createMiddleware<AdminEnv>(async (c, next) => {
    const { req, env, executionCtx } = c;
    const key = readHeaderKey(req.raw.headers);
    if (key === undefined) throw new HttpError(401, "unauthorized", MISSING, CHALLENGE);
    const isRead = READS.includes(req.method);
    const waitUntil: WaitUntil = (work) => executionCtx.waitUntil(work);
    const isRoot = await isRootKey(env, key);
    c.set("who", ADMIN_KEY_HOLDER);
    if (isRoot && isRead) return next();
    const price = isRead ? ADMIN_READ : ADMIN_WRITE;
    const entrance = isRoot
      ? await payAsRoot(isolate, env, waitUntil)
      : await isolate.keys.admit(env, await findMinted(isolate, env, req.raw.headers, key), price, waitUntil);
    const { keyId, scopes } = factsOf(entrance);
    if (!isRoot) c.set("who", keyId);
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

async function findMinted(isolate: Isolate, env: Env, headers: Headers, key: string): Promise<KeyHandle> {
  const identified = await identify(isolate, env, headers, key);
  if ("waitMs" in identified) throw tooEarly(identified.waitMs, TOO_MANY_REFUSED);
  if ("key" in identified && identified.key.place === "header") return identified.key;
  throw new HttpError(401, "unauthorized", REFUSED, CHALLENGE);
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
      throw new HttpError(401, "unauthorized", REFUSED, CHALLENGE);
    case "limited": {
      const headers = new Headers();
      setRateLimitFields(headers, entrance, Date.now());
      throw tooEarly(entrance.denial.retryAfterMs, "Too many requests", headers);
    }
    case "unavailable":
      throw new HttpError(503, "unavailable", "The key can't be checked right now", { "retry-after": "2" });
  }
}

function tooEarly(waitMs: number, reason: string, headers: Headers = new Headers()): HttpError {
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1000)));
  const fields = { ...Object.fromEntries(headers), "retry-after": seconds };
  return new HttpError(429, "rate_limited", `${reason}: retry in ${seconds} s`, fields);
}
