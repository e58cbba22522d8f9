import { expect, it } from "vitest";
import type { AuditPage, StoredRow } from "../../src/audit/audit-contract.ts";
import { mergePages, takePage } from "../../src/audit/audit-page.ts";
import { LIMITS } from "../../src/lib/limits.ts";

const row = (atMs: number, id = "a"): StoredRow => ({ atMs, id, row: "{}" });
const page = (rows: StoredRow[], next?: StoredRow): AuditPage => ({
  v: 1,
  rows,
  ...(next && { next: { atMs: next.atMs, id: next.id } }),
});

it("merges sources by time and then by id, newest first", () => {
  const merged = mergePages([page([row(3, "b"), row(1)]), page([]), page([row(3, "c"), row(2)])], 10);
  expect(merged).toEqual(page([row(3, "c"), row(3, "b"), row(2), row(1)]));
});

it("ends a page where the first source that has more stops", () => {
  const merged = mergePages([page([row(9), row(5)], row(5)), page([row(8), row(4), row(3)])], 10);
  expect(merged).toEqual(page([row(9), row(8), row(5)], row(5)));
});

it("goes on below a source that found nothing as far as it looked", () => {
  expect(mergePages([page([], row(7)), page([row(6)])], 10)).toEqual(page([], row(7)));
});

it("holds no more than was asked for", () => {
  const sources = [page([row(5), row(3)]), page([row(4), row(2)])];
  expect(mergePages(sources, 3)).toEqual(page([row(5), row(4), row(3)], row(3)));
  expect(mergePages(sources, 4)).toEqual(page([row(5), row(4), row(3), row(2)]));
});

it("takes rows up to a number and a length, and at least one", () => {
  const rows = [row(3), row(2), row(1)];
  expect(takePage(rows, 3)).toEqual(page(rows));
  expect(takePage(rows, 2)).toEqual(page(rows.slice(0, 2), row(2)));
  expect(takePage(rows, 9, undefined, 6)).toEqual(page(rows));
  expect(takePage(rows, 9, undefined, 5)).toEqual(page(rows.slice(0, 2), row(2)));
  expect(takePage(rows, 9, undefined, 1)).toEqual(page(rows.slice(0, 1), row(3)));
  expect(takePage(rows, 9, row(0))).toEqual(page(rows, row(0)));
  expect(takePage([], LIMITS.auditPageItems)).toEqual(page([]));
});
