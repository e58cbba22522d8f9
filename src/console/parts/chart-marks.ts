// What a chart draws in each span, as shapes in pixels: bars, and levels that stand for the whole span. uPlot's own paths
// go from one point to the next, so that a span between two empty ones would be a line of no width, or nothing.

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Neighbouring spans that all have a value: from `first` on, as many as there are values. */
export interface Run {
  first: number;
  values: readonly number[];
}

/** The runs, in order. */
export function runsOf(values: readonly (number | null)[]): Run[] {
  const runs: { first: number; values: number[] }[] = [];
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const last = runs.at(-1);
    if (last && last.first + last.values.length === at) last.values.push(value);
    else runs.push({ first: at, values: [value] });
  }
  return runs;
}

const LEAST_GAP_SPAN_PX = 4;
const LEAST_HEIGHT_PX = 2;

/**
 * A bar from `low` to `high` on pixels that grow downwards. What is there is seen, however little of it there is; between
 * bars that are wide enough there is a pixel of the ground.
 */
export function barOf(left: number, right: number, low: number, high: number, pixelRatio: number): Rect {
  const [from, to] = [Math.round(left), Math.round(right)];
  const gap = to - from >= LEAST_GAP_SPAN_PX * pixelRatio ? Math.max(1, Math.round(pixelRatio)) : 0;
  const height = Math.max(low - high, LEAST_HEIGHT_PX * pixelRatio);
  return { x: from, y: low - height, width: Math.max(to - from - gap, 1), height };
}

/** The points of the line through a run: flat over each span, upright between two. `edgeOf` is where a span begins. */
export const levelsOf = (
  { first, values }: Run,
  edgeOf: (at: number) => number,
  heightOf: (value: number) => number,
): [x: number, y: number][] =>
  values.flatMap((value, index): [number, number][] => {
    const y = heightOf(value);
    return [
      [edgeOf(first + index), y],
      [edgeOf(first + index + 1), y],
    ];
  });
