import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { listKeys, type ListedKey } from "../../api/keys-api.ts";
import { readStats } from "../../api/stats-api.ts";
import { Button } from "../../parts/button.tsx";
import { formatCount } from "../../parts/figure.tsx";
import { Badge, Card, Empty, Loaded, Page } from "../../parts/surface.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useResource } from "../../resource.ts";
import { goTo, hrefOf } from "../../router.ts";
import { useSession } from "../../session.ts";

/** Pages that are asked for at once, and again for each "more": a server may have a hundred thousand keys. */
const PAGES_AT_ONCE = 2;

interface ListedKeys {
  keys: readonly ListedKey[];
  nextCursor?: string | undefined;
}

/** The keys, by name. */
export function KeyList(): JSX.Element {
  const { api, canWrite } = useSession();
  const [rounds, setRounds] = useState(1);
  const resource = useResource<ListedKeys>(
    async (signal) => {
      const keys: ListedKey[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < rounds * PAGES_AT_ONCE; page++) {
        const answer = await listKeys(api, cursor, signal);
        keys.push(...answer.keys);
        cursor = answer.nextCursor;
        if (cursor === undefined) break;
      }
      return { keys, nextCursor: cursor };
    },
    [api, rounds],
  );
  return (
    <Page
      title="Keys"
      lead="Who may use this server, and how much of it."
      actions={
        canWrite && (
          <Button look="primary" icon="plus" onPress={() => goTo(["keys", "new"])}>
            New key
          </Button>
        )
      }
    >
      <Loaded resource={resource}>
        {({ keys, nextCursor }) => (
          <Keys
            keys={keys}
            more={nextCursor !== undefined && !resource.isLoading ? () => setRounds(rounds + 1) : undefined}
          />
        )}
      </Loaded>
    </Page>
  );
}

interface KeysProps {
  keys: readonly ListedKey[];
  more: (() => void) | undefined;
}

function Keys({ keys, more }: KeysProps): JSX.Element {
  const { api } = useSession();
  const stats = useResource((signal) => readStats(api, { window: "day" }, signal), [api]);
  const [words, setWords] = useState("");
  const [showsEnded, setShowsEnded] = useState(false);
  const calls = new Map(stats.data?.keys.map((row) => [row.key, row.calls]));
  const ended = keys.filter(({ status }) => status !== "active").length;
  const found = keys
    .filter(
      ({ name, id, status }) =>
        (showsEnded || status === "active") && `${name} ${id}`.toLowerCase().includes(words.toLowerCase().trim()),
    )
    .sort((a, b) => a.name.localeCompare(b.name));
  return (
    <div class="stack">
      <div class="filters">
        <input
          class="input"
          type="search"
          aria-label="Search keys"
          placeholder="Search names and ids"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <label class="check">
          <input type="checkbox" checked={showsEnded} onInput={(event) => setShowsEnded(event.currentTarget.checked)} />
          <span>Ended too ({formatCount(ended)})</span>
        </label>
      </div>
      <Card flush>
        {found.length === 0 ? (
          <Empty title={keys.length === 0 ? "No keys yet" : "No key matches"}>
            {keys.length === 0 ? "Nobody can use the endpoint until there is one." : "Try another word."}
          </Empty>
        ) : (
          <Table
            caption="Keys"
            rows={found}
            keyOf={({ id }) => id}
            columns={columns(calls, stats.data !== undefined)}
          />
        )}
      </Card>
      {more && (
        <p class="row" role="status">
          <span class="soft">{formatCount(keys.length)} keys are loaded; there are more.</span>
          <Button slim onPress={more}>
            Load more
          </Button>
        </p>
      )}
    </div>
  );
}

const columns = (calls: ReadonlyMap<string, number>, isCounted: boolean): Column<ListedKey>[] => [
  {
    title: "Key",
    isName: true,
    cell: ({ id, name }) => (
      <div class="tool-name">
        <a class="anywhere" href={hrefOf(["keys", "key", id])}>
          {name}
        </a>
        <code class="soft clamped-line">{id}</code>
      </div>
    ),
  },
  { title: "State", untitled: true, cell: (key) => <KeyBadges listed={key} /> },
  { title: "Limits", cell: ({ limits }) => <span class="small">{describeLimits(limits)}</span> },
  {
    title: "Calls in 24 hours",
    atEnd: true,
    cell: ({ id }) => <span class="number">{isCounted ? formatCount(calls.get(id) ?? 0) : "…"}</span>,
  },
  {
    title: "Expires",
    cell: ({ expiresAt }) => (expiresAt === undefined ? <span class="soft">never</span> : <Time at={expiresAt} />),
  },
];

/** Such as `60 a minute, 1,000 a day, 2 tool limits`. */
function describeLimits(limits: ListedKey["limits"]): string {
  if (!limits) return "";
  const { perMinute, burst, perDay, concurrent, tools = {} } = limits;
  const own = Object.keys(tools).length;
  return [
    `${formatCount(perMinute)} a minute`,
    burst === perMinute ? "" : `${formatCount(burst)} at once`,
    perDay === undefined ? "" : `${formatCount(perDay)} a day`,
    concurrent === undefined ? "" : `${formatCount(concurrent)} at a time`,
    own === 0 ? "" : `${own} for tools`,
  ]
    .filter(Boolean)
    .join(", ");
}

const STATES = { active: ["ok", "Active"], revoked: ["danger", "Revoked"], expired: ["warn", "Expired"] } as const;

/** A key's status and kind. */
export const KeyBadges = ({
  listed: { status, urlKey, scopes, discovery },
}: {
  listed: Pick<ListedKey, "status" | "urlKey" | "scopes" | "discovery">;
}): JSX.Element => (
  <span class="row close">
    <Badge tone={STATES[status][0]}>{STATES[status][1]}</Badge>
    {scopes.includes("admin") && <Badge tone="accent">admin</Badge>}
    {scopes.includes("admin:read") && !scopes.includes("admin") && <Badge tone="accent">admin, reads</Badge>}
    {urlKey && <Badge title="It works in the path alone">URL key</Badge>}
    {discovery && <Badge title="It sees search_tools and call_tool in the catalogue's place">discovery</Badge>}
  </span>
);
