import { expect, test } from "vitest";
import { SERVER_LIMITS } from "../../src/console/server-limits.ts";
import { LIMITS } from "../../src/lib/limits.ts";

test("the console knows the server's bounds as they are", () => {
  expect(LIMITS).toMatchObject(SERVER_LIMITS);
});
