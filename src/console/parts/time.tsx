import type { JSX } from "preact";

const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** A moment in the reader's own zone, and exactly on pointing. */
export const Time = ({ at }: { at: string }): JSX.Element => (
  <time class="nowrap number" dateTime={at} title={at}>
    {FORMAT.format(new Date(at))}
  </time>
);
