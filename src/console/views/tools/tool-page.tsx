import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { deleteTool, setEnabled, showTool, type ToolView } from "../../api/tools-api.ts";
import { useFeed } from "../../feed.ts";
import { Button } from "../../parts/button.tsx";
import { JsonBlock } from "../../parts/code.tsx";
import { countOf } from "../../parts/count-of.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Badge, Card, Loaded, Page, Tabs } from "../../parts/surface.tsx";
import { say } from "../../parts/toasts.tsx";
import { useResource } from "../../resource.ts";
import { goTo, hrefOf } from "../../router.ts";
import { useSession } from "../../session.ts";
import { TryIt } from "../call/try-it.tsx";
import { EditRecord } from "./edit-tool.tsx";
import { EditOverlay } from "./edit-overlay.tsx";
import { HistoryPanel } from "./history-panel.tsx";
import { LintPanel } from "./lint-panel.tsx";
import { SchemaCard } from "./schema-card.tsx";
import { originOf, ToolBadges } from "./tool-badges.tsx";

type Tool = ToolView & { version: number };

/** One tool: what it is, trying it, what clients make of it, what it was. */
export function ToolPage({ name, tab }: { name: string; tab: string }): JSX.Element {
  const { api, canWrite } = useSession();
  const { changes } = useFeed();
  const resource = useResource(() => showTool(api, name), [api, name, changes]);
  const { data: tool } = resource;
  return (
    <Page
      title={name}
      lead={tool && <Head tool={tool} />}
      actions={tool && canWrite && <Actions tool={tool} onChanged={resource.reload} />}
    >
      <Loaded resource={resource}>
        {(tool) => (
          <>
            <ToolTabs tool={tool} tab={tab} />
            <Panel tool={tool} tab={tab} onChanged={resource.reload} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

const Head = ({ tool }: { tool: ToolView }): JSX.Element => (
  <span class="row">
    {tool.title}
    <ToolBadges tool={tool} />
    {!tool.enabled && <Badge>Disabled</Badge>}
  </span>
);

const TABS = { about: "About", try: "Try it", lint: "Lint", history: "History", edit: "Edit" };

function ToolTabs({ tool: { name }, tab }: { tool: ToolView; tab: string }): JSX.Element {
  const { canWrite } = useSession();
  return (
    <Tabs
      label={name}
      tabs={Object.entries(TABS)
        .filter(([path]) => path !== "edit" || canWrite)
        .map(([path, title]) => ({ title, href: hrefOf(["tools", "tool", name, path]), isCurrent: path === tab }))}
    />
  );
}

function Panel({ tool, tab, onChanged }: { tool: Tool; tab: string; onChanged: () => void }): JSX.Element {
  const { canWrite } = useSession();
  switch (tab) {
    case "try":
      return <TryIt tool={tool} />;
    case "lint":
      return <LintPanel tool={tool} />;
    case "history":
      return <HistoryPanel tool={tool} onChanged={onChanged} />;
    case "edit":
      return canWrite ? <Edit tool={tool} onChanged={onChanged} /> : <About tool={tool} />;
    default:
      return <About tool={tool} />;
  }
}

/** Of a tool in the code, and of an upstream's, no more can be changed than what an operator lays over it. */
const Edit = ({ tool, onChanged }: { tool: Tool; onChanged: () => void }): JSX.Element =>
  isData(tool) ? (
    <EditRecord key={tool.name} tool={tool} onSaved={onChanged} />
  ) : (
    <EditOverlay key={tool.name} tool={tool} onSaved={onChanged} />
  );

const isData = ({ source: { kind } }: Tool): boolean => kind === "http" || kind === "code";

const About = ({ tool }: { tool: Tool }): JSX.Element => (
  <div class="stack">
    <Card>
      <div class="stack">
        <p class="prose">{tool.description}</p>
        <Facts
          facts={[
            ["Origin", originOf(tool)],
            ["Costs", `${countOf(tool.cost ?? 1, "call")} of a key's limits`],
            tool.timeoutMs === undefined ? undefined : ["Deadline", `${tool.timeoutMs / 1000} s`],
            ["Output", tool.sanitize === false ? "passed on as it is" : "cleaned of hidden characters"],
            ["Catalogue version", tool.version],
          ]}
        />
      </div>
    </Card>
    <SchemaCard title="Arguments" schema={tool.inputSchema} />
    {tool.outputSchema && <SchemaCard title="Structured result" schema={tool.outputSchema} />}
    {tool.source.kind !== "builtin" && (
      <Card title="Where calls go">
        {tool.source.kind === "code" && tool.source.module !== undefined ? (
          <div class="stack">
            <JsonBlock value={{ ...tool.source, module: undefined }} label="Source" />
            <pre class="module" tabIndex={0} role="region" aria-label="Module">
              {tool.source.module}
            </pre>
          </div>
        ) : (
          <JsonBlock value={tool.source} label="Source" />
        )}
      </Card>
    )}
  </div>
);

function Actions({ tool, onChanged }: { tool: Tool; onChanged: () => void }): JSX.Element {
  const { name, enabled } = tool;
  const { api } = useSession();
  const [isDeleting, setDeleting] = useState(false);
  const flip = async (): Promise<void> => {
    const { version } = await setEnabled(api, name, !enabled);
    say(`${name} is ${enabled ? "disabled" : "enabled"} as of version ${version}.`);
    onChanged();
  };
  const remove = async (): Promise<void> => {
    await deleteTool(api, name);
    say(`${name} is deleted. Its history is kept.`);
    goTo(["tools"], {}, { replace: true });
  };
  return (
    <>
      <Button onPress={flip}>{enabled ? "Disable" : "Enable"}</Button>
      {isData(tool) && (
        <Button look="danger" onPress={() => setDeleting(true)}>
          Delete
        </Button>
      )}
      {isDeleting && (
        <Dialog
          title={`Delete ${name}?`}
          onClose={() => setDeleting(false)}
          actions={
            <>
              <Button onPress={() => setDeleting(false)}>Keep it</Button>
              <Button look="danger" onPress={remove}>
                Delete
              </Button>
            </>
          }
        >
          <p>
            Every client hears of it within a second, and calls of it are refused. Its last versions can be put again.
          </p>
        </Dialog>
      )}
    </>
  );
}
