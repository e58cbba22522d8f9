import type { JSX } from "preact";
import { Chart, type Line } from "../../parts/chart.tsx";
import { formatClock } from "../../parts/clock.ts";
import { formatCount } from "../../parts/figure.tsx";
import { Card } from "../../parts/surface.tsx";
import type { Stats, StatsWindow } from "../../api/stats-api.ts";
import { countedSpans, RECENT_SECONDS, recentSpans, type Spans } from "./chart-data.ts";
import type { LiveCalls } from "./live-calls.ts";

export type ChartRange = "recent" | StatsWindow;

const RANGES: Record<ChartRange, string> = { recent: "15 minutes", hour: "Hour", day: "Day" };

export interface ChartsCardProps {
  range: ChartRange;
  onRange: (range: ChartRange) => void;
  calls: LiveCalls | undefined;
  stats: Stats | undefined;
}

/** Rate and latency over time. */
export function ChartsCard({ range, onRange, calls, stats }: ChartsCardProps): JSX.Element {
  const spans = spansOf(range, calls, stats);
  return (
    <Card
      title="Rate and latency"
      actions={
        <div class="modes" role="group" aria-label="Time shown">
          {(Object.keys(RANGES) as ChartRange[]).map((each) => (
            <button key={each} type="button" aria-pressed={each === range} onClick={() => onRange(each)}>
              {RANGES[each]}
            </button>
          ))}
        </div>
      }
    >
      {spans ? <Charts spans={spans} range={range} /> : <p class="loading">Loading …</p>}
      {range === "recent" && calls && <Missing calls={calls} />}
    </Card>
  );
}

function spansOf(range: ChartRange, calls: LiveCalls | undefined, stats: Stats | undefined): Spans | undefined {
  if (range === "recent") return calls && recentSpans(calls.rows, Date.now());
  return stats?.window === range ? countedSpans(stats) : undefined;
}

function Charts({ spans, range }: { spans: Spans; range: ChartRange }): JSX.Element {
  const { times, spanSeconds, from, until, calls, errors, denied, p50, p99 } = spans;
  const answered = calls.map((count, at) => count - (errors[at] ?? 0) - (denied[at] ?? 0));
  const rates: Line[] = [
    { label: "Errors", colour: "danger", values: errors },
    { label: "Denied", colour: "warn", values: denied },
    { label: "Answered", colour: "accent", values: answered },
  ];
  // What the server counts by buckets is an upper bound.
  const bound = range === "recent" ? "" : "≤ ";
  const latencies: Line[] = [
    { label: `${bound}p50`, colour: "accent", values: p50 },
    { label: `${bound}p99`, colour: "info", values: p99 },
  ];
  const axis = { times, spanSeconds, from, until };
  const empty = `No calls in ${EMPTY[range]}`;
  return (
    <div class="columns">
      <div class="stack close">
        <h3>Calls a minute</h3>
        <Chart {...axis} kind="bars" lines={rates} format={formatRate} summary={sayRates(spans)} empty={empty} />
      </div>
      <div class="stack close">
        <h3>Latency, on a logarithmic scale</h3>
        <Chart
          {...axis}
          kind="levels"
          lines={latencies}
          format={formatMs}
          summary={sayLatencies(spans)}
          empty={empty}
        />
      </div>
    </div>
  );
}

const EMPTY: Record<ChartRange, string> = {
  recent: "the last 15 minutes",
  hour: "the last hour",
  day: "the last 24 hours",
};

const RATE = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const formatRate = (rate: number): string => RATE.format(rate);

const formatMs = (ms: number): string => (ms < 1_000 ? `${RATE.format(ms)} ms` : `${RATE.format(ms / 1_000)} s`);

const sayRates = ({ calls, errors, denied }: Spans): string =>
  `Calls a minute: at most ${most(calls)}, lately ${most(calls.slice(-1))}. Errors at most ${most(errors)}, denied at most ${most(denied)}.`;

const sayLatencies = ({ p50, p99 }: Spans): string =>
  `Latency: the median at most ${most(p50)} ms, the 99th percentile at most ${most(p99)} ms.`;

const most = (values: readonly (number | null)[]): string =>
  formatCount(Math.round(Math.max(0, ...values.map((value) => value ?? 0))));

/** More was called than a page of single calls can hold. */
function Missing({ calls: { completeFromMs, rows } }: { calls: LiveCalls }): JSX.Element | null {
  if (completeFromMs === undefined || Date.now() - completeFromMs >= RECENT_SECONDS * 1000) return null;
  return (
    <p class="soft small">
      The last {formatCount(rows.length)} calls, which go back to {formatClock(completeFromMs)}. The hour and the day
      are counted by the server and have all of them.
    </p>
  );
}
