import { expect, test } from "vitest";
import type { CallRow } from "../../src/console/api/audit-api.ts";
import { followCalls, KEPT_ROWS, type LiveCalls } from "../../src/console/views/live/live-calls.ts";

/** A call that began at this second. */
const row = (second: number): CallRow => {
  const at = new Date(second * 1000).toISOString();
  return { id: `i.${String(second).padStart(9, "0")}`, at } as CallRow;
};
const rows = (from: number, down: number): CallRow[] =>
  Array.from({ length: from - down + 1 }, (_, n) => row(from - n));
const known = (...args: [number, number]): LiveCalls => ({ rows: rows(...args), completeFromMs: undefined, round: 3 });

test("calls that are found join those that are known, each once and in their place, late ones too", () => {
  const before = { ...known(9, 5), rows: rows(9, 5).filter(({ id }) => id !== row(7).id) };
  expect(followCalls(before, [row(11), row(9), row(7)], false)).toEqual({
    data: { rows: [row(11), ...rows(9, 5)], completeFromMs: undefined, round: 3 },
    isNews: true,
  });
  expect(followCalls(before, [row(9)], false)).toEqual({ data: before, isNews: false });
});

test("a page that is cut off below what is known leaves no gap; above it, what was known is let go", () => {
  const before = known(9, 5);
  expect(followCalls(before, rows(12, 8), true).data.rows).toEqual(rows(12, 5));
  expect(followCalls(before, rows(20, 12), true)).toEqual({
    data: { rows: rows(20, 12), completeFromMs: 12_000, round: 0 },
    isNews: true,
  });
});

test.each([KEPT_ROWS - 1, KEPT_ROWS, KEPT_ROWS + 1])("so many are kept, of %i", (count) => {
  const { rows: kept, completeFromMs } = followCalls(known(count - 1, 1), [row(count)], false).data;
  const isOver = count > KEPT_ROWS;
  expect([kept.length, completeFromMs]).toEqual([Math.min(count, KEPT_ROWS), isOver ? 2_000 : undefined]);
});
