import { evictDurableObject, reset, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { registryStub } from "../../../src/env.ts";
import { LIMITS } from "../../../src/lib/limits.ts";
import { openSecret } from "../../../src/secrets/secret-box.ts";
import { openGate, readAnswer, type Gate } from "../../support/app.ts";
import { testEnv } from "../../support/counting-env.ts";

const SECRETS_KEY = "the-secrets-key-of-these-tests";
const VALUE = "s3cret-value";
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

afterEach(() => reset());

const open = (bindings: Record<string, string> = {}): Gate => openGate([], { SECRETS_KEY, ...bindings });
const registry = () => registryStub(testEnv);

const ask = async (gate: Gate, method: string, path: string, body?: unknown) =>
  readAnswer(await gate.admin(method, `/secrets${path}`, body));

const problem = (status: number, code: string, title: string, detail: unknown) => ({
  status,
  body: { type: "about:blank", title, status, code, detail },
});

describe("secrets", () => {
  it("are set, listed without their values, and deleted", async () => {
    const gate = open();
    const set = { status: 200, body: { name: "TOKEN", version: 1, setAt: TIME } };
    expect(await ask(gate, "PUT", "/TOKEN", { value: VALUE })).toEqual(set);
    expect(await ask(gate, "PUT", "/A", { value: VALUE })).toMatchObject({ body: { version: 2 } });
    expect(await ask(gate, "PUT", "/TOKEN", { value: "another value" })).toMatchObject({ body: { version: 3 } });
    expect(await ask(gate, "GET", "")).toEqual({
      status: 200,
      body: {
        secrets: [
          { name: "A", version: 2, setAt: TIME, sealedUnder: "current" },
          { name: "TOKEN", version: 3, setAt: TIME, sealedUnder: "current" },
        ],
      },
    });
    expect(await ask(gate, "DELETE", "/TOKEN")).toEqual({ status: 200, body: { name: "TOKEN", status: "deleted" } });
    const gone = problem(404, "not_found", "Not found", 'There is no secret "TOKEN"');
    expect(await ask(gate, "DELETE", "/TOKEN")).toEqual(gone);
    // A secret that is set again is told from the one before.
    expect(await ask(gate, "PUT", "/TOKEN", { value: VALUE })).toMatchObject({ body: { version: 4 } });
  });

  it("are stored sealed, and are there after an eviction", async () => {
    await ask(open(), "PUT", "/TOKEN", { value: VALUE });
    await evictDurableObject(registry() as unknown as DurableObjectStub);
    const { secrets } = await registry().readSecrets(["TOKEN", "OTHER"]);
    expect(secrets.map(({ name, version }) => ({ name, version }))).toEqual([{ name: "TOKEN", version: 1 }]);
    expect(await openSecret({ current: SECRETS_KEY }, "TOKEN", secrets[0]?.sealed ?? "")).toBe(VALUE);
    const rows = await runInDurableObject(registry() as unknown as DurableObjectStub, (_, { storage }) =>
      JSON.stringify(storage.sql.exec("SELECT * FROM secrets").toArray()),
    );
    expect(rows).not.toContain(VALUE);
  });

  it("are told by no route", async () => {
    const gate = open();
    await ask(gate, "PUT", "/TOKEN", { value: VALUE });
    for (const path of ["/secrets", "/secrets/TOKEN", "/tools", "/keys", "/sessions"]) {
      expect(await (await gate.admin("GET", path)).text()).not.toContain(VALUE);
    }
    expect(await ask(gate, "GET", "/TOKEN")).toMatchObject({ status: 404 });
  });

  it.each(["a-b", "1A", "A%20B", "__proto__%2F", "%C3%A9", "A".repeat(65), "reseal%0A"])(
    "can't be called %s",
    async (name) => {
      const answer = problem(
        400,
        "invalid_name",
        "Invalid name",
        "A secret's name must match ^[A-Za-z_][A-Za-z0-9_]{0,63}$",
      );
      expect(await ask(open(), "PUT", `/${name}`, { value: VALUE })).toEqual(answer);
      expect(await ask(open(), "DELETE", `/${name}`)).toEqual(answer);
    },
  );

  it.each([
    [{ value: "x".repeat(LIMITS.secretMinChars - 1) }, "value: expected at least 8 characters, received 7"],
    [{ value: "x".repeat(LIMITS.secretChars + 1) }, "value: expected at most 4096 characters, received 4097"],
    [{ value: 12_345_678 }, "value: expected text, received a number"],
    [{ value: "\ud800-lone-surrogate" }, "value: expected well-formed text"],
    [{ value: VALUE, more: 1 }, "body: expected no member but value"],
    [{ [VALUE]: VALUE }, "body: expected no member but value"],
    [{ value: { [VALUE]: 1 } }, "value: expected text, received an object"],
    [{}, expect.stringMatching(/^value: /)],
    [[VALUE], "body: expected an object"],
    [`{"value": "${VALUE}", "__proto__": 1}`, "body: expected no member but value"],
    [12_345_678, "body: expected an object"],
    [JSON.stringify(VALUE), "body: expected an object"],
    ["{", "The body must be JSON"],
  ])("can't be set to %#", async (body, detail) => {
    const answer = await ask(open(), "PUT", "/TOKEN", body);
    expect(answer).toEqual(problem(400, "invalid_body", "Invalid body", detail));
    expect(JSON.stringify(answer)).not.toMatch(`12345678|${VALUE}`);
  });

  it.each([LIMITS.secretMinChars, LIMITS.secretChars])("may have %i characters", async (chars) => {
    const { status } = await ask(open(), "PUT", "/TOKEN", { value: "x".repeat(chars) });
    expect(status).toBe(200);
  });

  it("may be so many", async () => {
    const gate = open();
    await ask(gate, "PUT", "/FIRST", { value: VALUE });
    await runInDurableObject(registry() as unknown as DurableObjectStub, (_, { storage }) => {
      for (let at = 1; at < LIMITS.secrets; at++) {
        storage.sql.exec("INSERT INTO secrets (name, version, set_at, sealed) VALUES (?, 9, 1, 'x')", `S${at}`);
      }
    });
    const full = problem(
      409,
      "too_many_secrets",
      "Too many secrets",
      "There are 200 secrets already, the most there can be",
    );
    expect(await ask(gate, "PUT", "/MORE", { value: VALUE })).toEqual(full);
    expect(await ask(gate, "PUT", "/FIRST", { value: VALUE })).toMatchObject({ status: 200 });
  });

  it.each([
    ["GET", ""],
    ["PUT", "/TOKEN"],
    ["DELETE", "/TOKEN"],
    ["POST", "/reseal"],
  ])("are off without SECRETS_KEY: %s %s", async (method, path) => {
    const detail = "SECRETS_KEY is not set: run `wrangler secret put SECRETS_KEY`";
    const answer = problem(503, "secrets_off", "Secrets are off", detail);
    expect(await ask(open({ SECRETS_KEY: "" }), method, path, method === "GET" ? undefined : { value: VALUE })).toEqual(
      answer,
    );
  });

  it("need an admin's key, and admin:read to be listed", async () => {
    const gate = open();
    const headers = async (scope: string) => ({ authorization: `Bearer ${await gate.mint({ scopes: [scope] })}` });
    const statusOf = async (method: string, scope: string) => {
      const body = method === "PUT" ? { value: VALUE } : undefined;
      return (await gate.admin(method, `/secrets${method === "PUT" ? "/A" : ""}`, body, await headers(scope))).status;
    };
    const scopes = ["mcp", "admin:read", "admin"];
    expect(await Promise.all(scopes.map((scope) => statusOf("GET", scope)))).toEqual([403, 200, 200]);
    expect(await Promise.all(scopes.map((scope) => statusOf("PUT", scope)))).toEqual([403, 403, 200]);
  });
});

describe("a rotation of SECRETS_KEY", () => {
  const NEXT = "the-next-secrets-key-of-these-tests";

  it("seals anew what the previous key sealed, and says what nobody can read", async () => {
    await ask(open({ SECRETS_KEY: "a-key-that-is-lost-by-now" }), "PUT", "/LOST", { value: VALUE });
    await ask(open(), "PUT", "/TOKEN", { value: VALUE });
    const rotated = open({ SECRETS_KEY: NEXT, SECRETS_KEY_PREVIOUS: SECRETS_KEY });
    await ask(rotated, "PUT", "/FRESH", { value: VALUE });
    const sealings = async () => {
      const { body } = await ask(rotated, "GET", "");
      return (body as { secrets: { sealedUnder: string }[] }).secrets.map(({ sealedUnder }) => sealedUnder);
    };
    expect(await sealings()).toEqual(["current", "unknown", "previous"]);
    const resealed = { status: 200, body: { resealed: ["TOKEN"], unreadable: ["LOST"] } };
    expect(await ask(rotated, "POST", "/reseal")).toEqual(resealed);
    expect(await sealings()).toEqual(["current", "unknown", "current"]);
    const { secrets } = await registry().readSecrets(["TOKEN"]);
    expect(await openSecret({ current: NEXT }, "TOKEN", secrets[0]?.sealed ?? "")).toBe(VALUE);
    // The value is the same, and so is its version.
    expect(secrets[0]?.version).toBe(2);
  });

  it("does not put an older value over one that was set in the meantime", async () => {
    await ask(open(), "PUT", "/TOKEN", { value: VALUE });
    expect(await registry().resealSecret("TOKEN", 0, "stale")).toBe(false);
    expect((await registry().readSecrets(["TOKEN"])).secrets[0]?.sealed).not.toBe("stale");
  });
});
