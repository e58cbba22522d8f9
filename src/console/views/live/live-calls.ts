// The newest calls, followed by asking for what is newer than the newest. A row has the time at which its call began and
// is written when it ended: each round looks back a little, and some rounds as far as a call may last.

import { readCalls, type CallRow } from "../../api/audit-api.ts";
import { usePoll, type Answer, type Pace } from "../../poll.ts";
import type { Resource } from "../../resource.ts";
import { useSession } from "../../session.ts";
import { SERVER_LIMITS } from "../../server-limits.ts";

export interface LiveCalls {
  /** The newest first. */
  rows: readonly CallRow[];
  /** From this time on every row is there (milliseconds since 1970); `undefined` where all that there are are. */
  completeFromMs: number | undefined;
  round: number;
}

/** Each round asks every audit log once. */
export const CALLS_PACE: Pace = { leastMs: 2_000, mostMs: 15_000 };

const FIRST_ROWS = 300;
export const KEPT_ROWS = 1_000;
/** Longer than rows wait to be written. */
const LOOK_BACK_MS = 15_000;
/** Longer than the longest call. */
const FAR_LOOK_BACK_MS = 330_000;
const FAR_ROUND = 10;

export function useLiveCalls(isPaused: boolean): Resource<LiveCalls> {
  const { api } = useSession();
  return usePoll<LiveCalls>(
    async (signal, before) => {
      const newest = before?.rows[0];
      if (!before || !newest) {
        // No time: the browser's clock need not be the server's.
        const { rows, nextCursor } = await readCalls(api, { limit: FIRST_ROWS }, signal);
        return begin(rows, nextCursor !== undefined);
      }
      const round = before.round + 1;
      const lookBackMs = round % FAR_ROUND === 0 ? FAR_LOOK_BACK_MS : LOOK_BACK_MS;
      const since = new Date(Date.parse(newest.at) - lookBackMs).toISOString();
      const { rows, nextCursor } = await readCalls(api, { since, limit: SERVER_LIMITS.auditPageMaxItems }, signal);
      return followCalls({ ...before, round }, rows, nextCursor !== undefined);
    },
    [api],
    CALLS_PACE,
    isPaused,
  );
}

const begin = (rows: readonly CallRow[], isCut: boolean): Answer<LiveCalls> => ({
  data: { rows, completeFromMs: isCut ? timeOf(rows.at(-1)) : undefined, round: 0 },
  isNews: rows.length > 0,
});

/** What is known with what was found; where there may be more between the two, only what was found. */
export function followCalls(before: LiveCalls, found: readonly CallRow[], isCut: boolean): Answer<LiveCalls> {
  const [newest, oldestFound] = [before.rows[0], found.at(-1)];
  if (isCut && newest && oldestFound && oldestFound.at > newest.at) return begin(found, true);
  const known = new Set(before.rows.map(({ id }) => id));
  const fresh = found.filter(({ id }) => !known.has(id));
  const all = [...fresh, ...before.rows].sort((a, b) => b.at.localeCompare(a.at) || b.id.localeCompare(a.id));
  const rows = all.slice(0, KEPT_ROWS);
  const completeFromMs = all.length > KEPT_ROWS ? timeOf(rows.at(-1)) : before.completeFromMs;
  return { data: { rows, completeFromMs, round: before.round }, isNews: fresh.length > 0 };
}

const timeOf = (row: CallRow | undefined): number | undefined => (row ? Date.parse(row.at) : undefined);
