import type { JSX } from "preact";
import type { CallStats } from "../../api/stats-api.ts";
import { formatCount } from "../../parts/figure.tsx";
import { Badge, Card, Empty } from "../../parts/surface.tsx";
import { Table } from "../../parts/table.tsx";

const SHOWN_ROWS = 10;

export interface Counted extends CallStats {
  id: string;
  name: JSX.Element;
}

/** Calls, errors and refusals of each tool or key, those with the most trouble first; without rows they are loading. */
export const BreakdownCard = ({
  title,
  rows,
}: {
  title: string;
  rows: readonly Counted[] | undefined;
}): JSX.Element => (
  <Card flush title={title}>
    {rows ? <Breakdown title={title} rows={rows} /> : <p class="loading">Loading …</p>}
  </Card>
);

function Breakdown({ title, rows }: { title: string; rows: readonly Counted[] }): JSX.Element {
  const troubled = [...rows].sort((a, b) => troubleOf(b) - troubleOf(a) || b.calls - a.calls);
  if (rows.length === 0) return <Empty title="No calls in this time" />;
  return (
    <>
      <Table
        caption={title}
        rows={troubled.slice(0, SHOWN_ROWS)}
        keyOf={({ id }) => id}
        columns={[
          { title: "Name", isName: true, cell: ({ name }) => <span class="subject">{name}</span> },
          { title: "Calls", atEnd: true, cell: ({ calls }) => <span class="number">{formatCount(calls)}</span> },
          { title: "Errors", atEnd: true, cell: (stats) => <Trouble count={stats.errors} tone="danger" /> },
          { title: "Denied", atEnd: true, cell: (stats) => <Trouble count={stats.denied} tone="warn" /> },
          {
            title: "p50 / p99 ≤ ms",
            atEnd: true,
            cell: ({ latencyMs: { p50, p99 } }) => (
              <span class="number nowrap">
                {numberOf(p50)} / {numberOf(p99)}
              </span>
            ),
          },
        ]}
      />
      {rows.length > SHOWN_ROWS && (
        <p class="soft small footnote">
          {SHOWN_ROWS} of {formatCount(rows.length)}: those with the most errors and denials, then the busiest.
        </p>
      )}
    </>
  );
}

const troubleOf = ({ errors, denied }: CallStats): number => errors + denied;

const Trouble = ({ count, tone }: { count: number; tone: "danger" | "warn" }): JSX.Element =>
  count > 0 ? <Badge tone={tone}>{formatCount(count)}</Badge> : <span class="soft number">0</span>;

/** The upper bound of a latency's bucket. */
export const boundOf = (ms: number | null): string => (ms === null ? "–" : `≤ ${formatCount(ms)} ms`);

const numberOf = (ms: number | null): string => (ms === null ? "–" : formatCount(ms));
