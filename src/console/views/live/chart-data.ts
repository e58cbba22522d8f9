// Numbers for the charts: of single calls for the last minutes, of what the server counted for longer.

import type { CallRow } from "../../api/audit-api.ts";
import type { SeriesPoint, Stats } from "../../api/stats-api.ts";

/** Per span; the rates in calls a minute, the latencies in milliseconds, of calls that were not denied. */
export interface Spans {
  /** Seconds since 1970. */
  times: number[];
  spanSeconds: number;
  from: number;
  until: number;
  calls: number[];
  errors: number[];
  denied: number[];
  p50: (number | null)[];
  p99: (number | null)[];
}

export const RECENT_SECONDS = 15 * 60;
const RECENT_SPAN_SECONDS = 15;

const DENIED = new Set(["limited", "forbidden", "unauthorized"]);
const NO_ERRORS = new Set(["ok", "input_required", "cancelled"]);

export const isDenied = (outcome: string): boolean => DENIED.has(outcome);
export const isError = (outcome: string): boolean => !DENIED.has(outcome) && !NO_ERRORS.has(outcome);

/** Of single calls, up to `nowMs` or to the newest, should clocks differ. */
export function recentSpans(rows: readonly CallRow[], nowMs: number): Spans {
  const newestMs = rows[0] ? Date.parse(rows[0].at) : 0;
  const last = Math.floor(Math.max(nowMs, newestMs) / 1000 / RECENT_SPAN_SECONDS);
  const until = (last + 1) * RECENT_SPAN_SECONDS;
  const from = until - RECENT_SECONDS;
  const times = range(from, until, RECENT_SPAN_SECONDS);
  const groups = times.map((): CallRow[] => []);
  for (const row of rows) groups[Math.floor((Date.parse(row.at) / 1000 - from) / RECENT_SPAN_SECONDS)]?.push(row);
  const perMinute = (matches: (outcome: string) => boolean): number[] =>
    groups.map((group) => (group.filter(({ outcome }) => matches(outcome)).length * 60) / RECENT_SPAN_SECONDS);
  const latencies = groups.map((group) =>
    group
      .filter(({ outcome }) => !isDenied(outcome))
      .map(({ durationMs }) => durationMs)
      .sort((a, b) => a - b),
  );
  return {
    times,
    spanSeconds: RECENT_SPAN_SECONDS,
    from,
    until,
    calls: perMinute(() => true),
    errors: perMinute(isError),
    denied: perMinute(isDenied),
    p50: latencies.map((sorted) => quantile(sorted, 0.5)),
    p99: latencies.map((sorted) => quantile(sorted, 0.99)),
  };
}

/** As the server counted them. */
export function countedSpans({ since, until, series }: Stats): Spans {
  const spanSeconds = series?.spanSeconds ?? 300;
  const bySeconds = new Map(series?.points.map((point) => [Date.parse(point.at) / 1000, point]));
  const [from, end] = [Date.parse(since) / 1000, Date.parse(until) / 1000];
  const times = range(from, end, spanSeconds);
  const points = times.map((time) => bySeconds.get(time));
  // The last span is not over yet: its rate is of the time that has passed.
  const minutes = times.map((time) => Math.max(Math.min(spanSeconds, end - time), 60) / 60);
  const perMinute = (countOf: (point: SeriesPoint) => number): number[] =>
    points.map((point, index) => (point ? countOf(point) / (minutes[index] ?? 1) : 0));
  return {
    times,
    spanSeconds,
    from,
    until: end,
    calls: perMinute(({ calls }) => calls),
    errors: perMinute(({ errors }) => errors),
    denied: perMinute(({ denied }) => denied),
    p50: points.map((point) => point?.latencyMs.p50 ?? null),
    p99: points.map((point) => point?.latencyMs.p99 ?? null),
  };
}

const range = (from: number, until: number, step: number): number[] =>
  Array.from({ length: Math.max(0, Math.ceil((until - from) / step)) }, (_, index) => from + index * step);

const quantile = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
