// A key is made in two places, its object and the registry's list: in both or in neither, whatever comes between.

import { evictDurableObject, reset, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { apiKeyStub, registryStub, signingSecrets, type Env } from "../../src/env.ts";
import { mintKey } from "../../src/keys/key-format.ts";
import type { KeyRecord } from "../../src/keys/key-record.ts";
import { toKeyRow } from "../../src/keys/key-row.ts";
import { openGate, request, type Gate } from "../support/app.ts";
import { bindObject } from "../support/bind-object.ts";
import { testEnv } from "../support/counting-env.ts";
import { losingEnv } from "../support/lost-calls.ts";
import { narrow } from "../support/narrow.ts";

afterEach(() => reset());

const objectOf = (id: string): DurableObjectStub => apiKeyStub(testEnv, id) as unknown as DurableObjectStub;

/** A key that nobody has made yet. */
async function draft(): Promise<{ key: string; record: KeyRecord }> {
  const { key, keyId, digest } = await mintKey(signingSecrets(testEnv), "header");
  const calls = { perMinute: 60, burst: 60 };
  const record: KeyRecord = {
    id: keyId,
    name: "new",
    place: "header",
    digest,
    scopes: ["mcp"],
    tools: {},
    calls,
    createdAtMs: 1,
  };
  return { key, record };
}

/** Has a key made by its object, which asks this registry, until it is evicted. */
async function create(record: KeyRecord, registry: Partial<Env>) {
  await bindObject(objectOf(record.id), registry);
  return apiKeyStub(testEnv, record.id).createListed(record, "admin");
}

/** What a key is after all that was to come: how it is listed, what is recorded of it, and whether it opens. */
async function seen(gate: Gate, { key, record }: { key: string; record: KeyRecord }) {
  const { keys } = await (await gate.admin("GET", "/keys")).json<{ keys: { id: string; status: string }[] }>();
  const { rows } = await (
    await gate.admin("GET", "/audit?kind=admin")
  ).json<{ rows: { action: string; target: string; outcome: string }[] }>();
  const acts = rows.filter(({ target }) => target === record.id).map(({ action, outcome }) => `${action} ${outcome}`);
  const { status } = await gate.caller(key).post(request("ping"));
  return { listed: keys.find(({ id }) => id === record.id)?.status, acts: acts.toReversed(), status };
}

async function wake(id: string): Promise<void> {
  await evictDurableObject(objectOf(id));
  await runDurableObjectAlarm(objectOf(id));
}

describe("a key whose making is cut short", () => {
  it.each([
    ["before it is listed", "request", undefined, ["key.revoke changed"]],
    ["after it was listed", "answer", "active", ["key.create changed", "key.revoke changed"]],
  ] as const)("%s opens nothing, and is not listed as if it did", async (_, what, listed, acts) => {
    const gate = openGate();
    const made = await draft();
    const { env, lose } = losingEnv();
    lose("TOOL_REGISTRY", "addKey", what);
    const outcome = await create(made.record, env);
    const before = await seen(gate, made);
    await wake(made.record.id);
    const after = await seen(gate, made);
    await runDurableObjectAlarm(objectOf(made.record.id));
    expect({ outcome, before, after, again: await seen(gate, made) }).toEqual({
      outcome: { v: 1, outcome: "behind" },
      before: { listed, acts: acts.slice(0, -1), status: 401 },
      after: { listed: "revoked", acts, status: 401 },
      again: after,
    });
  });

  it("is not listed anew by what comes late, and made by nobody again", async () => {
    const gate = openGate();
    const made = await draft();
    const { env, lose } = losingEnv();
    lose("TOOL_REGISTRY", "addKey", "request");
    await create(made.record, env);
    await wake(made.record.id);
    await registryStub(testEnv).addKey(toKeyRow(made.record), "admin");
    const again = await apiKeyStub(testEnv, made.record.id).createListed(made.record, "admin");
    expect([again.outcome, await seen(gate, made)]).toEqual([
      "behind",
      { listed: "revoked", acts: ["key.revoke changed"], status: 401 },
    ]);
  });

  it("is told to the operator, who is given no key", async () => {
    const { env, lose } = losingEnv();
    lose("API_KEY", "createListed", "answer");
    const response = await openGate(undefined, env).admin("POST", "/keys", { name: "new" });
    expect([response.status, Object.keys(await response.json<object>()).includes("key")]).toEqual([503, false]);
  });
});

describe("a key that is made", () => {
  it("is listed, recorded and opens, once, however often it is asked for", async () => {
    const gate = openGate();
    const made = await draft();
    const stub = apiKeyStub(testEnv, made.record.id);
    const outcomes = [await stub.createListed(made.record, "admin"), await stub.createListed(made.record, "admin")];
    const now = await seen(gate, made);
    await wake(made.record.id);
    expect({ outcomes, now, later: await seen(gate, made) }).toEqual({
      outcomes: [
        { v: 1, outcome: "created" },
        { v: 1, outcome: "created" },
      ],
      now: { listed: "active", acts: ["key.create changed"], status: 200 },
      later: now,
    });
  });

  it("leaves nothing behind where there are too many", async () => {
    const gate = openGate();
    await gate.mint();
    narrow({ keys: 1 });
    const made = await draft();
    const outcome = await apiKeyStub(testEnv, made.record.id).createListed(made.record, "admin");
    expect([outcome, await apiKeyStub(testEnv, made.record.id).read(), await seen(gate, made)]).toEqual([
      { v: 1, outcome: "too_many_keys" },
      undefined,
      { listed: undefined, acts: ["key.create too_many_keys"], status: 401 },
    ]);
    expect(await runDurableObjectAlarm(objectOf(made.record.id))).toBe(false);
  });
});
