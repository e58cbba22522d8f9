import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { AdminRow } from "../../api/audit-api.ts";
import { CallKeyDialog } from "../../call-key.tsx";
import { useFeed, type FeedEvent } from "../../feed.ts";
import { Button } from "../../parts/button.tsx";
import { Badge, Card, Loaded, type Tone } from "../../parts/surface.tsx";
import type { Resource } from "../../resource.ts";
import { hrefOf } from "../../router.ts";
import { describeAction, KeyName } from "../audit/row-cells.tsx";
import { OutcomeBadge } from "../outcomes.tsx";
import { ClockTime } from "./calls-card.tsx";

const SHOWN = 8;

const HEARD: Record<FeedEvent["what"], [Tone | undefined, string]> = {
  listening: ["ok", "listening"],
  list_changed: ["accent", "list_changed"],
  lost: ["danger", "connection lost"],
};

export interface ChangesCardProps {
  actions: Resource<readonly AdminRow[]>;
  names: ReadonlyMap<string, string>;
}

/** What this page heard over its own WebSocket, beside what was done. */
export const ChangesCard = ({ actions, names }: ChangesCardProps): JSX.Element => (
  <Card title="Changes">
    <div class="columns">
      <div class="stack close">
        <Heard />
      </div>
      <div class="stack close">
        <h3>Admin actions</h3>
        <Loaded resource={actions}>
          {(rows) => (
            <ul class="events">
              {rows.slice(0, SHOWN).map((row) => (
                <Action key={row.id} row={row} names={names} />
              ))}
              {rows.length === 0 && <li class="soft">None yet.</li>}
            </ul>
          )}
        </Loaded>
        <p>
          <a href={hrefOf(["audit"], { kind: "admin" })}>All admin actions</a>
        </p>
      </div>
    </div>
  </Card>
);

const Action = ({ row, names }: { row: AdminRow; names: ReadonlyMap<string, string> }): JSX.Element => (
  <li>
    <ClockTime at={row.at} />
    <span class="anywhere">
      {describeAction(row)} <span class="soft">by</span> <KeyName id={row.who} names={names} />
    </span>
    <OutcomeBadge outcome={row.outcome} />
  </li>
);

function Heard(): JSX.Element {
  const { status, events } = useFeed();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <h3>Heard over this page's WebSocket</h3>
      {status === "off" ? (
        <p class="row">
          <span class="soft">This page has no key to listen with, as a client would.</span>
          <Button slim icon="keys" onPress={() => setOpen(true)}>
            Choose one
          </Button>
        </p>
      ) : (
        <ul class="events" aria-live="polite">
          {events.slice(0, SHOWN).map(({ at, what, detail }) => (
            <li key={`${at.getTime()} ${what}`}>
              <ClockTime at={at.toISOString()} />
              <span class="soft anywhere">{detail}</span>
              <Badge tone={HEARD[what][0]}>{HEARD[what][1]}</Badge>
            </li>
          ))}
          {events.length === 0 && <li class="soft">Nothing yet.</li>}
        </ul>
      )}
      {isOpen && <CallKeyDialog onClose={() => setOpen(false)} />}
    </>
  );
}
