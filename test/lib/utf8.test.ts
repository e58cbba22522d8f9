import { expect, it } from "vitest";
import { isLongerThan } from "../../src/lib/utf8.ts";

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
