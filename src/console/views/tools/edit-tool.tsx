// Making a tool, or another of one that came as data: a form or the record's JSON, checked by the server as one types.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { putTool, type ToolView } from "../../api/tools-api.ts";
import { toProblem, type Problem } from "../../api/problem.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Card, Notice, Page, ProblemNotice } from "../../parts/surface.tsx";
import { say } from "../../parts/toasts.tsx";
import { goTo } from "../../router.ts";
import { useSession } from "../../session.ts";
import { CheckCard, faultAt, useCheck } from "./record-check.tsx";
import { RecordForm } from "./record-form.tsx";
import { newDraft, toDraft, toRecord, toRecordText, type ToolDraft } from "./tool-draft.ts";

/** The page of a tool that is not there yet. */
export const EditTool = ({ kind }: { kind: "http" | "code" }): JSX.Element => (
  <Page
    title={kind === "http" ? "New HTTP tool" : "New code tool"}
    lead={
      kind === "http"
        ? "A request to one host that a call's arguments fill in."
        : "A JavaScript module in an isolate of its own, with no network but the hosts that you name."
    }
  >
    <Editor initial={newDraft(kind)} isNew version={undefined} onSaved={() => undefined} />
  </Page>
);

/** The record of one that is. */
export const EditRecord = ({
  tool,
  onSaved,
}: {
  tool: ToolView & { version: number };
  onSaved: () => void;
}): JSX.Element => (
  <Editor initial={toDraft(tool.name, toRecord(tool))} isNew={false} version={tool.version} onSaved={onSaved} />
);

interface EditorProps {
  initial: ToolDraft;
  isNew: boolean;
  /** The catalogue's version that the draft is from: an edit of another's meanwhile is not written over. */
  version: number | undefined;
  onSaved: () => void;
}

function Editor({ initial, isNew, version, onSaved }: EditorProps): JSX.Element {
  const { api } = useSession();
  const [draft, setDraft] = useState(initial);
  /** The record's text while it is edited as JSON. */
  const [raw, setRaw] = useState<string>();
  const [problem, setProblem] = useState<Problem>();
  const [startedAt] = useState(version);
  const made = raw === undefined ? toRecordText(draft) : { text: raw };
  const check = useCheck(draft.name, made, isNew);
  const save = async (): Promise<void> => {
    if (!("text" in made)) return;
    try {
      const answer = await putTool(api, draft.name, made.text, startedAt);
      say(`${draft.name} is ${isNew ? "in the catalogue" : "changed"} as of version ${answer.version}.`);
      onSaved();
      goTo(["tools", "tool", draft.name]);
    } catch (error) {
      setProblem(toProblem(error));
    }
  };
  return (
    <div class="editor">
      <div class="stack">
        <Modes draft={draft} raw={raw} onDraft={setDraft} onRaw={setRaw} />
        {raw === undefined ? (
          <RecordForm draft={draft} onDraft={setDraft} isNew={isNew} faults={check.faults} />
        ) : (
          <RawRecord
            name={draft.name}
            isNew={isNew}
            raw={raw}
            onRaw={setRaw}
            onName={(name) => setDraft({ ...draft, name })}
            check={check.faults}
          />
        )}
      </div>
      <div class="stack editor-side">
        <Button look="primary" disabled={check.state !== "good"} onPress={save}>
          {isNew ? "Put into the catalogue" : "Save"}
        </Button>
        {problem && <ProblemNotice problem={problem} />}
        {problem?.code === "version_mismatch" && (
          <Notice tone="warn">The catalogue changed since you began. Open the tool anew to see what it is now.</Notice>
        )}
        <CheckCard check={check} />
      </div>
    </div>
  );
}

interface ModesProps {
  draft: ToolDraft;
  raw: string | undefined;
  onDraft: (draft: ToolDraft) => void;
  onRaw: (raw: string | undefined) => void;
}

/** Form or JSON: what is in one is carried to the other. */
function Modes({ draft, raw, onDraft, onRaw }: ModesProps): JSX.Element {
  const toRaw = (): void => {
    const made = toRecordText(draft);
    if ("text" in made) onRaw(made.text);
    else say(`Not yet: ${made.faults.map(({ path, message }) => `${path}: ${message}`).join("; ")}`, "danger");
  };
  const toForm = (): void => {
    try {
      onDraft(toDraft(draft.name, JSON.parse(raw ?? "{}") as Record<string, unknown>));
      onRaw(undefined);
    } catch (error) {
      say(`Not yet: ${error instanceof Error ? error.message : String(error)}`, "danger");
    }
  };
  return (
    <div class="modes" role="group" aria-label="Edit as">
      <button type="button" aria-pressed={raw === undefined} onClick={() => raw !== undefined && toForm()}>
        Form
      </button>
      <button type="button" aria-pressed={raw !== undefined} onClick={() => raw === undefined && toRaw()}>
        JSON
      </button>
    </div>
  );
}

interface RawRecordProps {
  name: string;
  isNew: boolean;
  raw: string;
  onRaw: (raw: string) => void;
  onName: (name: string) => void;
  check: readonly { path: string; message: string }[];
}

const RawRecord = ({ name, isNew, raw, onRaw, onName, check }: RawRecordProps): JSX.Element => (
  <Card>
    <div class="stack">
      {isNew && <TextField label="Name" code value={name} onInput={onName} fault={faultAt(check, "name")} />}
      <TextField label="Record" code rows={28} value={raw} onInput={onRaw} />
    </div>
  </Card>
);
