import { expect, test } from "vitest";
import { composeWorker } from "../../../src/compose.ts";
import { builtinTools } from "../../../src/tools/builtin/catalog.ts";

test("the built-in tools make a Worker, and each takes an object", () => {
  expect(() => composeWorker(builtinTools)).not.toThrow();
  expect(builtinTools.map(({ definition }) => definition.inputSchema["type"])).toEqual(
    builtinTools.map(() => "object"),
  );
});
