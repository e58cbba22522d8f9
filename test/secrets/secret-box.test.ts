import { describe, expect, test } from "vitest";
import { openSecret, sealedUnder, sealSecret } from "../../src/secrets/secret-box.ts";
import { secretsKeys } from "../../src/secrets/secrets-keys.ts";
import { testEnv } from "../support/counting-env.ts";

const OLD = { current: "an-old-key-of-this-test" };
const NEW = { current: "a-new-key-of-this-test!" };
const BOTH = { ...NEW, previous: OLD.current };

const change = (sealed: string, at: number): string => {
  const char = sealed.at(at) === "A" ? "B" : "A";
  return sealed.slice(0, at) + char + sealed.slice(at + 1);
};

describe("a sealed secret", () => {
  test.each(["a", "s3cret é 😀\n", "x".repeat(4_096)])("opens under its name: %#", async (value) => {
    const sealed = await sealSecret(NEW, "TOKEN", value);
    expect(sealed).toMatch(/^1\.[\w-]{8}\.[\w-]{16}\.[\w-]+$/);
    expect(await openSecret(NEW, "TOKEN", sealed)).toBe(value);
  });

  test("opens under no other name and with no other key", async () => {
    const sealed = await sealSecret(NEW, "TOKEN", "s3cret");
    expect(await openSecret(NEW, "OTHER", sealed)).toBeUndefined();
    expect(await openSecret(OLD, "TOKEN", sealed)).toBeUndefined();
  });

  test("is another one each time", async () => {
    expect(await sealSecret(NEW, "TOKEN", "s3cret")).not.toBe(await sealSecret(NEW, "TOKEN", "s3cret"));
  });

  test("does not open once a character of it is another one", async () => {
    const sealed = await sealSecret(NEW, "TOKEN", "s3cret");
    for (const at of [0, 3, 12, 30, sealed.length - 4]) {
      expect(await openSecret(NEW, "TOKEN", change(sealed, at))).toBeUndefined();
    }
  });

  test.each(["", "1", "1.2.3.4", "1...", "x.y.z", "1.aaaaaaaa.!!.!!"])("%j is none", async (sealed) => {
    expect(await openSecret(NEW, "TOKEN", sealed)).toBeUndefined();
  });

  test("opens with the previous key while keys are rotated, and is sealed with the current one", async () => {
    const old = await sealSecret(OLD, "TOKEN", "s3cret");
    expect(await openSecret(BOTH, "TOKEN", old)).toBe("s3cret");
    const fresh = await sealSecret(BOTH, "TOKEN", "s3cret");
    expect(await Promise.all([old, fresh].map((sealed) => sealedUnder(BOTH, sealed)))).toEqual(["previous", "current"]);
    expect(await sealedUnder(NEW, old)).toBe("unknown");
  });
});

describe("the Worker's keys", () => {
  test.each([
    [{}, "SECRETS_KEY is not set: run `wrangler secret put SECRETS_KEY`"],
    [{ SECRETS_KEY: "" }, "SECRETS_KEY is not set: run `wrangler secret put SECRETS_KEY`"],
    [{ SECRETS_KEY: "x".repeat(15) }, "SECRETS_KEY is too short: expected at least 16 characters"],
    [{ SECRETS_KEY: "x".repeat(16) }, { current: "x".repeat(16) }],
    [{ SECRETS_KEY: "x".repeat(16), SECRETS_KEY_PREVIOUS: "" }, { current: "x".repeat(16) }],
    [
      { SECRETS_KEY: "x".repeat(16), SECRETS_KEY_PREVIOUS: "y" },
      { current: "x".repeat(16), previous: "y" },
    ],
  ])("%j", (bindings, keys) => {
    const { SECRETS_KEY: _, ...env } = testEnv;
    expect(secretsKeys({ ...env, ...bindings })).toEqual(keys);
  });
});
