// `/admin/v1/keys`: a key's object holds the truth, the registry's index lists it.

import { Hono } from "hono";
import { apiKeyStub, registryStub, signingSecrets } from "../env.ts";
import { isKeyId, mintKey, placeOf } from "../keys/key-format.ts";
import { createRecord, KeyChangeSchema, KeyInputSchema, RotationSchema } from "../keys/key-input.ts";
import { livePriors } from "../keys/key-record.ts";
import { statusOf, type KeyOutcome, type KeyRecord, type KeyStatus } from "../keys/key-record.ts";
import { toKeyRow } from "../keys/key-row.ts";
import { LIMITS } from "../lib/limits.ts";
import { askAgain } from "../lib/out-of-reach.ts";
import { keyTag } from "../sessions/hub-contract.ts";
import type { KeyRow } from "../registry/registry-contract.ts";
import { logFailure } from "../telemetry/log.ts";
import type { AdminEnv } from "./admin-auth.ts";
import { parseAdminBody } from "./admin-body.ts";
import { HttpError } from "./problem.ts";

export const adminKeys = new Hono<AdminEnv>()
  .post("/", async ({ req, env, var: { who }, json }) => {
    const input = await parseAdminBody(req.raw, KeyInputSchema);
    const { key, ...minted } = await mintKey(signingSecrets(env), input.urlKey ? "url" : "header");
    const record = createRecord(input, minted, Date.now());
    const { outcome } = await askAgain(() => apiKeyStub(env, record.id, record.region).createListed(record, who));
    if (outcome === "too_many_keys") {
      throw new HttpError(409, "too_many_keys", `There are ${LIMITS.keys} keys already, the most there can be`);
    }
    if (outcome === "behind") throw new HttpError(503, "unavailable", NOT_LISTED, { "retry-after": "5" });
    return json({ key, ...toView({ record, status: "active", usedToday: 0 }) }, 201);
  })
  .get("/", async ({ req, env, json }) => {
    const { keys, next } = await registryStub(env).readKeys(req.query("cursor") ?? "", LIMITS.keyPageItems);
    const nowMs = Date.now();
    return json({ keys: keys.map((row) => toListed(row, nowMs)), ...(next !== undefined && { nextCursor: next }) });
  })
  .get("/:id", async ({ req, env, json }) => {
    const found = await apiKeyStub(env, parseKeyId(req.param("id"))).read();
    if (!found) throw noKey(req.param("id"));
    return json(toView(found));
  })
  .patch("/:id", async ({ req, env, var: { who }, json }) => {
    const id = parseKeyId(req.param("id"));
    const change = await parseAdminBody(req.raw, KeyChangeSchema);
    const act = { who, action: "key.change", detail: change } as const;
    return json(toView(doneOf(id, await askAgain(() => apiKeyStub(env, id).change(change, act)))));
  })
  .post("/:id/rotate", async ({ req, env, var: { who }, json }) => {
    const id = parseKeyId(req.param("id"));
    const { overlapSeconds } = await parseAdminBody(req.raw, RotationSchema);
    const { key, digest } = await mintKey(signingSecrets(env), placeOf(id), id);
    const overlapMs = overlapSeconds * 1000;
    const act = { who, action: "key.rotate", detail: { overlapSeconds } } as const;
    const rotated = doneOf(id, await apiKeyStub(env, id).rotate({ digest, overlapMs }, act));
    return json({ key, ...toView(rotated) });
  })
  .delete("/:id", async ({ req, env, var: { who }, json }) => {
    const id = parseKeyId(req.param("id"));
    const existed = await askAgain(() => apiKeyStub(env, id).revoke({ who, action: "key.revoke" }));
    // Listed but without an object: made by older code, which was cut short.
    if (!existed && !(await registryStub(env).markKeyRevoked(id, Date.now(), who))) throw noKey(id);
    // Its object sees to that too, by alarm: the key is revoked, whether or not this goes through.
    await registryStub(env)
      .closeSockets(keyTag(id))
      .catch((error: unknown) => logFailure("close_failed", id, error));
    return json({ id, status: "revoked" });
  });

const noKey = (id: string): HttpError => new HttpError(404, "not_found", `There is no key ${JSON.stringify(id)}`);

function parseKeyId(id: string): string {
  if (!isKeyId(id)) throw noKey(id.slice(0, LIMITS.keyChars));
  return id;
}

/** What a key's object did. Throws a problem when it could not. */
function doneOf(id: string, outcome: KeyOutcome): Extract<KeyOutcome, { outcome: "done" }> {
  switch (outcome.outcome) {
    case "done":
      return outcome;
    case "unknown":
      throw noKey(id);
    case "revoked":
      throw new HttpError(409, "key_revoked", `The key ${JSON.stringify(id)} is revoked, which can't be undone`);
    case "behind":
      throw new HttpError(503, "unavailable", BEHIND, { "retry-after": "5" });
    case "too_many_tool_limits":
      throw new HttpError(400, "invalid_body", `limits.tools: expected at most ${LIMITS.keyToolLimits} globs in all`);
    case "no_rate":
      throw new HttpError(
        400,
        "invalid_body",
        `limits.tools.${outcome.glob}.perMinute: expected a number, as there is no limit on these tools yet`,
      );
    case "too_many_secrets":
      throw new HttpError(
        409,
        "too_many_secrets",
        `${LIMITS.keyPriorSecrets} earlier secrets of this key still work, the most there can be; overlapSeconds 0 ends them`,
      );
  }
}

const NOT_LISTED = "The key could not be listed: it was revoked, and is listed as that if at all";
const BEHIND = "What was done with this key before can't be recorded right now: nothing was changed";

interface KeyState {
  record: KeyRecord;
  status: KeyStatus;
  usedToday: number;
}

/** What the API says of a key: everything but its digests. */
const toView = ({ record, status, usedToday }: KeyState) => ({
  ...toListedRow(toKeyRow(record), status),
  ...(record.revokedAtMs !== undefined && { revokedAt: toIso(record.revokedAtMs) }),
  tools: record.tools,
  ...(record.perDay !== undefined && { usedToday }),
  ...(record.region !== undefined && { region: record.region }),
  ...previousEnd(record),
});

/** When the last of the earlier secrets ends, while one still works. */
function previousEnd(record: KeyRecord): { previousEndsAt?: string } {
  const ends = livePriors(record, Date.now()).map(({ endsAtMs }) => endsAtMs);
  return ends.length > 0 ? { previousEndsAt: toIso(Math.max(...ends)) } : {};
}

const toListed = (row: KeyRow, nowMs: number) => ({
  ...toListedRow(row, statusOf(row, nowMs)),
  ...(row.revokedAtMs !== undefined && { revokedAt: toIso(row.revokedAtMs) }),
});

const toListedRow = (row: KeyRow, status: KeyStatus) => {
  const { id, name, urlKey, scopes, createdAtMs, expiresAtMs, discovery, limits } = row;
  return {
    id,
    name,
    status,
    urlKey,
    scopes,
    createdAt: toIso(createdAtMs),
    ...(expiresAtMs !== undefined && { expiresAt: toIso(expiresAtMs) }),
    ...(discovery && { discovery }),
    ...(limits && { limits }),
  };
};

const toIso = (ms: number): string => new Date(ms).toISOString();
