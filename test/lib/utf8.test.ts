import { expect, it } from "vitest";
import { countBytes, isLongerThan } from "../../src/lib/utf8.ts";

it.each([
  ["", 0, false],
  ["a".repeat(9), 9, false],
  ["a".repeat(10), 9, true],
  ["€€€", 9, false],
  ["€€€a", 9, true],
  ["é".repeat(5), 9, true],
  ["😀😀", 8, false],
  ["😀😀", 7, true],
])("counts the bytes of %j against %i", (text, bytes, expected) => {
  expect(isLongerThan(text, bytes)).toBe(expected);
});

it.each([
  "",
  "a",
  "é",
  "€",
  "😀",
  "\ud83d",
  "\ude00\ud83d",
  "a\ud83dé",
  "aé€😀".repeat(100),
  "aé€😀\ud83d".repeat(200),
])("counts as many bytes as %j is encoded to", (text) => {
  expect(countBytes(text)).toBe(new TextEncoder().encode(text).byteLength);
});
