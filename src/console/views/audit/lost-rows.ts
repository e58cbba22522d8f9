import type { Losses } from "../../api/audit-api.ts";

const REASONS: Record<keyof Losses, string> = {
  full: "because an isolate held too many",
  refused: "for refused calls beyond those that get one",
  unsent: "that no log took in time",
  queue: "that the queue did not take",
  trimmed: "to stay within the logs' size",
};

/** What the trail does not have, and why; "" when it has all. */
export const lostText = (lost: Losses): string =>
  (Object.keys(REASONS) as (keyof Losses)[])
    .filter((reason) => lost[reason] > 0)
    .map((reason) => `Rows lost ${REASONS[reason]}: ${lost[reason]}.`)
    .join(" ");
