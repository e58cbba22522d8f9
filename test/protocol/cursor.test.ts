import { describe, expect, it } from "vitest";
import { decodeCursor, encodeCursor } from "../../src/protocol/cursor.ts";
import { ProtocolError } from "../../src/protocol/protocol-error.ts";
import { sealText } from "../../src/lib/sealed-text.ts";

const OLD = { current: "one" };
const ROTATED = { current: "two", previous: "one" };

const REFUSAL = new ProtocolError(-32602, "Invalid params: cursor is not one that this server gave to this key");

describe("decodeCursor", () => {
  it.each(["a", "calculate", "x".repeat(64), "", "世界"])("gives back the name %j", async (name) => {
    expect(await decodeCursor(OLD, "k1", await encodeCursor(OLD, "k1", name))).toBe(name);
  });

  it("opens what was sealed before a rotation, and nothing from two before", async () => {
    const cursor = await encodeCursor(OLD, "k1", "a");
    expect(await decodeCursor(ROTATED, "k1", cursor)).toBe("a");
    await expect(decodeCursor({ current: "three", previous: "two" }, "k1", cursor)).rejects.toThrow(REFUSAL);
  });

  it("seals with the current secret", async () => {
    expect(await decodeCursor({ current: "two" }, "k1", await encodeCursor(ROTATED, "k1", "a"))).toBe("a");
  });

  it("refuses another key's", async () => {
    await expect(decodeCursor(OLD, "k2", await encodeCursor(OLD, "k1", "a"))).rejects.toThrow(REFUSAL);
  });

  it.each<[string, unknown]>([
    ["no object", "text"],
    ["null", null],
    ["no name", { keyId: "k1" }],
    ["a name of another type", { keyId: "k1", after: 7 }],
    ["no key", { after: "a" }],
  ])("refuses what is sealed as a cursor but holds %s", async (_, value) => {
    await expect(decodeCursor(OLD, "k1", await sealText(OLD, "cursor", value))).rejects.toThrow(REFUSAL);
  });

  it("refuses what is sealed for another purpose", async () => {
    const session = await sealText(OLD, "session", { keyId: "k1", after: "a" });
    await expect(decodeCursor(OLD, "k1", session)).rejects.toThrow(REFUSAL);
  });
});
