// What happens now: figures first, then charts, calls as they end, who listens, what changed and where the trouble is.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { readActions } from "../../api/audit-api.ts";
import { readSessions, readStats, type Sessions, type Stats, type StatsWindow } from "../../api/stats-api.ts";
import { useFeed } from "../../feed.ts";
import { Page, ProblemNotice } from "../../parts/surface.tsx";
import { usePoll, type Pace } from "../../poll.ts";
import type { Resource } from "../../resource.ts";
import { hrefOf } from "../../router.ts";
import { useSession } from "../../session.ts";
import { KeyName } from "../audit/row-cells.tsx";
import { useKeyNames } from "../key-names.ts";
import { BreakdownCard } from "./breakdown-card.tsx";
import { CallsCard } from "./calls-card.tsx";
import { ChangesCard } from "./changes-card.tsx";
import { ChartsCard, type ChartRange } from "./charts-card.tsx";
import { ListenersCard, SESSIONS_PACE } from "./listeners-card.tsx";
import { useLiveCalls } from "./live-calls.ts";
import { Overview } from "./overview.tsx";

/** Each round asks every audit log twice. */
const STATS_PACE: Pace = { leastMs: 10_000, mostMs: 60_000 };
/** Each round asks the registry once; a change that is heard of asks at once. */
const ACTIONS_PACE: Pace = { leastMs: 15_000, mostMs: 60_000 };
const ACTIONS = 10;

/** `#/live`. */
export function Live(): JSX.Element {
  const [isPaused, setPaused] = useState(false);
  const [range, setRange] = useState<ChartRange>("recent");
  const names = useKeyNames();
  const calls = useLiveCalls(isPaused);
  const stats = useStats(range === "day" ? "day" : "hour", isPaused);
  const sessions = useSessions(isPaused);
  const actions = useActions(isPaused);
  const window = stats.data?.window === "day" ? "last 24 hours" : "last hour";
  return (
    <Page title="Live" lead="What happens on this server, as it happens.">
      {stats.problem && <ProblemNotice problem={stats.problem} onRetry={stats.reload} />}
      <Overview stats={stats.data} sessions={sessions.data} version={actions.data?.[0]?.version} />
      <ChartsCard range={range} onRange={setRange} calls={calls.data} stats={stats.data} />
      <CallsCard calls={calls} names={names} isPaused={isPaused} onPause={setPaused} />
      <div class="columns">
        <BreakdownCard
          title={`Tools, ${window}`}
          rows={stats.data?.tools.map((row) => ({ ...row, id: row.tool, name: <ToolLink name={row.tool} /> }))}
        />
        <BreakdownCard
          title={`Keys, ${window}`}
          rows={stats.data?.keys.map((row) => ({
            ...row,
            id: row.key,
            name: <KeyName id={row.key} names={names} />,
          }))}
        />
      </div>
      <ListenersCard sessions={sessions} names={names} />
      <ChangesCard actions={actions} names={names} />
    </Page>
  );
}

/** What statistics call all names together that the catalogue does not have. */
const isUnknown = (name: string): boolean => name.startsWith("(");

const ToolLink = ({ name }: { name: string }): JSX.Element => (
  <a
    class="mono anywhere"
    href={hrefOf(["audit"], { kind: "call", ...(isUnknown(name) ? { outcome: "unknown_tool" } : { tool: name }) })}
  >
    {name}
  </a>
);

function useStats(window: StatsWindow, isPaused: boolean): Resource<Stats> {
  const { api } = useSession();
  return usePoll<Stats>(
    async (signal, before) => {
      const data = await readStats(api, { window, series: true }, signal);
      return { data, isNews: before?.total.calls !== data.total.calls };
    },
    [api, window],
    STATS_PACE,
    isPaused,
  );
}

function useSessions(isPaused: boolean): Resource<Sessions> {
  const { api } = useSession();
  // This page is one of them, once it listens.
  const { status } = useFeed();
  return usePoll<Sessions>(
    async (signal, before) => {
      const data = await readSessions(api, {}, signal);
      return { data, isNews: JSON.stringify(before?.sessions) !== JSON.stringify(data.sessions) };
    },
    [api, status],
    SESSIONS_PACE,
    isPaused,
  );
}

function useActions(isPaused: boolean) {
  const { api } = useSession();
  const { changes } = useFeed();
  return usePoll(
    async (signal, before: Awaited<ReturnType<typeof readActions>>["rows"] | undefined) => {
      const { rows } = await readActions(api, { limit: ACTIONS }, signal);
      return { data: rows, isNews: before?.[0]?.id !== rows[0]?.id };
    },
    [api, changes],
    ACTIONS_PACE,
    isPaused,
  );
}
