import * as v from "valibot";
import { quoteReceived } from "./issue-message.ts";

/** A point in time as ISO 8601 has it, of a day that there is: `Date.parse` takes 31 February for 3 March. */
export const IsoTimeSchema = v.pipe(
  v.string(),
  v.isoTimestamp("expected an ISO 8601 time such as 2030-01-31T12:00:00Z"),
  v.check(
    (time) => isDay(time.slice(0, 10)),
    ({ input }) => `expected a day that is in the calendar, received ${quoteReceived(input)}`,
  ),
);

function isDay(date: string): boolean {
  const atMs = Date.parse(date);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(date);
}
