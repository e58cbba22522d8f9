/** Of many times, in milliseconds after some event. */
export interface Spread {
  firstMs: number;
  medianMs: number;
  p99Ms: number;
  lastMs: number;
}

/** `undefined` when there are none. */
export function spreadOf(timesMs: readonly number[], sinceMs: number): Spread | undefined {
  if (timesMs.length === 0) return undefined;
  const sorted = Float64Array.from(timesMs).sort();
  return {
    firstMs: quantile(sorted, 0) - sinceMs,
    medianMs: quantile(sorted, 0.5) - sinceMs,
    p99Ms: quantile(sorted, 0.99) - sinceMs,
    lastMs: quantile(sorted, 1) - sinceMs,
  };
}

export const median = (values: readonly number[]): number => quantile(Float64Array.from(values).sort(), 0.5);

const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
