// What clients make of the whole catalogue, tool by tool.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Verdict } from "../../../lint/verdict.ts";
import { lintAll } from "../../api/tools-api.ts";
import { useFeed } from "../../feed.ts";
import { countOf } from "../../parts/count-of.ts";
import { Name } from "../../parts/name.tsx";
import { Card, Empty, Loaded, Page } from "../../parts/surface.tsx";
import { useResource } from "../../resource.ts";
import { hrefOf } from "../../router.ts";
import { useSession } from "../../session.ts";
import { CLIENTS, Summary, VerdictList } from "./lint-panel.tsx";

/** As many tools as are shown at once. */
const SHOWN_TOOLS = 100;

export function LintPage(): JSX.Element {
  const { api } = useSession();
  const { changes } = useFeed();
  const resource = useResource(() => lintAll(api), [api, changes]);
  return (
    <Page title="Lint" lead="What Claude, OpenAI, Gemini, Cursor and VS Code make of the catalogue.">
      <Loaded resource={resource}>{(verdicts) => <ByTool verdicts={verdicts} />}</Loaded>
    </Page>
  );
}

function ByTool({ verdicts }: { verdicts: readonly Verdict[] }): JSX.Element {
  const [client, setClient] = useState("");
  const [withNotes, setWithNotes] = useState(false);
  const wanted = verdicts.filter(
    (verdict) =>
      (client === "" || verdict.client === client || verdict.client === "all") &&
      (withNotes || verdict.level !== "info"),
  );
  const groups = [...Map.groupBy(wanted, ({ tool = "" }) => tool)];
  return (
    <div class="stack">
      <div class="row">
        <select
          class="input narrow"
          aria-label="Client"
          value={client}
          onInput={(event) => setClient(event.currentTarget.value)}
        >
          <option value="">Any client</option>
          {Object.entries(CLIENTS).map(
            ([value, name]) =>
              value !== "all" && (
                <option key={value} value={value}>
                  {name}
                </option>
              ),
          )}
        </select>
        <label class="check">
          <input type="checkbox" checked={withNotes} onInput={(event) => setWithNotes(event.currentTarget.checked)} />
          Notes as well
        </label>
      </div>
      {groups.length === 0 && (
        <Empty title="Nothing to say">No client refuses a tool, or changes what it was told.</Empty>
      )}
      {groups.slice(0, SHOWN_TOOLS).map(([tool, told]) => (
        <Card key={tool} title={tool || "The list as a whole"} actions={<Summary verdicts={told} />} flush>
          <VerdictList verdicts={told} />
          {tool !== "" && (
            <footer>
              <a href={hrefOf(["tools", "tool", tool])}>
                Open <Name text={tool} />
              </a>
            </footer>
          )}
        </Card>
      ))}
      {groups.length > SHOWN_TOOLS && (
        <p class="soft small">
          The first {SHOWN_TOOLS} of {countOf(groups.length, "tool")}.
        </p>
      )}
    </div>
  );
}
