import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { readAudit, type AuditPage, type AuditRow } from "../../api/audit-api.ts";
import { Button } from "../../parts/button.tsx";
import { Name } from "../../parts/name.tsx";
import { Card, Empty, Loaded, Page } from "../../parts/surface.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useResource } from "../../resource.ts";
import { goTo, type Place } from "../../router.ts";
import { useSession } from "../../session.ts";
import { useKeyNames } from "../key-names.ts";
import { OutcomeBadge } from "../outcomes.tsx";
import { AuditFilters, readFilters, usedFilters, type Filters } from "./audit-filters.tsx";
import { ChainCard } from "./chain-card.tsx";
import { ExportButton } from "./export-button.tsx";
import { lostText } from "./lost-rows.ts";
import { describeAction, KeyName } from "./row-cells.tsx";
import { RowDialog } from "./row-dialog.tsx";

const PAGE_ROWS = 50;

/** `#/audit?kind=…&key=…&tool=…&outcome=…&since=…&until=…`. */
export function Audit({ query }: Place): JSX.Element {
  const filters = readFilters(query);
  const names = useKeyNames();
  const place = query.toString();
  return (
    <Page
      title="Audit"
      lead="Every tool call and every admin action. Never a key, and of arguments no more than their hash, unless the deployment says so."
      actions={<ExportButton filter={usedFilters(filters)} />}
    >
      <AuditFilters key={`filters ${place}`} filters={filters} names={names} onFilters={search} />
      <Trail key={`trail ${place}`} filters={filters} names={names} />
      <ChainCard />
    </Page>
  );
}

const search = (next: Filters): void => goTo(["audit"], usedFilters(next));

/** Pages of the trail, from the newest on. */
function Trail({ filters, names }: { filters: Filters; names: ReadonlyMap<string, string> }): JSX.Element {
  const { api } = useSession();
  /** The cursors that led here; the first page has none. */
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const [shown, setShown] = useState<AuditRow>();
  const cursor = cursors.at(-1);
  const resource = useResource(
    (signal) =>
      readAudit(api, { ...usedFilters(filters), limit: PAGE_ROWS, ...(cursor !== undefined && { cursor }) }, signal),
    [api, cursor],
  );
  return (
    <Card
      flush
      title="Trail"
      actions={
        <Button slim onPress={resource.reload} disabled={resource.isLoading}>
          {resource.isLoading ? "Loading …" : "Reload"}
        </Button>
      }
    >
      <Loaded resource={resource}>
        {(page) => (
          <>
            {page.rows.length === 0 ? (
              <NoRows page={page} />
            ) : (
              <Table caption="Audit trail" rows={page.rows} keyOf={({ id }) => id} columns={columns(names, setShown)} />
            )}
            <Pages
              isFirst={cursors.length === 0}
              next={page.nextCursor}
              onNewer={() => setCursors(cursors.slice(0, -1))}
              onOlder={(next) => setCursors([...cursors, next])}
            />
            <Lost page={page} />
          </>
        )}
      </Loaded>
      {shown && <RowDialog row={shown} names={names} onClose={() => setShown(undefined)} />}
    </Card>
  );
}

function columns(names: ReadonlyMap<string, string>, onShow: (row: AuditRow) => void): Column<AuditRow>[] {
  return [
    {
      title: "What",
      isName: true,
      cell: (row) => (
        <code>
          <Name text={row.kind === "call" ? row.tool || "(no name)" : describeAction(row)} />
        </code>
      ),
    },
    { title: "Outcome", untitled: true, cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
    { title: "By", cell: (row) => <KeyName id={row.kind === "call" ? row.key : row.who} names={names} /> },
    {
      title: "Took",
      atEnd: true,
      cell: (row) => row.kind === "call" && <span class="number nowrap">{row.durationMs} ms</span>,
    },
    { title: "When", cell: ({ at }) => <Time at={at} /> },
    {
      title: "Details",
      untitled: true,
      atEnd: true,
      cell: (row) => (
        <Button
          slim
          look="plain"
          label={`Details of ${row.kind === "call" ? row.tool : describeAction(row)}`}
          onPress={() => onShow(row)}
        >
          Details
        </Button>
      ),
    },
  ];
}

/** Since the logs began. */
const Lost = ({ page: { lost } }: { page: AuditPage }): JSX.Element | null => {
  const text = lostText(lost);
  return text === "" ? null : <p class="soft small footnote">{text}</p>;
};

/** A page looks at so many rows: where few match, it may hold none and yet not be the last. */
const NoRows = ({ page: { nextCursor } }: { page: AuditPage }): JSX.Element =>
  nextCursor === undefined ? (
    <Empty title="Nothing matches">Every filter that is set must hold.</Empty>
  ) : (
    <Empty title="None among the newest rows">A page looks at so many rows and no more. Older ones may match.</Empty>
  );

interface PagesProps {
  isFirst: boolean;
  next: string | undefined;
  onNewer: () => void;
  onOlder: (cursor: string) => void;
}

const Pages = ({ isFirst, next, onNewer, onOlder }: PagesProps): JSX.Element | null =>
  isFirst && next === undefined ? null : (
    <nav class="row apart footnote" aria-label="Pages of the trail">
      <Button slim disabled={isFirst} onPress={onNewer}>
        Newer
      </Button>
      <Button slim disabled={next === undefined} onPress={() => next !== undefined && onOlder(next)}>
        Older
      </Button>
    </nav>
  );
