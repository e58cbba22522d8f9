import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { putTool, readHistory, readVersion, type ToolVersionView, type ToolView } from "../../api/tools-api.ts";
import { Button } from "../../parts/button.tsx";
import { JsonBlock } from "../../parts/code.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Badge, Card, Empty, Loaded } from "../../parts/surface.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { say } from "../../parts/toasts.tsx";
import { useResource } from "../../resource.ts";
import { useSession } from "../../session.ts";
import { toRecord } from "./tool-draft.ts";

/** What the tool was, and who changed it. */
export function HistoryPanel({
  tool,
  onChanged,
}: {
  tool: ToolView & { version: number };
  onChanged: () => void;
}): JSX.Element {
  const { api } = useSession();
  const resource = useResource(() => readHistory(api, tool.name), [api, tool.name, tool.version]);
  const [shown, setShown] = useState<number>();
  return (
    <Loaded resource={resource}>
      {({ versions }) =>
        versions.length === 0 ? (
          <Empty title="Never changed">It is as it was deployed.</Empty>
        ) : (
          <Card flush>
            <Table
              caption={`Versions of ${tool.name}`}
              rows={versions}
              keyOf={({ version }) => String(version)}
              columns={[
                { title: "Version", isName: true, cell: ({ version }) => <span class="number">{version}</span> },
                { title: "When", cell: ({ at }) => <Time at={at} /> },
                { title: "By", cell: ({ who }) => <code>{who || "unknown"}</code> },
                { title: "State", untitled: true, cell: (version) => <VersionState version={version} /> },
                {
                  title: "Actions",
                  untitled: true,
                  atEnd: true,
                  cell: ({ version, deleted }) =>
                    !deleted && (
                      <Button slim label={`Show version ${version}`} onPress={() => setShown(version)}>
                        Show
                      </Button>
                    ),
                },
              ]}
            />
            {shown !== undefined && (
              <VersionDialog
                name={tool.name}
                version={shown}
                onClose={() => setShown(undefined)}
                onChanged={onChanged}
              />
            )}
          </Card>
        )
      }
    </Loaded>
  );
}

function VersionState({ version: { deleted, tool } }: { version: ToolVersionView }): JSX.Element {
  if (deleted) return <Badge tone="danger">Deleted</Badge>;
  return tool?.enabled === false ? <Badge>Disabled</Badge> : <Badge tone="ok">Enabled</Badge>;
}

interface VersionDialogProps {
  name: string;
  version: number;
  onClose: () => void;
  onChanged: () => void;
}

function VersionDialog({ name, version, onClose, onChanged }: VersionDialogProps): JSX.Element {
  const { api, canWrite } = useSession();
  const resource = useResource(() => readVersion(api, name, version), [api, name, version]);
  const record = resource.data?.tool && toRecord(resource.data.tool);
  const restore = async (): Promise<void> => {
    const answer = await putTool(api, name, JSON.stringify(record));
    say(`${name} is as it was in version ${version}, as of version ${answer.version}.`);
    onClose();
    onChanged();
  };
  return (
    <Dialog
      wide
      title={`${name}, version ${version}`}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Close</Button>
          {canWrite && record && (
            <Button look="primary" onPress={restore}>
              Put this version again
            </Button>
          )}
        </>
      }
    >
      <Loaded resource={resource}>{({ tool }) => <JsonBlock value={tool} label={`Version ${version}`} />}</Loaded>
    </Dialog>
  );
}
