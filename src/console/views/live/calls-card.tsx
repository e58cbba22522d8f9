import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CallRow } from "../../api/audit-api.ts";
import { Button } from "../../parts/button.tsx";
import { formatClock } from "../../parts/clock.ts";
import { Name } from "../../parts/name.tsx";
import { Card, Empty, Loaded } from "../../parts/surface.tsx";
import { Table } from "../../parts/table.tsx";
import type { Resource } from "../../resource.ts";
import { hrefOf } from "../../router.ts";
import { KeyName } from "../audit/row-cells.tsx";
import { RowDialog } from "../audit/row-dialog.tsx";
import { OutcomeBadge } from "../outcomes.tsx";
import { CALLS_PACE, type LiveCalls } from "./live-calls.ts";

const SHOWN_ROWS = 15;

export interface CallsCardProps {
  calls: Resource<LiveCalls>;
  names: ReadonlyMap<string, string>;
  isPaused: boolean;
  onPause: (isPaused: boolean) => void;
}

/** The newest calls, as they come. */
export function CallsCard({ calls, names, isPaused, onPause }: CallsCardProps): JSX.Element {
  const [shown, setShown] = useState<CallRow>();
  return (
    <Card
      flush
      title="Calls"
      actions={
        <span class="row">
          <Button slim icon={isPaused ? "play" : "stop"} onPress={() => onPause(!isPaused)}>
            {isPaused ? "Go on" : "Pause"}
          </Button>
          <a class="button slim" href={hrefOf(["audit"], { kind: "call" })}>
            All calls
          </a>
        </span>
      }
    >
      <Loaded resource={calls}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title="Nothing was called yet">Calls show here within seconds of their end.</Empty>
          ) : (
            <CallTable rows={rows.slice(0, SHOWN_ROWS)} names={names} onShow={setShown} />
          )
        }
      </Loaded>
      <p class="soft small footnote">
        Asked for, of every audit log, every {CALLS_PACE.leastMs / 1000} s while calls come in, then ever more rarely,
        up to every {CALLS_PACE.mostMs / 1000} s; not at all while this page is out of sight. A row is written about a
        second after its call ended.
      </p>
      {shown && <RowDialog row={shown} names={names} onClose={() => setShown(undefined)} />}
    </Card>
  );
}

interface CallTableProps {
  rows: readonly CallRow[];
  names: ReadonlyMap<string, string>;
  onShow: (row: CallRow) => void;
}

const CallTable = ({ rows, names, onShow }: CallTableProps): JSX.Element => (
  <Table
    caption="The newest calls"
    rows={rows}
    keyOf={({ id }) => id}
    columns={[
      {
        title: "Tool",
        isName: true,
        cell: ({ tool }) => (
          <code>
            <Name text={tool} />
          </code>
        ),
      },
      { title: "Outcome", untitled: true, cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
      { title: "Took", atEnd: true, cell: ({ durationMs }) => <span class="number nowrap">{durationMs} ms</span> },
      { title: "Key", cell: ({ key }) => <KeyName id={key} names={names} /> },
      { title: "Client", cell: ({ client, transport }) => `${client.name} · ${transport}` },
      { title: "Began", cell: ({ at }) => <ClockTime at={at} /> },
      {
        title: "Details",
        untitled: true,
        atEnd: true,
        cell: (row) => (
          <Button slim look="plain" label={`Details of the call of ${row.tool}`} onPress={() => onShow(row)}>
            Details
          </Button>
        ),
      },
    ]}
  />
);

/** The time of day. */
export const ClockTime = ({ at }: { at: string }): JSX.Element => (
  <time class="number nowrap" dateTime={at} title={at}>
    {formatClock(new Date(at))}
  </time>
);
