import type { JSX } from "preact";
import type { AdminRow, AuditRow, CallRow } from "../../api/audit-api.ts";
import { Button } from "../../parts/button.tsx";
import { JsonBlock } from "../../parts/code.tsx";
import { countOf } from "../../parts/count-of.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts, type Fact } from "../../parts/facts.tsx";
import { formatCount } from "../../parts/figure.tsx";
import { Time } from "../../parts/time.tsx";
import { hrefOf } from "../../router.ts";
import { meaningOf, OutcomeBadge } from "../outcomes.tsx";
import { describeAction, KeyName } from "./row-cells.tsx";

interface RowDialogProps {
  row: AuditRow;
  names: ReadonlyMap<string, string>;
  onClose: () => void;
}

/** All that the trail has of one call or action. */
export function RowDialog({ row, names, onClose }: RowDialogProps): JSX.Element {
  const facts = row.kind === "call" ? callFacts(row, names) : actionFacts(row, names);
  return (
    <Dialog
      wide
      title={row.kind === "call" ? `Call of ${row.tool || "no tool"}` : describeAction(row)}
      onClose={onClose}
      actions={<Button onPress={onClose}>Close</Button>}
    >
      <Facts facts={facts} />
      <details>
        <summary>As JSON</summary>
        <JsonBlock value={row} label="Row" />
      </details>
    </Dialog>
  );
}

const outcomeFact = (outcome: string): Fact => [
  "Outcome",
  <span class="row close">
    <OutcomeBadge outcome={outcome} />
    <span class="soft">{meaningOf(outcome)}</span>
  </span>,
];

function callFacts(row: CallRow, names: ReadonlyMap<string, string>): (Fact | undefined)[] {
  const removed = Object.entries(row.removed).map(([kind, count]) => `${count} ${kind}`);
  return [
    outcomeFact(row.outcome),
    [
      "Tool",
      row.known ? (
        <a class="mono anywhere" href={hrefOf(["tools", "tool", row.tool])}>
          {row.tool}
        </a>
      ) : (
        <code class="anywhere">{row.tool}</code>
      ),
    ],
    ["Key", <KeyName id={row.key} names={names} />],
    ["Began", <Time at={row.at} />],
    ["Took", `${formatCount(row.durationMs)} ms`],
    ["Sizes", `arguments ${countOf(row.argumentsBytes, "byte")}, result ${countOf(row.resultBytes, "byte")}`],
    ["Client", `${row.client.name} ${row.client.version}`],
    ["Protocol", `${row.revision}, ${row.transport}`],
    ["Catalogue version", row.version === 0 ? "none at hand" : row.version],
    row.argumentsSha256 === undefined ? undefined : ["Arguments, SHA-256", mono(row.argumentsSha256)],
    row.arguments === undefined ? undefined : ["Arguments", mono(row.arguments)],
    row.traceId === undefined ? undefined : ["Trace", mono(row.traceId)],
    row.replayed ? ["Replayed", "an earlier call's answer was given again"] : undefined,
    removed.length === 0 ? undefined : ["Taken out of the result", removed.join(", ")],
  ];
}

function actionFacts(row: AdminRow, names: ReadonlyMap<string, string>): (Fact | undefined)[] {
  return [
    outcomeFact(row.outcome),
    ["Action", mono(row.action)],
    ["On", mono(row.target)],
    ["By", <KeyName id={row.who} names={names} />],
    ["When", <Time at={row.at} />],
    ["Catalogue version after it", row.version],
    ["Place in the chain", row.seq],
    ["Hash", mono(row.hash)],
    row.detail === undefined ? undefined : ["Detail", <JsonBlock value={row.detail} label="Detail" />],
  ];
}

const mono = (text: string): JSX.Element => <code class="anywhere">{text}</code>;
