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

/** The bounds of the middle half. */
export function quartiles(values: readonly number[]): { lower: number; upper: number } {
  const sorted = Float64Array.from(values).sort();
  return { lower: quantile(sorted, 0.25), upper: quantile(sorted, 0.75) };
}

const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
