import * as fc from "fast-check";
import { expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { scanIds } from "../../src/protocol/scan-ids.ts";

it.each<[string, string, unknown[]]>([
  ["a message", '{"jsonrpc":"2.0","id":1,"method":"m","params":{"id":2}}', [1]],
  ["a message whose id is last", '{"params":{"a":[{"id":2}]},"method":"id" , "id" : "a\\u0041\\"" }', ['aA"']],
  ["a notification", '{"jsonrpc":"2.0","method":"m","params":{"id":2}}', []],
  ["a batch", '[{"id":1},{"method":"m"}, {"id":"b","params":{"id":3}}]', [1, "b"]],
  ["an id that is there twice", '{"id":1,"id":2}', [2]],
  ["ids that are none", '[{"id":1.5},{"id":null},{"id":{}},{"id":[1]},{"id":true},{"id":1e3}]', []],
  ["a text that only looks like one", '{"method":"id","a":"\\"id\\":7","b":"\\\\"}', []],
  ["an id of the longest length", `{"id":"${"i".repeat(LIMITS.idChars)}"}`, ["i".repeat(LIMITS.idChars)]],
  ["a longer id", `{"id":"${"i".repeat(LIMITS.idChars + 1)}"}`, []],
  ["what does not end", '{"id":1,"a":"', []],
  ["what ends too often", '}}]{"id":1}', []],
  ["no JSON", "nonsense", []],
])("finds the ids of %s", (_, frame, ids) => {
  expect(scanIds(frame)).toEqual(ids);
});

const batch = (count: number): string => JSON.stringify(Array.from({ length: count }, (_, id) => ({ id })));

it("finds no more than a batch may hold", () => {
  expect([LIMITS.batchItems, LIMITS.batchItems + 1].map((count) => scanIds(batch(count)).length)).toEqual([
    LIMITS.batchItems,
    LIMITS.batchItems,
  ]);
});

it("finds what parsing finds, in any message", () => {
  const id = fc.oneof(fc.string({ unit: "binary", maxLength: LIMITS.idChars }), fc.maxSafeInteger());
  const message = fc.record({ params: fc.jsonValue(), id, method: fc.string() }, { requiredKeys: [] });
  fc.assert(
    fc.property(message, fc.constantFrom(0, 1), (value, indent) => {
      expect(scanIds(JSON.stringify(value, null, indent))).toEqual(value.id === undefined ? [] : [value.id]);
    }),
  );
});
