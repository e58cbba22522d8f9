import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { listSecrets, resealSecrets, type SecretView } from "../../api/secrets-api.ts";
import { listTools } from "../../api/tools-api.ts";
import { listUpstreams } from "../../api/upstreams-api.ts";
import { useFeed } from "../../feed.ts";
import { countOf } from "../../parts/count-of.ts";
import { Button } from "../../parts/button.tsx";
import { Name } from "../../parts/name.tsx";
import { Badge, Card, Empty, Loaded, Notice, Page } from "../../parts/surface.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { say } from "../../parts/toasts.tsx";
import { useResource } from "../../resource.ts";
import { goTo, hrefOf, type Place } from "../../router.ts";
import { useSession } from "../../session.ts";
import { DeleteSecret, SetSecret } from "./secret-dialogs.tsx";
import { findUses, type SecretUse } from "./secret-uses.ts";

/** A secret that is set, or that something names although it is not. */
interface Row {
  name: string;
  secret?: SecretView;
  uses: readonly SecretUse[];
}

/** `#/secrets`, `#/secrets?set=<name>`. */
export function Secrets({ query }: Place): JSX.Element {
  const { api, canWrite } = useSession();
  const { changes } = useFeed();
  const resource = useResource(
    async (signal) => {
      const [{ secrets }, { tools }, { upstreams }] = await Promise.all([
        listSecrets(api, signal),
        listTools(api, signal),
        listUpstreams(api, signal),
      ]);
      return toRows(secrets, findUses(tools, upstreams));
    },
    [api, changes],
  );
  const asked = query.get("set") ?? undefined;
  return (
    <Page
      title="Secrets"
      lead="Values that tools and upstreams send and nobody reads: they go in and never come out."
      actions={
        canWrite && (
          <Button look="primary" icon="plus" onPress={() => ask("")}>
            New secret
          </Button>
        )
      }
    >
      <Loaded resource={resource}>
        {(rows) => <SecretRows rows={rows} onSet={ask} onChanged={resource.reload} />}
      </Loaded>
      {asked !== undefined && canWrite && (
        <SetSecret
          key={asked}
          name={asked}
          isSet={resource.data?.some(({ name, secret }) => name === asked && secret !== undefined) ?? false}
          onClose={() => goTo(["secrets"], {}, { replace: true })}
          onChanged={resource.reload}
        />
      )}
    </Page>
  );
}

/** Opens the dialog for it; "" for one that is yet to be named. */
const ask = (name: string): void => goTo(["secrets"], { set: name });

/** Those that are missing first. */
function toRows(secrets: readonly SecretView[], uses: ReadonlyMap<string, readonly SecretUse[]>): Row[] {
  const set = new Map(secrets.map((secret) => [secret.name, secret]));
  return [...new Set([...set.keys(), ...uses.keys()])]
    .map((name): Row => {
      const secret = set.get(name);
      return { name, uses: uses.get(name) ?? [], ...(secret && { secret }) };
    })
    .sort((a, b) => Number(a.secret !== undefined) - Number(b.secret !== undefined) || a.name.localeCompare(b.name));
}

interface SecretRowsProps {
  rows: readonly Row[];
  onSet: (name: string) => void;
  onChanged: () => void;
}

function SecretRows({ rows, onSet, onChanged }: SecretRowsProps): JSX.Element {
  const { canWrite } = useSession();
  const [deleted, setDeleted] = useState<Row>();
  const unset = rows.filter(({ secret }) => !secret);
  return (
    <div class="stack">
      {unset.length > 0 && (
        <Notice tone="warn">
          {countOf(unset.length, "secret is", "secrets are")} named and not set. Calls that need{" "}
          {unset.length === 1 ? "it" : "them"} fail.
        </Notice>
      )}
      <Reseal rows={rows} onChanged={onChanged} />
      <Card flush>
        {rows.length === 0 ? (
          <Empty title="No secrets yet">
            A tool or an upstream names one as <code>{"{{secret:NAME}}"}</code> in a header.
          </Empty>
        ) : (
          <Table
            caption="Secrets"
            rows={rows}
            keyOf={({ name }) => name}
            columns={[...columns, ...(canWrite ? [actionsOf(onSet, setDeleted)] : [])]}
          />
        )}
      </Card>
      {deleted && (
        <DeleteSecret
          name={deleted.name}
          uses={deleted.uses.length}
          onClose={() => setDeleted(undefined)}
          onChanged={onChanged}
        />
      )}
    </div>
  );
}

const columns: Column<Row>[] = [
  {
    title: "Secret",
    isName: true,
    cell: ({ name }) => (
      <code>
        <Name text={name} />
      </code>
    ),
  },
  {
    title: "State",
    untitled: true,
    cell: ({ secret }) =>
      secret ? (
        <Badge tone={secret.sealedUnder === "current" ? "ok" : "warn"}>
          {secret.sealedUnder === "current" ? "set" : `sealed under ${SEALS[secret.sealedUnder]}`}
        </Badge>
      ) : (
        <Badge tone="danger">not set</Badge>
      ),
  },
  { title: "Set", cell: ({ secret }) => (secret ? <Time at={secret.setAt} /> : "–") },
  { title: "Used by", cell: ({ uses }) => <Uses uses={uses} /> },
];

const SEALS = { current: "the current key", previous: "the previous key", unknown: "a key that is not there" };

const actionsOf = (onSet: (name: string) => void, onDelete: (row: Row) => void): Column<Row> => ({
  title: "Actions",
  untitled: true,
  atEnd: true,
  cell: (row) => (
    <span class="row close at-end one-line">
      <Button slim label={`${row.secret ? "Replace" : "Set"} ${row.name}`} onPress={() => onSet(row.name)}>
        {row.secret ? "Replace" : "Set"}
      </Button>
      {row.secret && (
        <Button slim look="plain" label={`Delete ${row.name}`} onPress={() => onDelete(row)}>
          Delete
        </Button>
      )}
    </span>
  ),
});

const SHOWN_USES = 5;

const Uses = ({ uses }: { uses: readonly SecretUse[] }): JSX.Element => (
  <span class="row close">
    {uses.length === 0 && <span class="soft">nothing</span>}
    {uses.slice(0, SHOWN_USES).map(({ kind, name }) => (
      <a
        key={`${kind} ${name}`}
        class="mono anywhere"
        href={kind === "tool" ? hrefOf(["tools", "tool", name]) : hrefOf(["upstreams", "upstream", name])}
      >
        {name}
      </a>
    ))}
    {uses.length > SHOWN_USES && <span class="soft">and {uses.length - SHOWN_USES} more</span>}
  </span>
);

/** After a rotation of the key that seals: seals anew what the previous one did. */
function Reseal({ rows, onChanged }: Pick<SecretRowsProps, "rows" | "onChanged">): JSX.Element | null {
  const { api, canWrite } = useSession();
  const old = rows.filter(({ secret }) => secret !== undefined && secret.sealedUnder !== "current");
  if (old.length === 0) return null;
  const reseal = async (): Promise<void> => {
    const { resealed, unreadable } = await resealSecrets(api);
    say(`${resealed.length} sealed anew${unreadable.length > 0 ? `; set again: ${unreadable.join(", ")}` : ""}.`);
    onChanged();
  };
  return (
    <Notice tone="warn">
      <span>{old.length} not sealed under the current key.</span>
      {canWrite && (
        <span>
          <Button slim onPress={reseal}>
            Seal anew
          </Button>
        </span>
      )}
    </Notice>
  );
}
