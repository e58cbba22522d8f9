import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { sealText } from "../../src/lib/sealed-text.ts";
import { revisionNamed } from "../../src/protocol/revisions.ts";
import { openSession, sealSession, type SealedSession } from "../../src/protocol/session-id.ts";

const OLD = { current: "one" };
const ROTATED = { current: "two", previous: "one" };

const ABILITIES = { form: true, url: false, sampling: true, roots: false };

const session = (given: Partial<SealedSession> = {}): Omit<SealedSession, "sessionId"> => ({
  keyId: "kabc",
  abilities: ABILITIES,
  revision: revisionNamed("2025-06-18"),
  client: { name: "client", version: "1.0" },
  version: 7,
  changes: 2,
  expiresAtMs: 1_000,
  ...given,
});

describe("openSession", () => {
  it.each([
    session(),
    session({ revision: revisionNamed("2024-11-05"), version: 0, changes: 0 }),
    session({ client: { name: "世界\n\u0000", version: "" } }),
    session({
      client: { name: "世".repeat(LIMITS.clientNameChars), version: "\u0000".repeat(LIMITS.clientNameChars) },
    }),
  ])("gives back %j, from visible ASCII within the limit", async (settled) => {
    const id = await sealSession(OLD, settled);
    expect(id).toMatch(/^[\x21-\x7e]+$/);
    expect(id.length).toBeLessThanOrEqual(LIMITS.sessionIdChars);
    expect(await openSession(OLD, id, "kabc", 999)).toEqual({
      ...settled,
      sessionId: expect.stringMatching(/^\w{26}$/),
    });
  });

  it("counts from no change of its key where it does not say", async () => {
    const payload = { k: "kabc", r: "2025-06-18", c: ["", ""], s: 0, x: 1_000, n: "n", a: ABILITIES };
    expect((await openSession(OLD, await sealText(OLD, "session", payload), "kabc", 0))?.changes).toBe(0);
  });

  it("is over at its end", async () => {
    const id = await sealSession(OLD, session());
    expect(await openSession(OLD, id, "kabc", 1_000)).toBeUndefined();
  });

  it("belongs to its key", async () => {
    const id = await sealSession(OLD, session());
    expect(await openSession(OLD, id, "kabd", 0)).toBeUndefined();
  });

  it("lives through one rotation, and no more", async () => {
    const id = await sealSession(OLD, session());
    expect(await openSession(ROTATED, id, "kabc", 0)).toMatchObject(session());
    expect(await openSession({ current: "three", previous: "two" }, id, "kabc", 0)).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ["nothing", null],
    ["an unknown revision", { k: "kabc", r: "2099-01-01", c: ["", ""], s: 0, x: 1_000, n: "n", a: ABILITIES }],
    ["an end of another type", { k: "kabc", r: "2025-06-18", c: ["", ""], s: 0, x: "1000", n: "n", a: ABILITIES }],
    ["no client", { k: "kabc", r: "2025-06-18", s: 0, x: 1_000, n: "n", a: ABILITIES }],
  ])("is none when it holds %s", async (_, payload) => {
    expect(await openSession(OLD, await sealText(OLD, "session", payload), "kabc", 0)).toBeUndefined();
  });

  it("is none when it is sealed for another purpose", async () => {
    const payload = { k: "kabc", r: "2025-06-18", c: ["", ""], s: 0, x: 1_000, n: "n", a: ABILITIES };
    expect(await openSession(OLD, await sealText(OLD, "session", payload), "kabc", 0)).toBeDefined();
    expect(await openSession(OLD, await sealText(OLD, "cursor", payload), "kabc", 0)).toBeUndefined();
  });
});

it("is never the same twice", async () => {
  expect(await sealSession(OLD, session())).not.toBe(await sealSession(OLD, session()));
});
