import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { checkSchema } from "../../../src/tools/json-schema/check-schema.ts";
import { Pattern } from "../../../src/tools/json-schema/pattern/pattern.ts";
import { randomFrom } from "./random-schema.ts";

/** Counts what a match costs. */
function createMeter() {
  const meter = { steps: 0, spend: (steps: number) => void (meter.steps += steps) };
  return meter;
}

/** Which of the texts a pattern is in. */
function foundIn(source: string, texts: readonly string[]): string[] {
  const pattern = new Pattern(source, LIMITS.schemaPatternStates);
  return texts.filter((text) => pattern.isIn(text, createMeter()));
}

/** More different characters than a pattern remembers. */
const wide = (from: number): string =>
  Array.from({ length: LIMITS.patternCells + 1 }, (_, at) => String.fromCodePoint(from + at)).join("");

describe("Pattern", () => {
  it.each<[string, string[], string[]]>([
    ["", ["", "a"], []],
    ["b", ["b", "abc"], ["", "ac"]],
    ["^b$", ["b"], ["ab", "ba", "b\n"]],
    ["^a|b$", ["ax", "xb"], ["xa", "bx"]],
    ["^(?:a|b)*$", ["", "abba"], ["abc"]],
    ["^(?<first>a)+?(b)??$", ["a", "aab"], ["b", "abb"]],
    ["^a{2}$", ["aa"], ["a", "aaa"]],
    ["^a{2,}$", ["aa", "aaaa"], ["a"]],
    ["^(ab){1,3}$", ["ab", "ababab"], ["", "abababab"]],
    ["^.$", ["a", "😀", "\ud83d"], ["", "ab", "\n", "\u2028"]],
    [String.raw`^[^\d\s]+$`, ["ab-é"], ["a1", "a b", ""]],
    [String.raw`^[\]\-a]+$`, ["]-a"], ["b", "\\"]],
    ["^[]$", [], ["", "a", "]"]],
    ["^[^]$", ["a", "\n"], [""]],
    [String.raw`^\p{Lu}\p{Script=Greek}$`, ["Aα"], ["aα", "Aa"]],
    [String.raw`^\u{1F600}\uD83D\uDE00\x41\cJ\t\0$`, ["😀😀A\n\t\0"], ["😀A"]],
    [String.raw`^\u{1F600}{2}$`, ["😀😀"], ["😀"]],
    [String.raw`^\$\.\*\/$`, ["$.*/"], ["$a*/"]],
    [String.raw`\bcat\b`, ["cat", "a cat.", "-cat-"], ["cats", "concat", "écat_"]],
    [String.raw`\Bat\b`, ["cat"], ["at", "ats"]],
    [String.raw`^(\b|x)+$`, ["x"], ["", "-"]],
    ["(^a|b)c", ["ac", "bc", "xbc"], ["xac"]],
    ["(?:)*", ["", "a"], []],
    ["^(?:a?){3}$", ["", "aaa"], ["aaaa"]],
    ["^(?:a*)*b$", ["aab", "b"], ["aa"]],
    ["x*$", ["", "a"], []],
    ["^(?:[a-z0-9]+-)*[a-z0-9]+$", ["a-b-c", "abc"], ["-a", "a--b", "A"]],
  ])("finds %s where V8 does", (source, found, missed) => {
    expect([...found, ...missed].filter((text) => new RegExp(source, "u").test(text))).toEqual(found);
    expect(foundIn(source, [...found, ...missed])).toEqual(found);
  });

  it.each([1, 2, 3])("agrees with V8 on patterns made up from %i", (seed) => {
    const random = randomFrom(seed);
    const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? "";
    const makePattern = (depth: number): string => {
      const kind = depth === 0 ? 0 : random();
      if (kind < 0.4) return pick(["a", "b", ".", "[ab]", "[^a]", "^", "$", String.raw`\b`, String.raw`\B`, "😀", " "]);
      if (kind < 0.7) return makePattern(depth - 1) + makePattern(depth - 1);
      if (kind < 0.85) return `(?:${makePattern(depth - 1)}|${makePattern(depth - 1)})`;
      return `(${makePattern(depth - 1)})${pick(["*", "+", "?", "{2}", "{1,2}", "{2,}", "*?"])}`;
    };
    const made = Array.from({ length: 200 }, () => makePattern(4));
    const texts = Array.from({ length: 30 }, () =>
      Array.from({ length: random() * 6 }, () => pick(["a", "b", " ", "😀"])).join(""),
    );
    for (const source of made) {
      const found = texts.filter((text) => new RegExp(source, "u").test(text));
      expect({ source, found: foundIn(source, texts) }).toEqual({ source, found });
    }
  });

  it.each([
    "^(a+)+$",
    "(a|a)*$",
    "([a-z]+)*[A-Z]",
    "^(a|aa)+$",
    "(.*)*x",
    "a*a*a*a*b",
    "(x+x+)+y",
    String.raw`\s+$`,
    String.raw`^(([a-z])+.)+[A-Z]([a-z])+$`,
    "(a?){20}a{20}!!",
    "[ab]*a[ab]{12}c",
  ])("looks for %s in time linear in the text", (source) => {
    for (const letters of ["a", "ab", " a", "xx"]) {
      const pattern = new Pattern(source, LIMITS.schemaPatternStates);
      const stepsFor = (chars: number): number => {
        const meter = createMeter();
        pattern.isIn(`${letters.repeat(chars / letters.length)}!`, meter);
        return meter.steps;
      };
      // What it has to learn comes first, and is bounded by its own size.
      expect(stepsFor(40)).toBeLessThan(20_000);
      expect([stepsFor(100_000) <= 14_000, stepsFor(1_000_000) <= 140_000]).toEqual([true, true]);
    }
  });

  it("forgets what it has learned when that is too much, and stays right", () => {
    // Of 2 to the power of 14 sets of states.
    const source = "^[ab]*a[ab]{14}c$";
    const random = randomFrom(7);
    const text = Array.from({ length: 20_000 }, () => (random() < 0.5 ? "a" : "b")).join("");
    const pattern = new Pattern(source, LIMITS.schemaPatternStates);
    const endings = [`${text}a${"b".repeat(14)}c`, `${text}b${"b".repeat(14)}c`, `${text}a${"b".repeat(14)}`];
    expect(endings.map((ending) => pattern.isIn(ending, createMeter()))).toEqual([true, false, false]);
  });

  it("takes characters beyond what it remembers", () => {
    const pattern = new Pattern(String.raw`^\p{Script=Han}+$`, LIMITS.schemaPatternStates);
    expect([wide(0x4e00), `${wide(0x4e00)}a`].map((text) => pattern.isIn(text, createMeter()))).toEqual([true, false]);
  });
});

