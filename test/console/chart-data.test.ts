import { expect, test } from "vitest";
import type { CallRow } from "../../src/console/api/audit-api.ts";
import type { CallStats, Stats } from "../../src/console/api/stats-api.ts";
import { countedSpans, recentSpans } from "../../src/console/views/live/chart-data.ts";

const NOW_MS = Date.parse("2030-01-01T12:00:00Z");

const row = (agoSeconds: number, outcome: CallRow["outcome"], durationMs: number) =>
  ({ at: new Date(NOW_MS - agoSeconds * 1000).toISOString(), outcome, durationMs }) as CallRow;

test("single calls are counted in spans of 15 seconds, those that were denied without a latency", () => {
  const rows = [row(1, "ok", 4), row(2, "failed", 10), row(3, "limited", 0), row(40, "ok", 7), row(2_000, "ok", 1)];
  const { times, from, until, calls, errors, denied, p50, p99 } = recentSpans(rows, NOW_MS - 1);
  expect({ spans: times.length, from, until, last: times.at(-1) }).toEqual({
    spans: 60,
    from: NOW_MS / 1000 - 900,
    until: NOW_MS / 1000,
    last: NOW_MS / 1000 - 15,
  });
  const tail = [calls, errors, denied, p50, p99].map((values) => values.slice(-3));
  expect(tail).toEqual([
    [4, 0, 12],
    [0, 0, 4],
    [0, 0, 4],
    [7, null, 4],
    [7, null, 10],
  ]);
});

test("where the server's clock is ahead, the newest call is in the last span", () => {
  const { until, calls } = recentSpans([row(-60, "ok", 1)], NOW_MS);
  expect([until, calls.at(-1)]).toEqual([NOW_MS / 1000 + 75, 4]);
});

const point = (at: string, calls: number): CallStats & { at: string } => ({
  at,
  calls,
  errors: 1,
  denied: 0,
  outcomes: {},
  latencyMs: { p50: 5, p90: 5, p99: null },
});

test("what the server counted is a rate by span, the last one of the time that has passed", () => {
  const stats = {
    since: "2030-01-01T11:50:00.000Z",
    until: "2030-01-01T12:02:00.000Z",
    series: {
      spanSeconds: 300,
      points: [point("2030-01-01T11:50:00.000Z", 10), point("2030-01-01T12:00:00.000Z", 6)],
    },
  } as Stats;
  const { calls, errors, p50, p99 } = countedSpans(stats);
  expect({ calls, errors, p50, p99 }).toEqual({
    calls: [2, 0, 3],
    errors: [0.2, 0, 0.5],
    p50: [5, null, 5],
    p99: [null, null, null],
  });
});
