import type { ComponentChildren, JSX } from "preact";
import type { ImportAnswer, ImportedTool } from "../../api/import-api.ts";
import { JsonBlock } from "../../parts/code.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Badge, Card, Empty, Notice, type Tone } from "../../parts/surface.tsx";
import { Table } from "../../parts/table.tsx";
import { VerdictList } from "./lint-panel.tsx";

const CHANGES: Record<ImportedTool["change"], [Tone | undefined, string]> = {
  create: ["ok", "new"],
  update: ["info", "changes"],
  unchanged: [undefined, "as it is"],
  conflict: ["danger", "name taken"],
};

/** What an import would come to. */
export const ImportPreview = ({ preview }: { preview: ImportAnswer }): JSX.Element => (
  <div class="stack">
    <Summary preview={preview} />
    {preview.secrets.length > 0 && <Secrets secrets={preview.secrets} />}
    <Card title="Tools" flush>
      {preview.tools.length === 0 ? (
        <Empty title="No tool">Nothing in the document becomes one.</Empty>
      ) : (
        <Table
          caption="Tools of this document"
          rows={preview.tools}
          keyOf={({ name, operation }) => `${name} ${operation}`}
          columns={[
            { title: "Tool", isName: true, cell: (tool) => <Imported tool={tool} /> },
            { title: "Operation", cell: ({ operation }) => <code>{operation}</code> },
            {
              title: "Change",
              untitled: true,
              cell: ({ change }) => <Badge tone={CHANGES[change][0]}>{CHANGES[change][1]}</Badge>,
            },
          ]}
        />
      )}
    </Card>
    {preview.warnings.length > 0 && (
      <Card title={`What clients have against them (${preview.warnings.length})`} flush>
        <VerdictList namesTool verdicts={preview.warnings} />
      </Card>
    )}
    <Remarks title="Left out" remarks={preview.skipped.map(({ operation, reason }) => [operation, reason])} />
    <Remarks title="Notes" remarks={preview.notes.map(({ operation = "Document", note }) => [operation, note])} />
    <Remarks title="No longer in the document" remarks={preview.gone.map((name) => [name, "of an earlier import"])} />
  </div>
);

function Summary({ preview: { api, serverUrl, tools } }: { preview: ImportAnswer }): JSX.Element {
  const count = (change: ImportedTool["change"]): number => tools.filter((tool) => tool.change === change).length;
  return (
    <Notice>
      <span>
        <strong>{api}</strong>
        {serverUrl !== undefined && (
          <>
            {" at "}
            <code>{serverUrl}</code>
          </>
        )}
        : {count("create")} new, {count("update")} changed, {count("unchanged")} as they are, {count("conflict")} with a
        name that is taken. Nothing is stored yet.
      </span>
    </Notice>
  );
}

const Secrets = ({ secrets }: Pick<ImportAnswer, "secrets">): JSX.Element => (
  <Card title="Secrets that they need" flush>
    <Table
      caption="Secrets"
      rows={secrets}
      keyOf={({ name }) => name}
      columns={[
        { title: "Secret", isName: true, cell: ({ name }) => <code>{name}</code> },
        { title: "Expects", cell: ({ expects = "" }) => expects },
        {
          title: "State",
          untitled: true,
          cell: ({ set }) => (set ? <Badge tone="ok">Set</Badge> : <Badge tone="warn">Not set yet</Badge>),
        },
      ]}
    />
  </Card>
);

const Imported = ({ tool: { name, record } }: { tool: ImportedTool }): JSX.Element =>
  record ? (
    <details>
      <summary>
        <code>{name}</code> <span class="soft clamped-line">{record.description}</span>
      </summary>
      <JsonBlock value={record} label={`Record of ${name}`} />
    </details>
  ) : (
    <code>{name}</code>
  );

function Remarks({
  title,
  remarks,
}: {
  title: string;
  remarks: [about: string, text: ComponentChildren][];
}): JSX.Element | null {
  if (remarks.length === 0) return null;
  return (
    <Card title={`${title} (${remarks.length})`}>
      <Facts facts={remarks.map(([about, text]) => [<code>{about}</code>, text])} />
    </Card>
  );
}
