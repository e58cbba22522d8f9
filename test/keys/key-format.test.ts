import { describe, expect, it } from "vitest";
import { isKeyId, mintKey, verifyKey } from "../../src/keys/key-format.ts";

const OLD = { current: "an old secret" };
const NEW = { current: "a new secret", previous: OLD.current };

describe("key format", () => {
  it("gives back what was minted", async () => {
    const { key, ...minted } = await mintKey(OLD, "header");
    expect(key).toMatch(/^tg_k[a-z2-7]{15}_[a-z2-7]{48}$/);
    expect(isKeyId(minted.keyId)).toBe(true);
    expect(await verifyKey(OLD, key)).toEqual(minted);
  });

  it("tells the two places apart", async () => {
    const { key } = await mintKey(OLD, "url");
    expect((await verifyKey(OLD, key))?.place).toBe("url");
    expect(await verifyKey(OLD, key.replace("tg_u", "tg_k"))).toBeUndefined();
  });

  it("refuses a key in which any one character was changed", async () => {
    const { key } = await mintKey(OLD, "header");
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === "a" ? "b" : "a";
      expect(await verifyKey(OLD, key.slice(0, at) + other + key.slice(at + 1))).toBeUndefined();
    }
  });

  it("accepts the previous signing secret with the digest that was stored under it", async () => {
    const { key, digest } = await mintKey(OLD, "header");
    expect((await verifyKey(NEW, key))?.digest).toBe(digest);
    expect(await verifyKey({ current: NEW.current }, key)).toBeUndefined();
  });

  it.each(["", "tg_", "Bearer", "tg_k_", `${"a".repeat(70)}`, "tg_kaaaaaaaaaaaaaaa_"])("refuses %j", async (text) => {
    expect(await verifyKey(OLD, text)).toBeUndefined();
  });
});
