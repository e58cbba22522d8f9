import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { changeKey, type KeyView } from "../../api/keys-api.ts";
import { toProblem, type Problem } from "../../api/problem.ts";
import { Button } from "../../parts/button.tsx";
import { Notice, ProblemNotice } from "../../parts/surface.tsx";
import { say } from "../../parts/toasts.tsx";
import { useSession } from "../../session.ts";
import { faultsOfKey, hasFaults, toKeyChange, toKeyDraft } from "./key-draft.ts";
import { KeyForm } from "./key-form.tsx";

/** Changes of these close what the key holds open, so that clients come back and list anew. */
const CLOSING = ["tools", "scopes", "expiresAt", "discovery"];

/** A key's limits and rules, changed. Only what is another than before is sent. */
export function EditKey({ view, onSaved }: { view: KeyView; onSaved: () => void }): JSX.Element {
  const { api } = useSession();
  const [before] = useState(() => toKeyDraft(view));
  const [draft, setDraft] = useState(before);
  const [problem, setProblem] = useState<Problem>();
  const faults = faultsOfKey(draft);
  const change = toKeyChange(before, draft);
  const save = async (): Promise<void> => {
    try {
      await changeKey(api, view.id, change);
      say(`${draft.name.trim()} is changed. It counts everywhere within two seconds.`);
      onSaved();
    } catch (error) {
      setProblem(toProblem(error));
    }
  };
  return (
    <div class="stack">
      <KeyForm isNew={false} draft={draft} onDraft={setDraft} faults={faults} />
      {CLOSING.some((name) => name in change) && (
        <Notice tone="warn">
          This closes the key's open sockets and streams: its clients come back, and list again.
        </Notice>
      )}
      {problem && <ProblemNotice problem={problem} />}
      <div class="row">
        <Button look="primary" disabled={hasFaults(faults) || Object.keys(change).length === 0} onPress={save}>
          Save
        </Button>
        <Button look="plain" onPress={() => setDraft(before)}>
          Undo
        </Button>
      </div>
    </div>
  );
}
