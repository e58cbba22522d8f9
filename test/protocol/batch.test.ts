import { expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { encodeBatch } from "../../src/protocol/batch.ts";

it("answers what does not fit into a batch with an error in its place", () => {
  const items = [1, 2, 3].map((id) => ({ jsonrpc: "2.0", id, method: "ping" }));
  const half = JSON.stringify("x".repeat(LIMITS.batchChars / 2 - 2));
  const answers = JSON.parse(encodeBatch(items, [half, half, "1"]) ?? "") as unknown[];
  expect(answers.slice(0, 2).map((answer) => typeof answer)).toEqual(["string", "string"]);
  expect(answers[2]).toMatchObject({ id: 3, error: { code: -32603 } });
});

it("answers no notification and no response, not even one that is wrong", () => {
  const items = [{ jsonrpc: "2.0", method: 5 }, 7, { jsonrpc: "2.0", id: 1, result: {} }, { id: {}, error: 1 }];
  expect(encodeBatch(items, ["1", "2", "3", "4"])).toBe("[2]");
});

it("has no answer where no item has one", () => {
  expect(encodeBatch([{}, {}], [undefined, undefined])).toBeUndefined();
});
