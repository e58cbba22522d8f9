// `/admin/v1/keys`: a key's object holds the truth, the registry's index lists it.

import { Hono } from "hono";
import { apiKeyStub, registryStub, signingSecrets } from "../env.ts";
import { isKeyId, mintKey } from "../keys/key-format.ts";
import { KeyInputSchema, statusOf, type KeyInput, type KeyRecord, type KeyStatus } from "../keys/key-record.ts";
import { LIMITS } from "../lib/limits.ts";
import { keyTag } from "../sessions/hub-contract.ts";
import type { KeyRow } from "../registry/registry-contract.ts";
import type { AdminEnv } from "./admin-auth.ts";
import { parseAdminBody } from "./admin-body.ts";
import { HttpError } from "./problem.ts";

export const adminKeys = new Hono<AdminEnv>()
  .post("/", async ({ req, env, var: { who }, json }) => {
    const input = await parseAdminBody(req.raw, KeyInputSchema);
    const { key, ...minted } = await mintKey(signingSecrets(env), input.urlKey ? "url" : "header");
    const record = toRecord(input, minted, Date.now());
    // The index first: a key that no list shows must not exist. Until its object is written it opens nothing.
    if (!(await registryStub(env).addKey(toRow(record), who))) {
      throw new HttpError(409, "too_many_keys", `There are ${LIMITS.keys} keys already, the most there can be`);
    }
    await apiKeyStub(env, record.id).create(record);
    return json({ key, ...toView(record, "active") }, 201, NO_STORE);
  })
  .get("/", async ({ req, env, json }) => {
    const { keys, next } = await registryStub(env).readKeys(req.query("cursor") ?? "", LIMITS.keyPageItems);
    const nowMs = Date.now();
    return json({ keys: keys.map((row) => toListed(row, nowMs)), ...(next !== undefined && { nextCursor: next }) });
  })
  .get("/:id", async ({ req, env, json }) => {
    const found = await apiKeyStub(env, parseKeyId(req.param("id"))).read();
    if (!found) throw noKey(req.param("id"));
    return json(toView(found.record, found.status));
  })
  .delete("/:id", async ({ req, env, var: { who }, json }) => {
    const id = parseKeyId(req.param("id"));
    const existed = await apiKeyStub(env, id).revoke();
    // Listed but without an object: its creation was cut short, and this is how to be rid of it.
    if (!(await registryStub(env).markKeyRevoked(id, Date.now(), who)) && !existed) throw noKey(id);
    await registryStub(env).closeSockets(keyTag(id));
    return json({ id, status: "revoked" });
  });

const NO_STORE = { "cache-control": "no-store" };

const noKey = (id: string): HttpError => new HttpError(404, "not_found", `There is no key ${JSON.stringify(id)}`);

function parseKeyId(id: string): string {
  if (!isKeyId(id)) throw noKey(id.slice(0, LIMITS.keyChars));
  return id;
}

function toRecord(
  input: KeyInput,
  minted: { keyId: string; place: KeyRecord["place"]; digest: string },
  nowMs: number,
): KeyRecord {
  const { name, scopes, tools, limits, expiresAt } = input;
  const { keyId, place, digest } = minted;
  return {
    id: keyId,
    name,
    place,
    digest,
    scopes,
    tools,
    calls: { perMinute: limits.perMinute, burst: limits.burst ?? limits.perMinute },
    createdAtMs: nowMs,
    ...(expiresAt !== undefined && { expiresAtMs: Date.parse(expiresAt) }),
  };
}

const toRow = ({ id, name, place, scopes, createdAtMs, expiresAtMs }: KeyRecord): KeyRow => ({
  id,
  name,
  urlKey: place === "url",
  scopes,
  createdAtMs,
  ...(expiresAtMs !== undefined && { expiresAtMs }),
});

/** What the API says of a key: everything but its digest. */
const toView = (record: KeyRecord, status: KeyStatus) => ({
  ...toListedRow(toRow(record), status),
  ...(record.revokedAtMs !== undefined && { revokedAt: toIso(record.revokedAtMs) }),
  tools: record.tools,
  limits: record.calls,
});

const toListed = (row: KeyRow, nowMs: number) => ({
  ...toListedRow(row, statusOf(row, nowMs)),
  ...(row.revokedAtMs !== undefined && { revokedAt: toIso(row.revokedAtMs) }),
});

const toListedRow = ({ id, name, urlKey, scopes, createdAtMs, expiresAtMs }: KeyRow, status: KeyStatus) => ({
  id,
  name,
  status,
  urlKey,
  scopes,
  createdAt: toIso(createdAtMs),
  ...(expiresAtMs !== undefined && { expiresAt: toIso(expiresAtMs) }),
});

const toIso = (ms: number): string => new Date(ms).toISOString();
