// `mcp.server.operation.duration` by what its attributes say, since it was told last. Bounded: what would be one series too
// many is counted as lost.

import { LIMITS } from "../lib/limits.ts";
import { metricAttributes, type Attributes, type Operation } from "./operation.ts";

/** Upper bounds in seconds, as the conventions advise. */
export const DURATION_BOUNDS_S = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] as const;

export interface DurationSeries {
  attributes: Attributes;
  count: number;
  sumS: number;
  /** One more than there are bounds. */
  buckets: number[];
}

export class DurationHistograms {
  readonly #series = new Map<string, DurationSeries>();

  /** Whether there was room for it. */
  record(operation: Operation): boolean {
    const attributes = metricAttributes(operation);
    const name = JSON.stringify(attributes);
    const series = this.#series.get(name) ?? emptySeries(attributes);
    if (series.count === 0) {
      if (this.#series.size >= LIMITS.otlpSeries) return false;
      this.#series.set(name, series);
    }
    const durationS = Math.max(0, operation.endedAtMs - operation.startedAtMs) / 1000;
    const bucket = DURATION_BOUNDS_S.findIndex((boundS) => durationS <= boundS);
    const index = bucket < 0 ? DURATION_BOUNDS_S.length : bucket;
    series.buckets[index] = (series.buckets[index] ?? 0) + 1;
    series.count++;
    series.sumS += durationS;
    return true;
  }

  get isEmpty(): boolean {
    return this.#series.size === 0;
  }

  /** All series, which begin anew. */
  take(): DurationSeries[] {
    const taken = [...this.#series.values()];
    this.#series.clear();
    return taken;
  }
}

const emptySeries = (attributes: Attributes): DurationSeries => ({
  attributes,
  count: 0,
  sumS: 0,
  buckets: Array.from({ length: DURATION_BOUNDS_S.length + 1 }, () => 0),
});
