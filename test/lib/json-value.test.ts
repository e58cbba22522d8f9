import { describe, expect, it } from "vitest";
import { findExcess } from "../../src/lib/json-value.ts";
import { LIMITS } from "../../src/lib/limits.ts";

const nested = (depth: number, open = "[", close = "]"): string => open.repeat(depth) + close.repeat(depth);
const TOO_DEEP = `nesting too deep: at most ${LIMITS.jsonDepth} levels`;
const TOO_MANY = `too many members: at most ${LIMITS.jsonMembers}`;

/** Members of all arrays and objects, as a parser sees them. */
function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const members: unknown[] = Object.values(value);
  return members.reduce<number>((sum, member) => sum + countMembers(member), members.length);
}

describe("findExcess", () => {
  it.each([
    [nested(LIMITS.jsonDepth), undefined],
    [nested(LIMITS.jsonDepth + 1), TOO_DEEP],
    [nested(LIMITS.jsonDepth, '{"a":', "}").replace(":}", ":1}"), undefined],
    [nested(LIMITS.jsonDepth + 1, '{"a":', "}"), TOO_DEEP],
    ["[".repeat(500_000), TOO_DEEP],
    [JSON.stringify("[".repeat(1_000)), undefined],
    [String.raw`["\"[[[[", "\\"]`, undefined],
  ])("on nesting of %.40s", (text, excess) => {
    expect(findExcess(text)).toBe(excess);
  });

  it.each([
    [JSON.stringify(Array.from({ length: LIMITS.jsonMembers }, () => 1)), undefined],
    [JSON.stringify(Array.from({ length: LIMITS.jsonMembers + 1 }, () => 1)), TOO_MANY],
    [JSON.stringify([",".repeat(LIMITS.jsonMembers + 1)]), undefined],
  ])("on members of %.40s", (text, excess) => {
    expect(findExcess(text)).toBe(excess);
  });

  it("counts the members that a parser finds", () => {
    const random = { a: [1, "x,]", { b: {}, c: [] }, [[]], [""]], "d,{": { e: null }, f: [{}, {}, { g: [0] }] };
    const filler = LIMITS.jsonMembers - countMembers(random) - 2;
    const withFiller = (count: number): string =>
      JSON.stringify([random, Array.from({ length: count }, () => 0)], null, 2);
    expect(countMembers(JSON.parse(withFiller(filler)))).toBe(LIMITS.jsonMembers);
    expect([findExcess(withFiller(filler)), findExcess(withFiller(filler + 1))]).toEqual([undefined, TOO_MANY]);
  });
});
