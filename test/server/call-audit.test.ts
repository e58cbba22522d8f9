import { reset } from "cloudflare:test";
import { afterEach, expect, it } from "vitest";
import { auditLogStub } from "../../src/env.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { openCaller } from "../support/app.ts";
import { testEnv } from "../support/counting-env.ts";

afterEach(() => reset());

it("tries", async () => {
  const caller = await openCaller();
  console.log(await caller.ask("2025-11-25", "tools/call", { name: "calculate", arguments: { expression: "1+1" } }));
  for (let n = 0; n < LIMITS.auditShards; n++) {
    const page = await auditLogStub(testEnv, n).read({ v: 1, limit: 10 });
    console.log(JSON.stringify(page), JSON.stringify(await auditLogStub(testEnv, n).readTallies(0)));
  }
  expect(1).toBe(1);
});
