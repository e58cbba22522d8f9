// Lines over time, drawn by uPlot, in the page's own colours. A canvas says nothing to screen readers: a sentence does.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import UPlot from "uplot";

export interface Line {
  label: string;
  /** A colour's token. */
  colour: "accent" | "warn" | "danger" | "info";
  /** One for each time; nothing is drawn where it is null. */
  values: readonly (number | null)[];
  isFilled?: boolean;
}

export interface ChartProps {
  /** Seconds since 1970, ascending: where each span begins. */
  times: readonly number[];
  /** The ends of the axis. */
  from: number;
  until: number;
  lines: readonly Line[];
  /** Such as "ms", after each number. */
  unit: string;
  /** What the chart shows, in a sentence. */
  summary: string;
  /** Whether a value holds for the whole span that it begins. */
  isStepped?: boolean;
}

const HEIGHT_PX = 190;

export function Chart(props: ChartProps): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const theme = useTheme();
  const shape = JSON.stringify([props.unit, props.isStepped, props.lines.map(({ label, colour }) => [label, colour])]);
  const range = useRef([props.from, props.until] as [number, number]);
  range.current = [props.from, props.until];
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const width = element.clientWidth;
    const drawn = new UPlot(
      optionsOf(props, width, () => range.current),
      dataOf(props),
      element,
    );
    plot.current = drawn;
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      drawn.destroy();
    };
  }, [shape, theme]);
  useEffect(() => plot.current?.setData(dataOf(props)), [props.times, props.lines, props.from, props.until]);
  return (
    <figure class="chart">
      <div ref={frame} role="img" aria-label={props.summary} />
    </figure>
  );
}

/** The last span's values once more at the end: a step is drawn from one point to the next. */
const dataOf = ({ times, until, lines, isStepped }: ChartProps): UPlot.AlignedData => [
  isStepped ? [...times, until] : [...times],
  ...lines.map(({ values }) => (isStepped ? [...values, values.at(-1) ?? null] : [...values])),
];

function optionsOf(
  { lines, unit, isStepped }: ChartProps,
  width: number,
  range: () => [number, number],
): UPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colourOf = (token: string): string => style.getPropertyValue(`--${token}`).trim();
  const axis: UPlot.Axis = {
    stroke: colourOf("text-soft"),
    grid: { stroke: colourOf("line"), width: 1 },
    ticks: { show: false },
    font: `12px ${getComputedStyle(document.body).fontFamily}`,
  };
  const show = (value: number | null): string => (value === null ? "–" : `${format(value)} ${unit}`.trim());
  const paths = isStepped ? UPlot.paths.stepped?.({ align: 1 }) : undefined;
  return {
    width,
    height: HEIGHT_PX,
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: { x: { time: true, range }, y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1)] } },
    axes: [
      { ...axis, space: 64, values: (_, times) => times.map(clock) },
      { ...axis, size: 56, values: (_, values) => values.map((value) => format(value)) },
    ],
    series: [
      { label: "At", value: (_, time) => (time === null ? "–" : clock(time)) },
      ...lines.map(({ label, colour, isFilled }): UPlot.Series => ({
        label,
        stroke: colourOf(colour),
        width: 1.5,
        points: { show: ({ data }, at) => isLonely(data[at] ?? []), size: 6 },
        value: (_, value) => show(value),
        ...(isFilled && { fill: colourOf(`${colour}-soft`) }),
        ...(paths && { paths }),
      })),
    ],
  };
}

/** A line needs two points: a single one would not be seen. As the last one it is there twice, for its step. */
const isLonely = (values: ArrayLike<number | null | undefined>): boolean =>
  Array.from(values).filter((value) => value !== null && value !== undefined).length <= 2;

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const clock = (time: number): string => CLOCK.format(time * 1000);

const NUMBER = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const format = (value: number): string => NUMBER.format(value);

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
