// `/admin/v1/secrets`: values go in and never come out. Sealed here: the registry stores and never opens them.

import { Hono } from "hono";
import * as v from "valibot";
import { registryStub, type Env } from "../env.ts";
import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { openSecret, sealedUnder, sealSecret, type SecretsKeys } from "../secrets/secret-box.ts";
import { SECRET_NAME } from "../secrets/secret-name.ts";
import { secretsKeys } from "../secrets/secrets-keys.ts";
import type { AdminEnv } from "./admin-auth.ts";
import { parseAdminBody } from "./admin-body.ts";
import { HttpError } from "./problem.ts";

// Nothing of what was sent may be in a message: the value may stand anywhere, even as a member's name.
const SecretInputSchema = v.pipe(
  v.unknown(),
  v.check(isJsonObject, "expected an object"),
  v.check(
    (input) => Object.keys(input as JsonObject).every((name) => name === "value"),
    "expected no member but value",
  ),
  v.object({
    value: v.pipe(
      v.string("expected text"),
      v.minLength(LIMITS.secretMinChars, `expected at least ${LIMITS.secretMinChars} characters`),
      v.maxLength(LIMITS.secretChars, `expected at most ${LIMITS.secretChars} characters`),
      v.check((value) => value.isWellFormed(), "expected well-formed text"),
    ),
  }),
);

export const adminSecrets = new Hono<AdminEnv>()
  .get("/", async ({ env, json }) => {
    const keys = requireKeys(env);
    const { secrets } = await registryStub(env).readSecrets();
    const views = secrets.map(async ({ name, version, setAtMs, sealed }) => ({
      name,
      version,
      setAt: new Date(setAtMs).toISOString(),
      sealedUnder: await sealedUnder(keys, sealed),
    }));
    return json({ secrets: await Promise.all(views) });
  })
  .post("/reseal", async ({ env, var: { who }, json }) => json(await resealAll(env, requireKeys(env), who)))
  .put("/:name", async ({ req, env, var: { who }, json }) => {
    const keys = requireKeys(env);
    const name = parseName(req.param("name"));
    const { value } = await parseAdminBody(req.raw, SecretInputSchema);
    const nowMs = Date.now();
    const written = await registryStub(env).writeSecret(name, await sealSecret(keys, name, value), nowMs, who);
    if (written.outcome === "full")
      throw new HttpError(
        409,
        "too_many_secrets",
        `There are ${LIMITS.secrets} secrets already, the most there can be`,
      );
    return json({ name, version: written.version, setAt: new Date(nowMs).toISOString() });
  })
  .delete("/:name", async ({ req, env, var: { who }, json }) => {
    requireKeys(env);
    const name = parseName(req.param("name"));
    if (!(await registryStub(env).deleteSecret(name, who)))
      throw new HttpError(404, "not_found", `There is no secret ${JSON.stringify(name)}`);
    return json({ name, status: "deleted" });
  });

function requireKeys(env: Env): SecretsKeys {
  const keys = secretsKeys(env);
  if (typeof keys === "string") throw new HttpError(503, "secrets_off", keys);
  return keys;
}

function parseName(name: string): string {
  if (SECRET_NAME.test(name)) return name;
  throw new HttpError(400, "invalid_name", `A secret's name must match ${SECRET_NAME.source}`);
}

/** Seals anew under the current key what the previous one sealed, so that the previous one can go. */
async function resealAll(
  env: Env,
  keys: SecretsKeys,
  who: string,
): Promise<{ resealed: string[]; unreadable: string[] }> {
  const { secrets } = await registryStub(env).readSecrets();
  const outcomes = await Promise.all(
    secrets.map(async ({ name, version, sealed }) => {
      if ((await sealedUnder(keys, sealed)) === "current") return { name, outcome: "kept" };
      const value = await openSecret(keys, name, sealed);
      if (value === undefined) return { name, outcome: "unreadable" };
      // One that was set in the meantime is sealed under the current key anyway.
      const isDone = await registryStub(env).resealSecret(name, version, await sealSecret(keys, name, value), who);
      return { name, outcome: isDone ? "resealed" : "kept" };
    }),
  );
  const named = (wanted: string): string[] =>
    outcomes.flatMap(({ name, outcome }) => (outcome === wanted ? [name] : []));
  return { resealed: named("resealed"), unreadable: named("unreadable") };
}
