import type { ComponentChildren, JSX } from "preact";
import { classes } from "./button.tsx";
import type { Tone } from "./surface.tsx";

export interface FigureProps {
  label: string;
  value: ComponentChildren;
  /** What it is of, or what else there is to know. */
  note?: ComponentChildren;
  tone?: Tone | undefined;
  href?: string;
}

/** Numbers that are looked at first. */
export const Figures = ({ label, figures }: { label: string; figures: readonly FigureProps[] }): JSX.Element => (
  <dl class="figures" aria-label={label}>
    {figures.map((figure) => (
      <Figure key={figure.label} {...figure} />
    ))}
  </dl>
);

const Figure = ({ label, value, note, tone, href }: FigureProps): JSX.Element => (
  <div class={classes("figure", tone)}>
    <dt>{href === undefined ? label : <a href={href}>{label}</a>}</dt>
    <dd class="value number">{value}</dd>
    {note !== undefined && <dd class="note">{note}</dd>}
  </div>
);

/** How much of something is used up, and how much is left. */
export const Meter = ({ used, of, label }: { used: number; of: number; label: string }): JSX.Element => (
  <div class="meter">
    <div class="row apart">
      <span class="number">
        <strong>{formatCount(used)}</strong> of {formatCount(of)} used ({SHARE.format(of === 0 ? 1 : used / of)})
      </span>
      <span class="number soft">{formatCount(Math.max(of - used, 0))} left</span>
    </div>
    <meter aria-label={label} min={0} max={of} value={Math.min(used, of)} low={of * 0.8} high={of * 0.95} optimum={0} />
  </div>
);

const SHARE = new Intl.NumberFormat(undefined, { style: "percent", maximumSignificantDigits: 2 });
const COUNT = new Intl.NumberFormat();

export const formatCount = (count: number): string => COUNT.format(count);
