import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addRemoved, cleanJson, maybeHides, NOTHING_REMOVED, removeHidden } from "../../src/sanitize/clean-output.ts";
import { findHidden } from "../../src/sanitize/hidden-characters.ts";

const tags = (text: string): string =>
  [...text].map((char) => String.fromCodePoint(0xe0000 + (char.codePointAt(0) ?? 0))).join("");
const SCOTLAND = `\u{1F3F4}${tags("gbsct")}\u{E007F}`;

const steps = (text: string): number => findHidden(text).length;

describe("a text", () => {
  it.each([
    ["a colour", "\u001b[31mred\u001b[0m", "red"],
    ["a cleared screen", "a\u001b[2Jb", "ab"],
    ["an eight-bit control sequence", "a\u009b2Jb", "ab"],
    ["a hyperlink", "\u001b]8;;http://evil.example\u0007click\u001b]8;;\u0007", "click"],
    ["a title that ends with a string terminator", "\u001b]0;title\u001b\\x", "x"],
    ["a title with an Arabic number sign", "\u001b]0;\u0600\u0007x", "x"],
    ["a control string without an end", "\u001b]0;all of this stays", "0;all of this stays"],
    ["a control string over two lines", "\u001b]0;one\ntwo\u0007", "0;one\ntwo"],
    ["a character set", "\u001b(Bx", "x"],
    ["an escape at the end", "x\u001b", "x"],
    ["controls", "a\u0000b\u0008c\u007fd\u0080e", "abcde"],
    ["what overrides the direction", "\u202eevil\u202c \u2066x\u2069", "evil x"],
    ["marks of direction in text from left to right", "a\u200fb\u061cc", "abc"],
    ["zero-width characters", "a\u200bb\ufeffc\u2060d\u00ade", "abcde"],
    ["fillers", "\u3164\u115fx\u034f", "x"],
    ["tags", `do${tags("ignore all")} it`, "do it"],
    ["tags after a flag that there is not", `\u{1F3F4}${tags("evil")}\u{E007F}`, "\u{1F3F4}"],
    ["tags after a flag that there is", `${SCOTLAND}${tags("x")}`, SCOTLAND],
    ["a run of variation selectors", "a\u{E0101}\u{E0132}\ufe01b", "ab"],
    ["joiners between letters", "a\u200db\u200cc", "abc"],
    ["a high surrogate alone", "a\ud83d", "a\ufffd"],
    ["a low surrogate alone", "\ude00a", "\ufffda"],
    ["a next line, which becomes a line end", "a\u0085b", "a\nb"],
    ["marks of direction for what is written in a title", "\u001b]0;א\u0007\u200fx", "x"],
    ["a return alone, which becomes a line end", "a\rb\r\nc\r\rd\r", "a\nb\r\nc\n\nd\n"],
    ["selectors of ideographs after others", "+\u{e0101}<\u{e0142}∪\u{e0100}က\u{e0100}", "+<∪က"],
    ["selectors after what has no variants", "+\ufe00a\ufe0f!\ufe0e∪\ufe01漢\ufe0f", "+a!∪漢"],
    ["styles of digits that are no keycaps", "1\ufe0f2\ufe0e3#\ufe0f*\ufe0e 4\ufe0f\u200b\u20e3", "123#* 4\u20e3"],
    ["styles of emoji that have one", "\u{1F970}\ufe0f\u{1F9E0}\ufe0e\u{1FAE0}\ufe0f", "\u{1F970}\u{1F9E0}\u{1FAE0}"],
    ["a second selector", "葛\u{e0100}\u{e0101} ∪\ufe00\ufe00 ᠪ\u180b\u180c\u180d", "葛\u{e0100} ∪\ufe00 ᠪ\u180b"],
    ["all marks of a run but the first", "א\u200f\u200e\u061c\u200b\u200fב\u200e", "א\u200fב\u200e"],
    [
      "runs in the scripts that need one",
      "ក\u200b\u200bខ ب\u200c\u200c\u200dب ㅎᄒ\u1160\u1160",
      "ក\u200bខ ب\u200cب ㅎᄒ\u1160",
    ],
    ["joiners after invisible Arabic", "ب \u061c\u200c\u200da", "ب \u061ca"],
    ["zero-width spaces at the end of Thai", "ไทย\u200b a\u200bก", "ไทย aก"],
    ["separators of vowels that separate none", "a\u180eᠠ ᠠ\u180e", "aᠠ ᠠ"],
    ["an annotation", "\ufff9a\ufffab\ufffb", "ab"],
  ])("loses %s", (_, text, clean) => {
    expect(removeHidden(text)).toBe(clean);
    expect(maybeHides(JSON.stringify(text))).toBe(true);
  });

  it.each([
    ["line ends and tabs", "a\tb\r\nc\u2028d\u2029e"],
    ["emoji that are joined", "👩‍👩‍👧 👁️‍🗨️ 👩🏽‍🚀 ❤️ 1️⃣"],
    [
      "styles of emoji",
      "⌚\ufe0e ⭐\ufe0f ©\ufe0f ☎\ufe0e #\ufe0f\u20e3 *\ufe0e\u20e3 \u{1F6F3}\ufe0f \u{1F321}\ufe0f",
    ],
    ["the flags that there are", SCOTLAND],
    ["Persian", "می‌خواهم"],
    ["Hindi", "क्‍ष"],
    ["marks of direction in Hebrew", "שלום\u200f!"],
    ["Arabic number signs", "\u06dd١"],
    ["variants of ideographs", "葛\u{E0100}"],
    ["Mongolian", "ᠪ\u180b ᠪ\u180f ᠨ\u180eᠠ ᠨ\u180b\u180eᠠ ᠠ\u180b\u200d"],
    ["Persian with vowels", "بَّ\u200cب ا\u0670\u200cب"],
    ["Persian with numbers", "۵\u200cساله"],
    ["Javanese", "ꦏ꧀\u200cꦏ"],
    ["Balinese", "ᬓ᭄\u200dᬓ"],
    ["Meetei Mayek", "ꯀ꯭\u200dꯀ"],
    ["Grantha", "\u{11315}\u{1134d}\u200c\u{11315}"],
    ["Tirhuta", "\u{1148f}\u{114c2}\u200d\u{1148f}"],
    ["jamo without a vowel or a consonant", "ᄒ\u1160ᆫ \u115fᅡ"],
    ["Hebrew marks in an order of their own", "ל\u05b7\u034f\u05b4ם"],
    ["breaks between words of Khmer, Thai, Lao and Myanmar", "ក\u200bខ ที่\u200bนี่ ກ\u200bຂ က\u200bခ"],
    ["variants of symbols, zero, script capitals and punctuation", "∪\ufe00 0\ufe00 𝒜\ufe01 。\ufe01 က\ufe00 漢\ufe02"],
  ])("keeps %s", (_, text) => {
    expect(removeHidden(text)).toBe(text);
  });

  it("is looked at closer where JSON escapes something, and only there", () => {
    expect(["plain", "tab\t and line\n", "naïve 日本"].map((text) => maybeHides(JSON.stringify(text)))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("is never missed by the look at its JSON, is cleaned once for all, and hides nothing then", () => {
    const hostile = fc.constantFrom(
      ..."\u001b[];0m\u0007\\\u009b\u0090\u009c\u200d\u200c\u200b\ufe0f\u202e\u{1F3F4}\u{E0067}\u{E007F}😀\u0628\u05d0\u05b4\u200f\u200e\u034f\r\u180b\u180e\u1820\u1160\u1100\u1161\u0e01漢\u{E0101}\ufe00a\n\ud800\udc00",
    );
    const texts = fc.array(fc.oneof(hostile, fc.string({ unit: "binary", maxLength: 2 }))).map((all) => all.join(""));
    fc.assert(
      fc.property(texts, (text) => {
        const clean = removeHidden(text);
        expect([removeHidden(clean), findHidden(clean)]).toEqual([clean, []]);
        expect(clean.isWellFormed()).toBe(true);
        if (clean !== text) expect(maybeHides(JSON.stringify(text))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("takes time in proportion to its length, whatever it begins and does not end", () => {
    expect(steps("\u001b]".repeat(100_000))).toBe(100_000);
    expect(steps(`\u001b[${"0".repeat(200_000)}`)).toBe(1);
    expect(steps("\u0090".repeat(200_000))).toBe(200_000);
  });
});

describe("a JSON value", () => {
  it("is cleaned in values and names, at any depth, and counted by kind", () => {
    const value = { "a\u200b": ["\u001b[1mx", { deep: "\u202ey" }], n: 1, t: null, tag: `z${tags("hi")}` };
    expect(cleanJson(value)).toEqual({
      value: { a: ["x", { deep: "y" }], n: 1, t: null, tag: "z" },
      removed: { invisible: 1, escapes: 1, bidi: 1, tags: 2 },
    });
  });

  it("loses no member to another of the same name", () => {
    const { value } = cleanJson({ "a\u200b": 1, a: 2, "\u200ba": 3, "b\u0000": 4, "\u0000b": 5 });
    expect(value).toEqual({ "a\ufffd": 1, a: 2, "a\ufffd2": 3, b: 4, "b\ufffd": 5 });
  });

  it("grows little where thousands of names become one", () => {
    const hidden = [..."\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u206a\u206b"];
    const nameOf = (index: number): string => [...String(index)].map((digit) => hidden[Number(digit)]).join("");
    const value = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [nameOf(index), index]));
    const cleaned = cleanJson({ ...value, "\ufffd3": "own" }).value as Record<string, unknown>;
    expect(Object.values(cleaned)).toEqual([...Object.values(value), "own"]);
    expect(Object.keys(cleaned).slice(0, 4)).toEqual(["", "\ufffd", "\ufffd2", "\ufffd4"]);
    expect(JSON.stringify(cleaned).length).toBeLessThan(2 * JSON.stringify(value).length);
  });

  it("has no member but its own", () => {
    const { value } = cleanJson(JSON.parse('{"__proto__":{"x":"\\u0000y"}}') as object);
    expect([JSON.stringify(value), ({} as { x?: string }).x]).toEqual(['{"__proto__":{"x":"y"}}', undefined]);
  });

  it("is itself when there is nothing to clean", () => {
    const value = { a: ["x", { b: "👩‍👩‍👧" }] };
    const cleaned = cleanJson(value);
    expect(cleaned.value).toBe(value);
    expect(cleaned.removed).toBe(NOTHING_REMOVED);
  });

  it("adds up what was removed", () => {
    expect(addRemoved({ bidi: 1, tags: 2 }, { tags: 3, controls: 1 })).toEqual({ bidi: 1, tags: 5, controls: 1 });
  });
});
