import { expect, it } from "vitest";
import type { Tally } from "../../src/audit/audit-contract.ts";
import type { CallDraft } from "../../src/audit/call-row.ts";
import { bucketOf, slotOf, Tallies } from "../../src/audit/tally.ts";
import { LIMITS } from "../../src/lib/limits.ts";

it.each([
  [0, 0],
  [1, 0],
  [2, 1],
  [3, 2],
  [30_000, 13],
  [30_001, 14],
])("puts %i ms into bucket %i", (durationMs, bucket) => {
  expect(bucketOf(durationMs)).toBe(bucket);
});

it("puts a call into the span that it began in", () => {
  expect([slotOf(LIMITS.auditSlotMs - 1), slotOf(LIMITS.auditSlotMs)]).toEqual([0, 1]);
});

it.each([
  [LIMITS.auditTallies - 1, 0],
  [LIMITS.auditTallies, 0],
  [LIMITS.auditTallies + 1, 1],
  [LIMITS.auditTallies + 50, 50],
])("of %i keys counts %i under no name", (keys, nameless) => {
  const tallies = new Tallies();
  for (let n = 0; n < keys; n++) {
    const call = { keyId: `k${n}`, tool: "tone", known: true, outcome: "ok", startedAtMs: 0, endedAtMs: 0 };
    tallies.count(call as CallDraft);
  }
  const counted = JSON.parse(tallies.toJson()) as Tally[];
  expect(counted.reduce((sum, [, , , , , calls]) => sum + calls, 0)).toBe(keys);
  expect(counted.find(([, key]) => key === "")?.[5] ?? 0).toBe(nameless);
});
