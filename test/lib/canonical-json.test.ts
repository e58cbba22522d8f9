import { expect, it } from "vitest";
import { canonicalJson } from "../../src/lib/canonical-json.ts";

const canonicalOf = (text: string): string => canonicalJson(JSON.parse(text));

it.each([
  ['{"b": 1, "a": [ {"d": null, "c": true} ]}', '{"a":[{"c":true,"d":null}],"b":1}'],
  ["[1.0, 1e2, -0, 0.10]", "[1,100,0,0.1]"],
  [String.raw`"\u00e9\u0001\/"`, String.raw`"é\u0001/"`],
  [String.raw`{"\ud800": 1, "é": 2, "z": 3}`, String.raw`{"z":3,"é":2,"\ud800":1}`],
  ['{"__proto__": {"b": 1, "a": 2}, "": 0}', '{"":0,"__proto__":{"a":2,"b":1}}'],
  ["[]", "[]"],
  ["{}", "{}"],
])("%s is %s", (text, canonical) => {
  expect(canonicalOf(text)).toBe(canonical);
});

it("tells values that differ apart", () => {
  const texts = ['["a"]', '"[\\"a\\"]"', '{"a":1}', '{"a":"1"}', "[1,2]", "[[1],2]", '{"a":{},"b":1}', '{"a":{"b":1}}'];
  expect(new Set(texts.map(canonicalOf)).size).toBe(texts.length);
});
