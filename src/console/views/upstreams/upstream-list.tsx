import type { JSX } from "preact";
import { listUpstreams, type UpstreamView } from "../../api/upstreams-api.ts";
import { useFeed } from "../../feed.ts";
import { Button } from "../../parts/button.tsx";
import { countOf } from "../../parts/count-of.ts";
import { Badge, Card, Empty, Loaded, Page } from "../../parts/surface.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useResource } from "../../resource.ts";
import { goTo, hrefOf } from "../../router.ts";
import { useSession } from "../../session.ts";
import { RefreshButton } from "./refresh-button.tsx";

/** Other MCP servers whose tools are served here. */
export function UpstreamList(): JSX.Element {
  const { api, canWrite } = useSession();
  const { changes } = useFeed();
  const resource = useResource((signal) => listUpstreams(api, signal), [api, changes]);
  return (
    <Page
      title="Upstreams"
      lead="Other MCP servers whose tools are served here, as NAME_tool. Each is listed again every 4 to 6 minutes."
      actions={
        canWrite && (
          <Button look="primary" icon="plus" onPress={() => goTo(["upstreams", "new"])}>
            Add upstream
          </Button>
        )
      }
    >
      <Loaded resource={resource}>
        {({ upstreams }) => (
          <Card flush>
            {upstreams.length === 0 ? (
              <Empty title="No upstreams yet">Add the URL of an MCP server's Streamable HTTP endpoint.</Empty>
            ) : (
              <UpstreamTable upstreams={upstreams} onChanged={resource.reload} />
            )}
          </Card>
        )}
      </Loaded>
    </Page>
  );
}

interface UpstreamTableProps {
  upstreams: readonly UpstreamView[];
  onChanged: () => void;
}

function UpstreamTable({ upstreams, onChanged }: UpstreamTableProps): JSX.Element {
  const { canWrite } = useSession();
  return (
    <Table
      caption="Upstreams"
      rows={upstreams}
      keyOf={({ name }) => name}
      columns={[
        {
          title: "Upstream",
          isName: true,
          cell: ({ name, url }) => (
            <div class="tool-name">
              <a class="mono" href={hrefOf(["upstreams", "upstream", name])}>
                {name}
              </a>
              <span class="soft clamped-line anywhere">{url}</span>
            </div>
          ),
        },
        {
          title: "State",
          untitled: true,
          cell: ({ status }) => (
            <div class="stack close">
              <span>
                <UpstreamState status={status} />
              </span>
              {status.reason !== undefined && <span class="small fault anywhere">{status.reason}</span>}
              {status.skipped.length > 0 && <Badge tone="warn">{countOf(status.skipped.length, "tool")} skipped</Badge>}
            </div>
          ),
        },
        { title: "Tools", atEnd: true, cell: ({ status }) => <span class="number">{status.tools}</span> },
        {
          title: "Excluded",
          atEnd: true,
          cell: ({ status: { excluded } }) => <span class="number">{excluded.length}</span>,
        },
        {
          title: "Listed",
          cell: ({ status: { refreshedAt } }) => (refreshedAt === undefined ? "never" : <Time at={refreshedAt} />),
        },
        ...(canWrite
          ? [
              {
                title: "Actions",
                untitled: true,
                atEnd: true,
                cell: ({ name }: UpstreamView) => <RefreshButton slim name={name} onChanged={onChanged} />,
              },
            ]
          : []),
      ]}
    />
  );
}

const STATES = {
  new: ["info", "not tried yet"],
  ok: ["ok", "ok"],
  failing: ["danger", "failing"],
  off: [undefined, "off"],
} as const;

export const UpstreamState = ({ status: { state } }: Pick<UpstreamView, "status">): JSX.Element => (
  <Badge tone={STATES[state][0]}>{STATES[state][1]}</Badge>
);
