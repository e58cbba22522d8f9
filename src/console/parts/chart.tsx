// Spans of time, drawn by uPlot in the page's own colours: bars upon each other, or levels. A canvas says nothing to
// screen readers: a sentence does.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import UPlot from "uplot";
import { barOf, levelsOf, runsOf } from "./chart-marks.ts";
import { formatClock, formatMinutes } from "./clock.ts";

export interface Line {
  label: string;
  /** A colour's token. */
  colour: "accent" | "warn" | "danger" | "info";
  /** One for each span; nothing is drawn where it is null, and no bar where it is 0. */
  values: readonly (number | null)[];
}

export interface ChartProps {
  /** Seconds since 1970, ascending: where each span begins. */
  times: readonly number[];
  spanSeconds: number;
  /** The ends of the axis. */
  from: number;
  until: number;
  /** Of bars, the lowest first: each stands on the one before. */
  lines: readonly Line[];
  /**
   * Bars for what adds up; levels for what does not, on an axis that has room for a thousandfold. The ground between the
   * first level and each other is coloured: what lies between a median and the worst.
   */
  kind: "bars" | "levels";
  format: (value: number) => string;
  /** What the chart shows, in a sentence. */
  summary: string;
  /** What is said where there is nothing to draw. */
  empty: string;
}

const HEIGHT_PX = 190;

export function Chart(props: ChartProps): JSX.Element {
  const { times, spanSeconds, lines, kind, format, summary, empty } = props;
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const theme = useTheme();
  const [at, setAt] = useState<number | null>(null);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const drawn = new UPlot(
      optionsOf(element.clientWidth, () => latest.current, setAt),
      dataOf(latest.current),
      element,
    );
    plot.current = drawn;
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      drawn.destroy();
    };
  }, [kind, lines.length, theme]);
  useEffect(() => plot.current?.setData(dataOf(latest.current)), [times, lines, props.from, props.until]);
  const isEmpty = lines.every(({ values }) => values.every((value) => !value && (kind === "bars" || value === null)));
  const time = at === null ? undefined : times[at];
  return (
    <figure class="chart">
      <div class="chart-frame">
        <div ref={frame} role="img" aria-label={summary} />
        {isEmpty && (
          <p class="chart-empty">
            <span>{empty}</span>
          </p>
        )}
      </div>
      <figcaption class="legend" aria-hidden="true">
        {lines.map(({ label, colour, values }) => (
          <span key={label}>
            <i class={`swatch ${colour}`} /> {label} <b>{at === null ? "" : show(values[at], format)}</b>
          </span>
        ))}
        {time !== undefined && <span class="at">{clockOf(time, spanSeconds)}</span>}
      </figcaption>
    </figure>
  );
}

const show = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? "–" : format(value);

/** Each at the middle of its span, where the pointer finds it; bars as high as what they stand on and they together. */
function dataOf({ times, spanSeconds, lines, kind }: ChartProps): UPlot.AlignedData {
  const tops = kind === "bars" ? topsOf(lines) : upwards(lines).map(({ values }) => [...values]);
  return [times.map((time) => time + spanSeconds / 2), ...tops];
}

/** Levels in the order in which they are drawn: the first above all others. */
const upwards = (lines: readonly Line[]): readonly Line[] => lines.toReversed();

function topsOf(lines: readonly Line[]): number[][] {
  const tops: number[][] = [];
  for (const { values } of lines) {
    const below = tops.at(-1);
    tops.push(values.map((value, at) => (value ?? 0) + (below?.[at] ?? 0)));
  }
  return tops;
}

/** The least that an axis reaches to, so that little does not look like much. */
const LEAST_TOP = { bars: 4, levels: 100 };
/** From here on 0 and 1 are too close to each other to have a label each. */
const CLOSE_TOP = 2_000;

