// How much an error of the admin API may say.

import { describe, expect, it } from "vitest";
import { HttpError, problem } from "../../src/http/problem.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { openGate } from "../support/app.ts";

const detailOf = async (response: Response): Promise<string> => (await response.json<{ detail: string }>()).detail;

describe("the detail of a problem", () => {
  it.each([
    ["below the limit", LIMITS.problemChars - 1, LIMITS.problemChars - 1, "a"],
    ["at the limit", LIMITS.problemChars, LIMITS.problemChars, "a"],
    ["above the limit", LIMITS.problemChars + 1, LIMITS.problemChars + 1, "…"],
  ])("is told whole, or cut: %s", async (_, chars, told, last) => {
    const detail = await detailOf(problem(new HttpError(400, "invalid_body", "a".repeat(chars))));
    expect([detail.length, detail.at(-1)]).toEqual([told, last]);
  });

  it("does not grow with the number of faults", async () => {
    const allow = Array.from({ length: 50_000 }, () => 0);
    const response = await openGate().admin("POST", "/keys", { name: "x", tools: { allow } });
    expect([response.status, (await detailOf(response)).length]).toEqual([400, LIMITS.problemChars + 1]);
  });
});
