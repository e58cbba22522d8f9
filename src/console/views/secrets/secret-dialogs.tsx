import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { toProblem, type Problem } from "../../api/problem.ts";
import { deleteSecret, setSecret } from "../../api/secrets-api.ts";
import { countOf } from "../../parts/count-of.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Notice, ProblemNotice } from "../../parts/surface.tsx";
import { say } from "../../parts/toasts.tsx";
import { useSession } from "../../session.ts";
import { SERVER_LIMITS } from "../../server-limits.ts";

interface SetSecretProps {
  /** "" for one that is yet to be named. */
  name: string;
  isSet: boolean;
  onClose: () => void;
  onChanged: () => void;
}

/** Takes a value, which leaves the page with the request and is not kept. */
export function SetSecret({ name: given, isSet, onClose, onChanged }: SetSecretProps): JSX.Element {
  const { api } = useSession();
  const [name, setName] = useState(given);
  const [value, setValue] = useState("");
  const [problem, setProblem] = useState<Problem>();
  const isReady = name.trim() !== "" && value.length >= SERVER_LIMITS.secretMinChars;
  const save = async (): Promise<void> => {
    try {
      await setSecret(api, name.trim(), value);
      say(`${name.trim()} is set. It is in use everywhere within 30 seconds.`);
      onChanged();
      onClose();
    } catch (error) {
      setProblem(toProblem(error));
    }
  };
  return (
    <Dialog
      title={isSet ? `Replace ${given}` : "Set a secret"}
      onClose={onClose}
      onSubmit={() => void (isReady && save())}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!isReady}>
            Set
          </Button>
        </>
      }
    >
      {given === "" && (
        <TextField
          label="Name"
          code
          required
          autofocus
          value={name}
          onInput={setName}
          placeholder="EXAMPLE_TOKEN"
          hint="Letters, digits and _, as an environment variable."
        />
      )}
      <TextField
        label="Value"
        type="password"
        code
        required
        autofocus={given !== ""}
        value={value}
        onInput={setValue}
        hint={`At least ${SERVER_LIMITS.secretMinChars} characters. It is sealed at the edge, and no page or route shows it again.`}
      />
      {problem && <ProblemNotice problem={problem} />}
    </Dialog>
  );
}

interface DeleteSecretProps {
  name: string;
  uses: number;
  onClose: () => void;
  onChanged: () => void;
}

export function DeleteSecret({ name, uses, onClose, onChanged }: DeleteSecretProps): JSX.Element {
  const { api } = useSession();
  const remove = async (): Promise<void> => {
    await deleteSecret(api, name);
    say(`${name} is deleted.`);
    onClose();
    onChanged();
  };
  return (
    <Dialog
      title={`Delete ${name}?`}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Keep it</Button>
          <Button look="danger" onPress={remove}>
            Delete
          </Button>
        </>
      }
    >
      <p>Its value is gone for good.</p>
      {uses > 0 && (
        <Notice tone="danger">
          {countOf(uses, "tool or upstream names it: its", "tools or upstreams name it: their")} calls fail from then
          on.
        </Notice>
      )}
    </Dialog>
  );
}