describe("a pattern is refused", () => {
  const BACKREFERENCE = "expected no backreference";
  const GROUP = "expected no lookaround or modifiers: give each condition a pattern of its own under allOf or not";

  it.each([
    [String.raw`(a)\1`, BACKREFERENCE],
    [String.raw`(?<n>a)\k<n>`, BACKREFERENCE],
    ["(?=a)b", GROUP],
    ["(?!a)b", GROUP],
    ["(?<=a)b", GROUP],
    ["(?<!a)b", GROUP],
    ["(?i:a)", GROUP],
    ["(a", "not a regular expression: Invalid regular expression: /(a/u: Unterminated group"],
    [String.raw`\-`, String.raw`not a regular expression: Invalid regular expression: /\-/u: Invalid escape`],
    ["a{2", "not a regular expression: Invalid regular expression: /a{2/u: Incomplete quantifier"],
  ])("%s", (pattern, message) => {
    expect(checkSchema({ properties: { a: { pattern } } }, "output")).toEqual({
      path: "/properties/a/pattern",
      message,
    });
    expect(checkSchema({ patternProperties: { [pattern]: true } }, "output")?.message).toBe(message);
  });

  it.each([
    "(a{100}){101}",
    "a{1000000}",
    "(?:(?:(?:){2000}){2000}){2000}",
    "(?:){1000000000}",
    "((a{0,99}){0,99}){0,99}",
  ])("%s, which takes too many states", (pattern) => {
    const message = `expected at most ${LIMITS.schemaPatternStates} states in all regular expressions: counted repetition such as {1,100} takes one each`;
    expect(checkSchema({ pattern }, "output")).toEqual({ path: "/pattern", message });
  });

  it("as a format it is an annotation, and never run", () => {
    expect(checkSchema({ type: "string", format: "regex" }, "output")).toBeUndefined();
  });
});
