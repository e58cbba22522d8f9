import { expect, it } from "vitest";
import { parseKept, stringifyKept } from "../../src/lib/kept-json.ts";

const TEXT = '{"2":1.0,"1":12345678901234567890,"a":"$& \\u0041"}';

it("prints what was parsed as it came, wherever it stands", () => {
  const kept = parseKept(TEXT);
  expect(stringifyKept({ tools: [{ name: "x", schema: kept }, { schema: kept }], n: 1 })).toBe(
    `{"tools":[{"name":"x","schema":${TEXT}},{"schema":${TEXT}}],"n":1}`,
  );
  expect(stringifyKept(kept)).toBe(TEXT);
});

it("prints everything else as JSON does", () => {
  const value = { a: [1, "x", null, { b: true }], c: undefined, d: new Date(0) };
  expect(stringifyKept(value)).toBe(JSON.stringify(value));
  expect(JSON.stringify(parseKept(TEXT))).toBe(JSON.stringify(JSON.parse(TEXT)));
});
