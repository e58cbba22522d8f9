import { expect, it } from "vitest";
import { cutText, markCut } from "../../src/lib/cut-text.ts";

it.each([
  ["abc", 4, "abc", "abc"],
  ["abc", 3, "abc", "abc"],
  ["abc", 2, "ab", "ab…"],
  ["a😀", 3, "a😀", "a😀"],
  ["a😀", 2, "a", "a…"],
  ["a😀b", 3, "a😀", "a😀…"],
  ["", 0, "", ""],
])("%j at %i characters is %j, or %j where it tells that it was cut", (text, maxChars, cut, marked) => {
  expect([cutText(text, maxChars), markCut(text, maxChars)]).toEqual([cut, marked]);
});
