// Pages of rows, newest first: one source's, and several sources' merged. A page of a source says how far down it is
// complete; the merged one ends at the nearest of these, so that no row of a slower source is passed over.

import { LIMITS } from "../lib/limits.ts";
import type { AuditPage, AuditPosition, StoredRow } from "./audit-contract.ts";

/** Below zero where `a` is newer. */
export const compare = (a: AuditPosition, b: AuditPosition): number =>
  b.atMs - a.atMs || (a.id > b.id ? -1 : Number(a.id < b.id));

/** The first rows of a source, as many and as long as one answer holds. `floor` is where it stopped looking. */
export function takePage(
  rows: Iterable<StoredRow>,
  limit: number,
  floor?: AuditPosition,
  maxChars: number = LIMITS.auditPageChars,
): AuditPage {
  const taken: StoredRow[] = [];
  let chars = 0;
  for (const row of rows) {
    chars += row.row.length;
    const last = taken.at(-1);
    if (last && (taken.length >= limit || chars > maxChars)) return pageOf(taken, last);
    taken.push(row);
  }
  return pageOf(taken, floor);
}

/** One page of several sources' pages. */
export function mergePages(pages: readonly AuditPage[], limit: number): AuditPage {
  const [horizon] = pages.flatMap(({ next }) => next ?? []).toSorted(compare);
  const rows = pages
    .flatMap((page) => page.rows)
    .filter((row) => !horizon || compare(row, horizon) <= 0)
    .toSorted(compare);
  const last = rows[limit - 1];
  return last && rows.length > limit ? pageOf(rows.slice(0, limit), last) : pageOf(rows, horizon);
}

const pageOf = (rows: StoredRow[], next: AuditPosition | undefined): AuditPage => ({
  v: 1,
  rows: rows.map(({ atMs, id, row }) => ({ atMs, id, row })),
  ...(next && { next: { atMs: next.atMs, id: next.id } }),
});
