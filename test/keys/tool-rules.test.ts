import { describe, expect, it } from "vitest";
import { hidesTools, isToolAllowed, matchesGlob } from "../../src/keys/tool-rules.ts";

describe("matchesGlob", () => {
  it.each([
    ["*", "", true],
    ["*", "anything", true],
    ["a*", "a", true],
    ["a*c", "abc", true],
    ["a*c", "abcd", false],
    ["*b*", "abc", true],
    ["a**c", "ac", true],
    ["a", "b", false],
    ["a", "ab", false],
    ["ab", "a", false],
    ["", "", true],
    ["", "a", false],
    ["a.c", "abc", false],
    ["*ab", "aab", true],
    [`${"*a".repeat(60)}*b`, "a".repeat(64), false],
  ])("%j on %j: %s", (glob, name, expected) => {
    expect(matchesGlob(glob, name)).toBe(expected);
  });
});

describe("tool rules", () => {
  it("allow all when they say nothing", () => {
    expect([isToolAllowed({}, "x"), hidesTools({}), hidesTools({ deny: [] })]).toEqual([true, false, false]);
  });

  it("let deny win over allow", () => {
    const rules = { allow: ["read_*"], deny: ["read_secret*"] };
    expect(["read_file", "read_secrets", "write_file"].map((name) => isToolAllowed(rules, name))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("allow nothing when the list of what is allowed is empty", () => {
    expect(isToolAllowed({ allow: [] }, "x")).toBe(false);
  });
});
