import { expect, test } from "vitest";
import { composeWorker } from "../../../src/compose.ts";
import { lintCatalogue } from "../../../src/lint/lint-catalogue.ts";
import { builtinTools } from "../../../src/tools/builtin/catalog.ts";
import { atOnce } from "../../support/at-once.ts";

test("the built-in tools make a Worker, and each takes an object", () => {
  expect(() => composeWorker(builtinTools)).not.toThrow();
  expect(builtinTools.map(({ definition }) => definition.inputSchema["type"])).toEqual(
    builtinTools.map(() => "object"),
  );
});

test("no client has anything against one of them", () => {
  const verdicts = atOnce(lintCatalogue(builtinTools.map(({ definition }) => definition)));
  expect(verdicts.filter(({ level }) => level !== "info")).toEqual([]);
});
