import { expect, test } from "vitest";
import { NEW_IMPORT, toImportOptions } from "../../src/console/views/tools/import-draft.ts";
import { ImportOptionsSchema } from "../../src/openapi/import-options.ts";

const FULL = {
  api: "harbour",
  prefix: "harbour_",
  server: "https://api.harbour.example",
  headers: [
    { name: "authorization", value: "Bearer {{secret:HARBOUR_TOKEN}}" },
    { name: "", value: "" },
  ],
  includeTags: "ships, berth*",
  excludeTags: "internal",
  includePaths: "/ships/*,",
  excludePaths: "/photos",
  includeOperations: "find*",
  excludeOperations: "findLost",
  maxTools: "50",
  deprecated: true,
  outputSchemas: true,
  removeGone: true,
};

test("a form that was filled in has every option that the server takes", () => {
  const options = toImportOptions(FULL, true);
  expect(Object.keys(options).sort()).toEqual(
    [...Object.keys(ImportOptionsSchema.entries), "dryRun", "removeGone"].sort(),
  );
  expect(options).toMatchObject({
    headers: ["authorization: Bearer {{secret:HARBOUR_TOKEN}}"],
    includeTags: ["ships", "berth*"],
    includePaths: ["/ships/*"],
    maxTools: "50",
    outputSchemas: "on",
  });
});

test("a form as it opens has none", () => {
  expect([toImportOptions(NEW_IMPORT, true), toImportOptions(NEW_IMPORT, false)]).toEqual([{ dryRun: true }, {}]);
});
