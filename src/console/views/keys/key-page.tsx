import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { showKey, type KeyView } from "../../api/keys-api.ts";
import { readSessions, readStats } from "../../api/stats-api.ts";
import { Facts, type Fact } from "../../parts/facts.tsx";
import { Figures, formatCount, Meter } from "../../parts/figure.tsx";
import { Name } from "../../parts/name.tsx";
import { Card, Loaded, Page, Tabs } from "../../parts/surface.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useResource } from "../../resource.ts";
import { hrefOf } from "../../router.ts";
import { useSession } from "../../session.ts";
import { boundOf } from "../live/breakdown-card.tsx";
import { EditKey } from "./edit-key.tsx";
import { KeyActions } from "./key-actions.tsx";
import { KeyBadges } from "./key-list.tsx";
import { ConnectCard } from "./minted-key.tsx";
import { SERVER_LIMITS } from "../../server-limits.ts";

const TABS = { about: "About", edit: "Limits and rules", connect: "Connect" };

/** One key: what it may, what it did, changing, rotating and revoking it. */
export function KeyPage({ id, tab }: { id: string; tab: string }): JSX.Element {
  const { api, canWrite } = useSession();
  const resource = useResource(() => showKey(api, id), [api, id]);
  return (
    <Page
      title={resource.data?.name ?? "Key"}
      lead={resource.data && <KeyBadges listed={resource.data} />}
      actions={
        resource.data &&
        canWrite &&
        resource.data.status !== "revoked" && <KeyActions view={resource.data} onChanged={resource.reload} />
      }
    >
      <Loaded resource={resource}>
        {(view) => (
          <>
            <Tabs
              label={view.name}
              tabs={Object.entries(TABS)
                .filter(([path]) => (path === "edit" ? canWrite && view.status !== "revoked" : true))
                .filter(([path]) =>
                  path === "connect" ? view.status === "active" && view.scopes.includes("mcp") : true,
                )
                .map(([path, title]) => ({ title, href: hrefOf(["keys", "key", id, path]), isCurrent: path === tab }))}
            />
            <Panel view={view} tab={tab} onChanged={resource.reload} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Panel({ view, tab, onChanged }: { view: KeyView; tab: string; onChanged: () => void }): JSX.Element {
  const { canWrite } = useSession();
  const [edits, setEdits] = useState(0);
  if (tab === "edit" && canWrite && view.status !== "revoked") {
    const saved = (): void => {
      setEdits(edits + 1);
      onChanged();
    };
    return <EditKey key={`${view.id} ${edits}`} view={view} onSaved={saved} />;
  }
  if (tab === "connect") {
    return <ConnectCard access={{ origin: location.origin, key: "YOUR_KEY", isUrlKey: view.urlKey }} />;
  }
  return (
    <div class="stack">
      <Usage view={view} />
      <div class="columns">
        <FactsCard view={view} />
        <LimitsCard view={view} />
      </div>
      <p>
        <a href={hrefOf(["audit"], { key: view.id })}>Its calls, and what was done with it</a>
      </p>
    </div>
  );
}

/** What it used, against what it may. */
function Usage({ view: { id, limits, usedToday, scopes } }: { view: KeyView }): JSX.Element {
  const { api } = useSession();
  const hour = useResource((signal) => readStats(api, { window: "hour", key: id }, signal), [api, id]);
  const day = useResource((signal) => readStats(api, { window: "day", key: id }, signal), [api, id]);
  const sessions = useResource((signal) => readSessions(api, { key: id }, signal), [api, id]);
  const counted = (stats: typeof hour): string => (stats.data ? formatCount(stats.data.total.calls) : "…");
  const total = day.data?.total;
  return (
    <Loaded resource={day}>
      {() => (
        <>
          <Figures
            label="Usage"
            figures={[
              { label: "Calls in an hour", value: counted(hour) },
              { label: "Calls in 24 hours", value: counted(day) },
              {
                label: "Errors",
                value: formatCount(total?.errors ?? 0),
                note: "in 24 hours",
                tone: total && total.errors > 0 ? "danger" : undefined,
              },
              {
                label: "Denied",
                value: formatCount(total?.denied ?? 0),
                note: "in 24 hours",
                tone: total && total.denied > 0 ? "warn" : undefined,
              },
              { label: "Latency, median", value: boundOf(total?.latencyMs.p50 ?? null), note: "in 24 hours" },
              { label: "Listening now", value: sessions.data ? formatCount(sessions.data.total) : "…" },
            ]}
          />
          {limits?.perDay !== undefined && usedToday !== undefined && scopes.includes("mcp") && (
            <Card title="Quota of today">
              <div class="stack close">
                <Meter used={usedToday} of={limits.perDay} label="Used of today's quota" />
                <p class="soft small">
                  Begins anew at 00:00 UTC, here <Time at={nextUtcDay(Date.now())} />. Calls that isolates have prepaid
                  count as used until they are given back.
                </p>
              </div>
            </Card>
          )}
        </>
      )}
    </Loaded>
  );
}

const nextUtcDay = (nowMs: number): string => {
  const day = new Date(nowMs);
  day.setUTCHours(24, 0, 0, 0);
  return day.toISOString();
};

function FactsCard({ view }: { view: KeyView }): JSX.Element {
  const { id, scopes, createdAt, expiresAt, revokedAt, previousEndsAt, urlKey, region, tools } = view;
  const facts: (Fact | undefined)[] = [
    ["Id", <code class="anywhere">{id}</code>],
    ["Scopes", scopes.join(", ")],
    ["Works in", urlKey ? "the URL alone" : "a header"],
    ["Tools", describeTools(tools)],
    ["Minted", <Time at={createdAt} />],
    ["Expires", expiresAt === undefined ? "never" : <Time at={expiresAt} />],
    previousEndsAt === undefined || revokedAt !== undefined
      ? undefined
      : ["Old secret works until", <Time at={previousEndsAt} />],
    revokedAt === undefined ? undefined : ["Revoked", <Time at={revokedAt} />],
    region === undefined ? undefined : ["Region", region],
  ];
  return (
    <Card title="Key">
      <Facts facts={facts} />
    </Card>
  );
}

function describeTools({ allow, deny = [] }: KeyView["tools"]): JSX.Element {
  return (
    <>
      <code class="anywhere">{(allow ?? ["*"]).join(", ")}</code>
      {deny.length > 0 && (
        <>
          , but not <code class="anywhere">{deny.join(", ")}</code>
        </>
      )}
    </>
  );
}

function LimitsCard({ view: { limits } }: { view: KeyView }): JSX.Element {
  if (!limits) return <Card title="Limits">None are told.</Card>;
  const { perMinute, burst, perDay, concurrent, streams, tools = {} } = limits;
  const globs = Object.entries(tools);
  const facts: [string, number | undefined][] = [
    ["Calls a minute", perMinute],
    ["At once", burst],
    ["Calls a day", perDay],
    ["At the same time", concurrent],
    ["Open streams", streams ?? SERVER_LIMITS.keySockets],
  ];
  return (
    <Card flush title="Limits">
      <div class="body-part">
        <Facts
          facts={facts.map(([title, value]) => [
            title,
            <span class="number">{value === undefined ? "no limit" : formatCount(value)}</span>,
          ])}
        />
      </div>
      {globs.length > 0 && (
        <Table
          caption="Limits of some tools"
          rows={globs}
          keyOf={([glob]) => glob}
          columns={[
            {
              title: "Tools",
              isName: true,
              cell: ([glob]) => (
                <code>
                  <Name text={glob} />
                </code>
              ),
            },
            {
              title: "A minute",
              atEnd: true,
              cell: ([, rate]) => <span class="number">{formatCount(rate.perMinute)}</span>,
            },
            {
              title: "At once",
              atEnd: true,
              cell: ([, rate]) => <span class="number">{formatCount(rate.burst)}</span>,
            },
          ]}
        />
      )}
    </Card>
  );
}
