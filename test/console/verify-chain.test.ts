import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { AdminRow } from "../../src/console/api/audit-api.ts";
import { findFault } from "../../src/console/views/audit/verify-chain.ts";

const ANCHOR = { seq: 6, hash: "a".repeat(64) };

/** Rows 7 to 9, newest first, each with its hash over the one before. */
function chain(): AdminRow[] {
  let before = ANCHOR.hash;
  const rows = [7, 8, 9].map((seq): AdminRow => {
    // In the order of names, as the server hashes it.
    const content = {
      action: "tool.change",
      at: "2030-01-01T00:00:00.000Z",
      detail: { a: 1, enabled: false },
      outcome: "changed",
      seq,
      target: "tone",
      version: seq,
      who: "admin",
    };
    before = createHash("sha256")
      .update(`${before}\n${JSON.stringify(content)}`)
      .digest("hex");
    return { kind: "admin", id: `admin.${seq}`, hash: before, ...content, detail: { enabled: false, a: 1 } };
  });
  return rows.toReversed();
}

const check = (rows: readonly AdminRow[], head = rows[0] ?? ANCHOR) => findFault(rows, { anchor: ANCHOR, head });

test("a chain is whole when each row has its hash over the one before", async () => {
  expect([await check(chain()), await check([])]).toEqual([undefined, undefined]);
});

test.each([
  ["changed", (rows: AdminRow[]) => rows.with(1, { ...rows[1], target: "other" } as AdminRow), /^row 8 does not fit/],
  ["taken out", (rows: AdminRow[]) => rows.toSpliced(1, 1), /^row 8 is missing: row 9 follows row 7/],
  ["taken off its end", (rows: AdminRow[]) => rows.slice(0, 2), /^row 7 is missing: row 8 follows row 6/],
  ["all gone", () => [], /^rows 7 to 9 are missing/],
])("a chain with a row %s is not", async (_, spoil, fault) => {
  const rows = chain();
  expect(await check(spoil(rows), rows[0])).toMatch(fault);
});

test("a chain that the newest row was taken off is not", async () => {
  const rows = chain();
  expect(await check(rows.slice(1), rows[0])).toMatch(/^row 9 is missing: row 8 stands in its place/);
});
