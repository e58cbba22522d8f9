import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { toProblem, type Problem } from "../../api/problem.ts";
import { listUpstreams, putUpstream, type UpstreamView } from "../../api/upstreams-api.ts";
import { Button } from "../../parts/button.tsx";
import { CheckField, TextField } from "../../parts/field.tsx";
import { goToFault } from "../../parts/go-to-fault.ts";
import { Card, Notice, Page, ProblemNotice } from "../../parts/surface.tsx";
import { say } from "../../parts/toasts.tsx";
import { useResource } from "../../resource.ts";
import { goTo, hrefOf } from "../../router.ts";
import { useSession } from "../../session.ts";
import { PairsField } from "../tools/pairs-field.tsx";
import { sayListed } from "./refresh-button.tsx";
import {
  faultsOfUpstream,
  newUpstreamDraft,
  toUpstreamDraft,
  toUpstreamRecord,
  type UpstreamDraft,
} from "./upstream-draft.ts";

/** The page of an upstream that is not there yet. */
export function NewUpstream(): JSX.Element {
  const { api } = useSession();
  const [initial] = useState(newUpstreamDraft);
  const { data } = useResource((signal) => listUpstreams(api, signal), [api]);
  return (
    <Page
      title="Add upstream"
      lead="Add servers that you trust as much as your own tools: their descriptions and results are their own words."
    >
      <Editor
        initial={initial}
        isNew
        taken={data?.upstreams.map(({ name }) => name) ?? []}
        version={undefined}
        onSaved={(name) => goTo(["upstreams", "upstream", name])}
      />
    </Page>
  );
}

/** The record of one that is. `version` is the catalogue's that it is from. */
export const EditUpstream = ({
  view,
  onSaved,
}: {
  view: UpstreamView & { version: number };
  onSaved: () => void;
}): JSX.Element => (
  <Editor initial={toUpstreamDraft(view)} isNew={false} taken={[]} version={view.version} onSaved={onSaved} />
);

interface EditorProps {
  initial: UpstreamDraft;
  isNew: boolean;
  /** Names that others have. */
  taken: readonly string[];
  version: number | undefined;
  onSaved: (name: string) => void;
}

function Editor({ initial, isNew, taken, version, onSaved }: EditorProps): JSX.Element {
  const { api } = useSession();
  const [draft, setDraft] = useState(initial);
  const [startedAt] = useState(version);
  const [isTried, setTried] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const faults = {
    ...faultsOfUpstream(draft),
    ...(taken.includes(draft.name) && { name: "There is an upstream of this name." }),
  };
  const save = async (): Promise<void> => {
    setTried(true);
    if (Object.keys(faults).length > 0) return goToFault();
    try {
      const answer = await putUpstream(api, draft.name, toUpstreamRecord(draft), startedAt);
      sayListed(answer);
      const { unsetSecrets = [] } = answer;
      if (unsetSecrets.length > 0) say(`Not set yet: ${unsetSecrets.join(", ")}. Set them under Secrets.`, "danger");
      onSaved(draft.name);
    } catch (error) {
      setProblem(toProblem(error));
    }
  };
  return (
    <div class="stack">
      <UpstreamForm draft={draft} onDraft={setDraft} isNew={isNew} faults={isTried ? faults : {}} />
      {problem && <ProblemNotice problem={problem} />}
      {problem?.code === "version_mismatch" && (
        <Notice tone="warn">
          The catalogue changed since you began. Open the upstream anew to see what it is now.
        </Notice>
      )}
      <div class="row">
        <Button look="primary" onPress={save}>
          {isNew ? "Add and list its tools" : "Save and list its tools"}
        </Button>
        {isNew && (
          <Button look="plain" onPress={() => goTo(["upstreams"])}>
            Cancel
          </Button>
        )}
      </div>
    </div>
  );
}

interface UpstreamFormProps {
  draft: UpstreamDraft;
  onDraft: (draft: UpstreamDraft) => void;
  isNew: boolean;
  faults: ReturnType<typeof faultsOfUpstream>;
}

function UpstreamForm({ draft, onDraft, isNew, faults }: UpstreamFormProps): JSX.Element {
  const set =
    <K extends keyof UpstreamDraft>(name: K) =>
    (value: UpstreamDraft[K]) =>
      onDraft({ ...draft, [name]: value });
  return (
    <Card>
      <div class="stack">
        {isNew && (
          <TextField
            label="Name"
            code
            required
            value={draft.name}
            onInput={set("name")}
            fault={faults.name}
            placeholder="files"
            hint={`Its tools are served as ${draft.name || "NAME"}_tool.`}
          />
        )}
        <TextField
          label="URL"
          type="url"
          code
          required
          value={draft.url}
          onInput={set("url")}
          fault={faults.url}
          placeholder="https://files.example.com/mcp"
          hint="Of its Streamable HTTP endpoint."
        />
        <PairsField label="Headers" pairs={draft.headers} onPairs={set("headers")} />
        <p class="soft small">
          Sent with every request, and nothing of the caller's. Credentials are{" "}
          <a href={hrefOf(["secrets"])}>secrets</a>: <code>Bearer {"{{secret:NAME}}"}</code>
        </p>
        <div class="grid-fields wide">
          <TextField
            label="Tools to serve"
            code
            rows={3}
            value={draft.include}
            onInput={set("include")}
            placeholder="*"
            hint="Globs over its own names, a line each. Empty: all."
          />
          <TextField
            label="Tools not to serve"
            code
            rows={3}
            value={draft.exclude}
            onInput={set("exclude")}
            placeholder="delete_*"
            hint="These win."
          />
        </div>
        <TextField
          label="Timeout of a call, in milliseconds"
          type="number"
          value={draft.timeoutMs}
          onInput={set("timeoutMs")}
          fault={faults.timeoutMs}
          hint="Empty: 30,000."
        />
        <CheckField label="On: its tools are served" checked={draft.enabled} onInput={set("enabled")} />
      </div>
    </Card>
  );
}
