// Calls, errors, refusals and latency by key and tool, out of what the logs counted.

import { LIMITS } from "../lib/limits.ts";
import type { SpanTally, Tally } from "./audit-contract.ts";
import type { CallOutcome } from "./call-row.ts";
import { LATENCY_BOUNDS_MS } from "./tally.ts";

/** Calls that their caller may not make, now or ever. */
const DENIED: ReadonlySet<string> = new Set<CallOutcome>(["limited", "forbidden", "unauthorized"]);
const NO_ERRORS: ReadonlySet<string> = new Set<CallOutcome>(["ok", "input_required", "cancelled"]);

export interface CallStats {
  calls: number;
  /** Neither denied nor `ok`, `input_required` or `cancelled`. */
  errors: number;
  denied: number;
  outcomes: Record<string, number>;
  /** Of calls that were not denied: the upper bound of the bucket, `null` where nothing bounds it or nothing ran. */
  latencyMs: Record<"p50" | "p90" | "p99", number | null>;
}

export interface StatsReport {
  total: CallStats;
  /** The busiest first. */
  tools: (CallStats & { tool: string })[];
  keys: (CallStats & { key: string })[];
}

export function sumTallies(tallies: readonly Tally[]): StatsReport {
  return {
    total: statsOf(tallies),
    tools: groupBy(tallies, ([, , tool]) => tool).map(([tool, group]) => ({ tool, ...statsOf(group) })),
    keys: groupBy(tallies, ([, key]) => key).map(([key, group]) => ({ key, ...statsOf(group) })),
  };
}

/** Stats of each span in which there were calls, the oldest first. Times are milliseconds since 1970. */
export const seriesOf = (spans: readonly SpanTally[]): (CallStats & { atMs: number })[] =>
  [...Map.groupBy(spans, ([slot]) => slot)]
    .toSorted(([a], [b]) => a - b)
    .map(([slot, group]) => ({
      atMs: slot * LIMITS.auditSlotMs,
      ...statsOf(group.map(([, ...counted]): Tally => [slot, "", "", ...counted])),
    }));

function statsOf(tallies: readonly Tally[]): CallStats {
  const outcomes: Record<string, number> = {};
  const buckets = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, () => 0);
  for (const [, , , outcome, bucket, calls] of tallies) {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + calls;
    if (!DENIED.has(outcome)) buckets[bucket] = (buckets[bucket] ?? 0) + calls;
  }
  const count = (matches: (outcome: string) => boolean): number =>
    Object.entries(outcomes).reduce((sum, [outcome, calls]) => sum + (matches(outcome) ? calls : 0), 0);
  return {
    calls: count(() => true),
    errors: count((outcome) => !DENIED.has(outcome) && !NO_ERRORS.has(outcome)),
    denied: count((outcome) => DENIED.has(outcome)),
    outcomes,
    latencyMs: { p50: quantile(buckets, 0.5), p90: quantile(buckets, 0.9), p99: quantile(buckets, 0.99) },
  };
}

function quantile(buckets: readonly number[], share: number): number | null {
  const wanted = buckets.reduce((sum, calls) => sum + calls, 0) * share;
  let passed = 0;
  const bucket = buckets.findIndex((calls) => {
    passed += calls;
    return passed > 0 && passed >= wanted;
  });
  return LATENCY_BOUNDS_MS[bucket] ?? null;
}

const callsOf = (group: readonly Tally[]): number => group.reduce((sum, [, , , , , calls]) => sum + calls, 0);

function groupBy(tallies: readonly Tally[], nameOf: (tally: Tally) => string): [string, Tally[]][] {
  return [...Map.groupBy(tallies, nameOf)].toSorted(([, a], [, b]) => callsOf(b) - callsOf(a));
}
