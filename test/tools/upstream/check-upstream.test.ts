import { expect, test } from "vitest";
import { checkUpstream } from "../../../src/tools/upstream/upstream-record.ts";

const faultsOf = (authorization: string) =>
  checkUpstream({ url: "https://up.example/mcp", headers: { authorization } }, { allow: "", ownHosts: [] });

test("a header's mistyped secret is refused, with the one that was meant", () => {
  expect(faultsOf("Bearer {{TOKEN}}")).toEqual([
    {
      path: "headers.authorization",
      message:
        "{{TOKEN}} is text in braces, sent as {TOKEN}: did you mean {{secret:TOKEN}}? Write {{ TOKEN }} if you mean the text",
    },
  ]);
});

test.each(["Bearer {{secret:TOKEN}}", "Bearer {{ TOKEN }}"])("%s is not", (authorization) => {
  expect(faultsOf(authorization)).toEqual([]);
});