function optionsOf(width: number, props: () => ChartProps, onAt: (at: number | null) => void): UPlot.Options {
  const { kind, lines } = props();
  const style = getComputedStyle(document.documentElement);
  const colourOf = (token: string): string => style.getPropertyValue(`--${token}`).trim();
  const axis: UPlot.Axis = {
    stroke: colourOf("text-soft"),
    grid: { stroke: colourOf("line"), width: 1 },
    ticks: { show: false },
    font: `12px ${getComputedStyle(document.body).fontFamily}`,
  };
  const scale: UPlot.Scale =
    kind === "bars"
      ? { range: (_, __, most) => [0, most ? most * 1.1 : LEAST_TOP.bars] }
      : { distr: 4, range: (_, __, most) => [0, Math.max((most ?? 0) * 1.4, LEAST_TOP.levels)] };
  const paths = kind === "bars" ? barPaths(props) : levelPaths(props);
  return {
    width,
    height: HEIGHT_PX,
    padding: [8, 18, 0, 0],
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    legend: { show: false },
    scales: { x: { time: true, range: () => [props().from, props().until] }, y: scale },
    axes: [
      { ...axis, size: 28, gap: 6, space: 64, grid: { show: false }, values: (_, times) => times.map(clock) },
      {
        ...axis,
        size: 52,
        space: 32,
        values: (_, values) => values.map((value) => props().format(value)),
        ...(kind === "levels" && { splits: (_, __, ___, most) => decades(most), filter: (_, splits) => splits }),
      },
    ],
    hooks: { setCursor: [({ cursor }) => onAt(cursor.idx ?? null)] },
    series: [
      {},
      ...(kind === "bars" ? lines : upwards(lines)).map(({ colour }): UPlot.Series => ({
        stroke: colourOf(`chart-${colour}`),
        fill: colourOf(kind === "bars" ? `chart-${colour}` : `${colour}-soft`),
        width: 2,
        cap: "round",
        points: { show: false },
        paths,
      })),
    ],
  };
}

/** 0, 1, 10, 100 and so on. */
const decades = (most: number): number[] => {
  const splits = [0];
  for (let split = most < CLOSE_TOP ? 1 : 10; split <= most; split *= 10) splits.push(split);
  return splits;
};

/** In canvas pixels: where the span of a number begins. Past the last one it is where that ends. */
const edgeOf =
  (plot: UPlot, { times, from, spanSeconds }: ChartProps) =>
  (at: number): number =>
    plot.valToPos(Math.max((times[0] ?? 0) + at * spanSeconds, from), "x", true);

const barPaths =
  (props: () => ChartProps): UPlot.Series.PathBuilder =>
  (plot, series) => {
    const edge = edgeOf(plot, props());
    const values = props().lines[series - 1]?.values ?? [];
    const below = series > 1 ? plot.data[series - 1] : undefined;
    const fill = new Path2D();
    const heightOf = (value: number): number => plot.valToPos(value, "y", true);
    for (const [at, value] of values.entries()) {
      if (!value) continue;
      const base = below?.[at] ?? 0;
      const { x, y, width, height } = barOf(
        edge(at),
        edge(at + 1),
        heightOf(base),
        heightOf(base + value),
        devicePixelRatio,
      );
      fill.rect(x, y, width, height);
    }
    return { stroke: null, fill };
  };

const levelPaths =
  (props: () => ChartProps): UPlot.Series.PathBuilder =>
  (plot, series) => {
    const edge = edgeOf(plot, props());
    const heightOf = (value: number): number => plot.valToPos(value, "y", true);
    const { lines } = props();
    const line = upwards(lines)[series - 1];
    const floor = line === lines[0] ? undefined : lines[0];
    const stroke = new Path2D();
    const fill = new Path2D();
    for (const run of runsOf(line?.values ?? [])) {
      for (const [at, [x, y]] of levelsOf(run, edge, heightOf).entries()) {
        if (at === 0) stroke.moveTo(x, y);
        else stroke.lineTo(x, y);
      }
      for (const [index, value] of run.values.entries()) {
        const at = run.first + index;
        const [top, bottom] = [heightOf(value), heightOf(floor?.values[at] ?? value)];
        fill.rect(edge(at), top, edge(at + 1) - edge(at), Math.max(bottom - top, 0));
      }
    }
    return { stroke, fill };
  };

const clock = (time: number): string => formatMinutes(time * 1000);

const clockOf = (time: number, spanSeconds: number): string =>
  spanSeconds < 60 ? formatClock(time * 1000) : clock(time);

/** Changes when the colours do, which a canvas does not follow by itself. */
function useTheme(): boolean {
  const [isDark, setDark] = useState(() => matchMedia(DARK).matches);
  useEffect(() => {
    const media = matchMedia(DARK);
    const follow = (): void => setDark(media.matches);
    media.addEventListener("change", follow);
    return () => media.removeEventListener("change", follow);
  }, []);
  return isDark;
}

const DARK = "(prefers-color-scheme: dark)";
