import type { JSX } from "preact";
import type { Listener, Sessions } from "../../api/stats-api.ts";
import { formatCount } from "../../parts/figure.tsx";
import { Badge, Card, Empty, Loaded, Notice } from "../../parts/surface.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import type { Pace } from "../../poll.ts";
import type { Resource } from "../../resource.ts";
import { KeyName } from "../audit/row-cells.tsx";

/** Each round asks the registry and every hub, which wakes those that sleep. */
export const SESSIONS_PACE: Pace = { leastMs: 20_000, mostMs: 120_000 };

const SHOWN_ROWS = 25;

const KINDS: Record<Listener["kind"], string> = {
  websocket: "WebSocket",
  sse: "HTTP+SSE (2024-11-05)",
  get: "GET stream",
  listen: "subscriptions/listen",
};

export interface ListenersCardProps {
  sessions: Resource<Sessions>;
  names: ReadonlyMap<string, string>;
}

/** Who is connected, by transport, revision and client. */
export const ListenersCard = ({ sessions, names }: ListenersCardProps): JSX.Element => (
  <Card flush title="Listeners">
    <Loaded resource={sessions}>
      {(data) => (
        <>
          <Unreached sessions={data} />
          {data.sessions.length === 0 ? (
            <Empty title="Nobody is connected">Clients that keep a socket or a stream open show here.</Empty>
          ) : (
            <>
              <Groups sessions={data} />
              <ListenerTable listeners={data.sessions.slice(0, SHOWN_ROWS)} names={names} />
            </>
          )}
          {data.total > SHOWN_ROWS && (
            <p class="soft small footnote">
              {SHOWN_ROWS} of {formatCount(data.total)} are shown
              {data.total > data.sessions.length && `; the groups count the first ${formatCount(data.sessions.length)}`}
              .
            </p>
          )}
        </>
      )}
    </Loaded>
  </Card>
);

const Unreached = ({ sessions: { hubs } }: { sessions: Sessions }): JSX.Element | null => {
  const lost = hubs.filter(({ reached }) => !reached).map(({ hub }) => hub);
  return lost.length === 0 ? null : <Notice tone="warn">Not reached: {lost.join(", ")}. Others may be there.</Notice>;
};

function Groups({ sessions: { sessions } }: { sessions: Sessions }): JSX.Element {
  const groups: [string, (listener: Listener) => string][] = [
    ["Transport", ({ kind }) => KINDS[kind] ?? kind],
    ["Revision", ({ revision = "not initialized" }) => revision],
    ["Client", ({ client }) => (client ? `${client.name} ${client.version}` : "unknown")],
  ];
  return (
    <dl class="groups">
      {groups.map(([title, nameOf]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd class="row close">
            {[...Map.groupBy(sessions, nameOf)]
              .sort(([, a], [, b]) => b.length - a.length)
              .slice(0, 6)
              .map(([name, group]) => (
                <Badge key={name}>
                  {name} <strong class="number">× {formatCount(group.length)}</strong>
                </Badge>
              ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const ListenerTable = ({
  listeners,
  names,
}: {
  listeners: readonly Listener[];
  names: ReadonlyMap<string, string>;
}): JSX.Element => (
  <Table
    caption="Who listens"
    rows={listeners}
    keyOf={({ hub, kind, keyId, openedAt, client }) => [hub, kind, keyId, openedAt, client?.name].join(" ")}
    columns={[
      {
        title: "Client",
        isName: true,
        cell: ({ client }) => (client ? `${client.name} ${client.version}` : <span class="soft">unknown</span>),
      },
      { title: "Transport", cell: ({ kind }) => KINDS[kind] ?? kind },
      { title: "Revision", cell: ({ revision }) => revision ?? <span class="soft">not initialized</span> },
      { title: "Key", cell: ({ keyId }) => <KeyName id={keyId} names={names} /> },
      { title: "Since", cell: ({ openedAt }) => <Time at={openedAt} /> },
    ]}
  />
);
