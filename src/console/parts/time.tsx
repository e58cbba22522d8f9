import type { JSX } from "preact";
import { formatMoment } from "./clock.ts";

/** A moment in the reader's own zone, and exactly on pointing. */
export const Time = ({ at }: { at: string }): JSX.Element => (
  <time class="nowrap number" dateTime={at} title={at}>
    {formatMoment(new Date(at))}
  </time>
);
