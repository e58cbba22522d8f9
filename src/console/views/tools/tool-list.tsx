import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { listTools, setEnabled, type ToolView } from "../../api/tools-api.ts";
import { useFeed } from "../../feed.ts";
import { countOf } from "../../parts/count-of.ts";
import { Button, Switch } from "../../parts/button.tsx";
import { Name } from "../../parts/name.tsx";
import { Badge, Card, Empty, Loaded, Page } from "../../parts/surface.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { say } from "../../parts/toasts.tsx";
import { useResource } from "../../resource.ts";
import { goTo, hrefOf } from "../../router.ts";
import { useSession } from "../../session.ts";
import { originOf, ToolBadges } from "./tool-badges.tsx";

/** As many rows as are shown at once: a catalogue may have thousands. */
const SHOWN_ROWS = 200;

/** The catalogue, disabled tools included. */
export function ToolList(): JSX.Element {
  const { api, canWrite } = useSession();
  const { changes } = useFeed();
  const resource = useResource((signal) => listTools(api, signal), [api, changes]);
  return (
    <Page title="Tools" lead={resource.data && describeCatalogue(resource.data)} actions={canWrite && <NewTool />}>
      <Loaded resource={resource}>{({ tools }) => <Catalogue tools={tools} onChanged={resource.reload} />}</Loaded>
    </Page>
  );
}

const NewTool = (): JSX.Element => (
  <>
    <Button look="plain" onPress={() => goTo(["tools", "lint"])}>
      Lint
    </Button>
    <Button icon="up" onPress={() => goTo(["tools", "import"])}>
      Import OpenAPI
    </Button>
    <Button onPress={() => goTo(["tools", "new", "code"])}>New code tool</Button>
    <Button look="primary" icon="plus" onPress={() => goTo(["tools", "new", "http"])}>
      New HTTP tool
    </Button>
  </>
);

function describeCatalogue({ version, tools }: { version: number; tools: readonly ToolView[] }): string {
  const disabled = tools.filter(({ enabled }) => !enabled).length;
  const count = countOf(tools.length, "tool");
  return `${count}${disabled > 0 ? `, ${disabled} of them disabled` : ""}. Catalogue version ${version}.`;
}

function Catalogue({ tools, onChanged }: { tools: readonly ToolView[]; onChanged: () => void }): JSX.Element {
  const [words, setWords] = useState("");
  const [origin, setOrigin] = useState("");
  const origins = [...new Set(tools.map(originOf))].sort();
  const found = tools.filter((tool) => matches(tool, words) && (origin === "" || originOf(tool) === origin));
  return (
    <div class="stack">
      <div class="filters">
        <input
          class="input"
          type="search"
          aria-label="Search tools"
          placeholder="Search names, titles and descriptions"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <select
          class="input"
          aria-label="Origin"
          value={origin}
          onInput={(event) => setOrigin(event.currentTarget.value)}
        >
          <option value="">Any origin</option>
          {origins.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <Card flush>
        {found.length === 0 ? (
          <Empty title={tools.length === 0 ? "No tools yet" : "No tool matches"}>
            {tools.length === 0 ? "Add one, or import an OpenAPI document." : "Try another word, or another origin."}
          </Empty>
        ) : (
          <ToolTable tools={found.slice(0, SHOWN_ROWS)} onChanged={onChanged} />
        )}
      </Card>
      <p class="soft small" role="status">
        {found.length > SHOWN_ROWS
          ? `The first ${SHOWN_ROWS} of ${found.length}: search to see others.`
          : found.length < tools.length && `${found.length} of ${countOf(tools.length, "tool")}.`}
      </p>
    </div>
  );
}

function ToolTable({ tools, onChanged }: { tools: readonly ToolView[]; onChanged: () => void }): JSX.Element {
  const { canWrite } = useSession();
  const columns: Column<ToolView>[] = [
    { title: "Tool", isName: true, cell: (tool) => <ToolName tool={tool} /> },
    { title: "Hints", untitled: true, cell: (tool) => <ToolBadges tool={tool} /> },
    { title: "Origin", untitled: true, cell: (tool) => <span class="nowrap">{originOf(tool)}</span> },
    {
      title: "State",
      untitled: true,
      cell: (tool) => (canWrite ? <EnabledSwitch tool={tool} onChanged={onChanged} /> : <ToolState tool={tool} />),
    },
    {
      title: "Actions",
      untitled: true,
      atEnd: true,
      cell: ({ name }) => (
        <a class="button slim" href={hrefOf(["tools", "tool", name, "try"])}>
          Try it<span class="unseen"> with {name}</span>
        </a>
      ),
    },
  ];
  return <Table caption="Tools" rows={tools} keyOf={({ name }) => name} columns={columns} />;
}

const ToolName = ({ tool: { name, title, description } }: { tool: ToolView }): JSX.Element => (
  <div class="tool-name">
    <div>
      <a class="mono" href={hrefOf(["tools", "tool", name])}>
        <Name text={name} />
      </a>
      {title !== undefined && <span class="title">{title}</span>}
    </div>
    <p class="soft clamped">{description}</p>
  </div>
);

const ToolState = ({ tool: { enabled } }: { tool: ToolView }): JSX.Element =>
  enabled ? <Badge tone="ok">Enabled</Badge> : <Badge>Disabled</Badge>;

function EnabledSwitch({ tool: { name, enabled }, onChanged }: { tool: ToolView; onChanged: () => void }): JSX.Element {
  const { api } = useSession();
  const flip = async (): Promise<void> => {
    const { version } = await setEnabled(api, name, !enabled);
    say(`${name} is ${enabled ? "disabled" : "enabled"} as of version ${version}.`);
    onChanged();
  };
  return <Switch label={`${name} is enabled`} isOn={enabled} onFlip={flip} />;
}

function matches({ name, title = "", description }: ToolView, words: string): boolean {
  const text = `${name} ${title} ${description}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
