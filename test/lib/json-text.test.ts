import { describe, expect, it } from "vitest";
import { compactJson, itemTexts, memberTexts } from "../../src/lib/json-text.ts";

describe("compactJson", () => {
  it.each([
    ['{ "a" : [ 1.0 , 2e3 ],\n\t"b\\" c": " x  y " }', '{"a":[1.0,2e3],"b\\" c":" x  y "}'],
    [" 12345678901234567890 ", "12345678901234567890"],
    ['"\\\\"', '"\\\\"'],
  ])("%s", (text, compact) => {
    expect(compactJson(text)).toBe(compact);
  });
});

describe("memberTexts", () => {
  it("cuts members out as they are, in their order", () => {
    const text = ' { "2": {"b": [1, {"x": "}"}], "a": 1.50}, "1": "a,b:c", "\\u0041": [], "n": -0 } ';
    expect([...memberTexts(text)]).toEqual([
      ["2", '{"b": [1, {"x": "}"}], "a": 1.50}'],
      ["1", '"a,b:c"'],
      ["A", "[]"],
      ["n", "-0"],
    ]);
  });

  it("takes the last of two, and none of none", () => {
    expect([...memberTexts('{"a":1,"a":2}'), ...memberTexts("{ }")]).toEqual([["a", "2"]]);
  });
});

describe("itemTexts", () => {
  it("cuts items out as they are", () => {
    expect(itemTexts('[ {"a": [1,2]} , "x]" , 3.0, [] ]')).toEqual(['{"a": [1,2]}', '"x]"', "3.0", "[]"]);
    expect(itemTexts("[]")).toEqual([]);
  });
});
