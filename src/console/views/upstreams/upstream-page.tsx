import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { toProblem, type Problem } from "../../api/problem.ts";
import { listTools, type ToolView } from "../../api/tools-api.ts";
import { deleteUpstream, showUpstream, type UpstreamView } from "../../api/upstreams-api.ts";
import { useFeed } from "../../feed.ts";
import { Button } from "../../parts/button.tsx";
import { countOf } from "../../parts/count-of.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts, type Fact } from "../../parts/facts.tsx";
import { Badge, Card, Empty, Loaded, Notice, Page, ProblemNotice, Tabs } from "../../parts/surface.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { say } from "../../parts/toasts.tsx";
import { useResource } from "../../resource.ts";
import { goTo, hrefOf } from "../../router.ts";
import { useSession } from "../../session.ts";
import { ToolBadges } from "../tools/tool-badges.tsx";
import { EditUpstream } from "./edit-upstream.tsx";
import { RefreshButton } from "./refresh-button.tsx";
import { UpstreamState } from "./upstream-list.tsx";

type Upstream = UpstreamView & { version: number };

/** One upstream: how it is, what of it is served and what is not. */
export function UpstreamPage({ name, tab }: { name: string; tab: string }): JSX.Element {
  const { api, canWrite } = useSession();
  const { changes } = useFeed();
  const resource = useResource(() => showUpstream(api, name), [api, name, changes]);
  const isEditing = tab === "edit" && canWrite;
  return (
    <Page
      title={name}
      lead={resource.data && <UpstreamState status={resource.data.status} />}
      actions={
        resource.data &&
        canWrite && (
          <>
            <RefreshButton name={name} onChanged={resource.reload} />
            <DeleteUpstream view={resource.data} onStale={resource.reload} />
          </>
        )
      }
    >
      <Loaded resource={resource}>
        {(view) => (
          <>
            {canWrite && (
              <Tabs
                label={name}
                tabs={[
                  { title: "About", href: hrefOf(["upstreams", "upstream", name]), isCurrent: !isEditing },
                  { title: "Edit", href: hrefOf(["upstreams", "upstream", name, "edit"]), isCurrent: isEditing },
                ]}
              />
            )}
            {isEditing ? (
              <EditUpstream
                view={view}
                onSaved={() => {
                  resource.reload();
                  goTo(["upstreams", "upstream", name]);
                }}
              />
            ) : (
              <About view={view} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function About({ view }: { view: Upstream }): JSX.Element {
  const { status } = view;
  return (
    <div class="stack">
      {status.state === "failing" && (
        <Notice tone="danger">
          <strong>It is failing.</strong>
          <span>{status.reason}</span>
          <span class="small soft">
            Since <Time at={status.since} />. The tools that were there stay.
          </span>
        </Notice>
      )}
      <FactsCard view={view} />
      <ServedCard view={view} />
      <SkippedCard view={view} />
    </div>
  );
}

function FactsCard({ view }: { view: Upstream }): JSX.Element {
  const { url, headers = {}, include, exclude, timeoutMs, status } = view;
  const warnings = status.warnings.filter(({ level }) => level !== "info").length;
  const { excluded } = status;
  const facts: (Fact | undefined)[] = [
    ["URL", <code class="anywhere">{url}</code>],
    ["Revision", status.revision ?? "not known yet"],
    ["Listed", status.refreshedAt === undefined ? "never" : <Time at={status.refreshedAt} />],
    ["Tried", status.triedAt === undefined ? "never" : <Time at={status.triedAt} />],
    ["Headers", <Headers headers={headers} />],
    ["Include", <code class="anywhere">{(include ?? ["*"]).join(", ")}</code>],
    exclude && ["Exclude", <code class="anywhere">{exclude.join(", ")}</code>],
    excluded.length === 0 ? undefined : ["Excluded now", <code class="anywhere">{excluded.join(", ")}</code>],
    timeoutMs === undefined ? undefined : ["Timeout", `${timeoutMs} ms`],
    warnings === 0 ? undefined : ["Lint", `${countOf(warnings, "warning")}: see the tools' own pages`],
  ];
  return (
    <Card>
      <Facts facts={facts} />
    </Card>
  );
}

const Headers = ({ headers }: { headers: Record<string, string> }): JSX.Element => (
  <>
    {Object.keys(headers).length === 0 && "none"}
    {Object.entries(headers).map(([name, value]) => (
      <div key={name}>
        <code class="anywhere">
          {name}: {value}
        </code>
      </div>
    ))}
  </>
);

const isOf =
  (upstream: string) =>
  ({ source }: ToolView): boolean =>
    source.kind === "upstream" && source.upstream === upstream;

/** As many as are shown at once. */
const SHOWN_ROWS = 100;

function ServedCard({ view: { name, version } }: { view: Upstream }): JSX.Element {
  const { api } = useSession();
  const tools = useResource((signal) => listTools(api, signal), [api, version]);
  return (
    <Card flush title="Served">
      <Loaded resource={tools}>
        {({ tools }) => {
          const served = tools.filter(isOf(name));
          if (served.length === 0) return <Empty title="None of its tools are served" />;
          return (
            <>
              <Table
                caption="Tools that are served"
                rows={served.slice(0, SHOWN_ROWS)}
                keyOf={({ name }) => name}
                columns={[
                  {
                    title: "Tool",
                    isName: true,
                    cell: (tool) => (
                      <div class="tool-name">
                        <a class="mono" href={hrefOf(["tools", "tool", tool.name])}>
                          {tool.name}
                        </a>
                        <p class="soft clamped">{tool.description}</p>
                      </div>
                    ),
                  },
                  { title: "Hints", untitled: true, cell: (tool) => <ToolBadges tool={tool} /> },
                  {
                    title: "State",
                    untitled: true,
                    cell: ({ enabled }) => (enabled ? <Badge tone="ok">Enabled</Badge> : <Badge>Disabled</Badge>),
                  },
                ]}
              />
              {served.length > SHOWN_ROWS && (
                <p class="soft small footnote">
                  The first {SHOWN_ROWS} of {served.length}: the others are under Tools.
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

const SkippedCard = ({ view: { status } }: { view: Upstream }): JSX.Element | null =>
  status.skipped.length === 0 ? null : (
    <Card flush title="Not served">
      <Table
        caption="Tools that are not served, and why"
        rows={status.skipped}
        keyOf={({ tool }) => tool}
        columns={[
          { title: "Tool", isName: true, cell: ({ tool }) => <code class="anywhere">{tool}</code> },
          { title: "Why", cell: ({ reason }) => <span class="anywhere">{reason}</span> },
        ]}
      />
    </Card>
  );

interface DeleteUpstreamProps {
  view: Upstream;
  /** Told when it is another than was shown. */
  onStale: () => void;
}

function DeleteUpstream({ view: { name, version, status }, onStale }: DeleteUpstreamProps): JSX.Element {
  const { api } = useSession();
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const close = (): void => {
    setOpen(false);
    setProblem(undefined);
  };
  const remove = async (): Promise<void> => {
    try {
      const answer = await deleteUpstream(api, name, version);
      say(`${name} and its tools are gone as of version ${answer.version}.`);
      goTo(["upstreams"], {}, { replace: true });
    } catch (error) {
      setProblem(toProblem(error));
      onStale();
    }
  };
  return (
    <>
      <Button look="danger" onPress={() => setOpen(true)}>
        Delete
      </Button>
      {isOpen && (
        <Dialog
          title={`Delete ${name}?`}
          onClose={close}
          actions={
            <>
              <Button onPress={close}>Keep it</Button>
              <Button look="danger" onPress={remove}>
                Delete
              </Button>
            </>
          }
        >
          <p>
            Its {status.tools} tools go with it, as one version of the catalogue, and so does what you decided about
            them.
          </p>
          {problem && <ProblemNotice problem={problem} />}
          {problem?.code === "version_mismatch" && (
            <Notice tone="warn">The catalogue changed since you opened this page, which now shows what it is.</Notice>
          )}
        </Dialog>
      )}
    </>
  );
}
