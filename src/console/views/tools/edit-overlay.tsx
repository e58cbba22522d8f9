// What an operator may say of any tool, wherever it comes from: its hints, and what a call costs.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { patchTool, type ToolView } from "../../api/tools-api.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Card } from "../../parts/surface.tsx";
import { say } from "../../parts/toasts.tsx";
import { useSession } from "../../session.ts";
import { hintsOf, HintFields, toAnnotations } from "./hint-fields.tsx";

/** Hints are laid over the tool's own, one by one: what is not said stays as the tool has it. */
export function EditOverlay({ tool, onSaved }: { tool: ToolView; onSaved: () => void }): JSX.Element {
  const { api } = useSession();
  const [hints, setHints] = useState(() => hintsOf(tool.annotations));
  const [cost, setCost] = useState(tool.cost === undefined ? "" : String(tool.cost));
  const save = async (): Promise<void> => {
    const { title } = tool.annotations ?? {};
    const annotations = { ...(title !== undefined && { title }), ...toAnnotations(hints) };
    const { version } = await patchTool(api, tool.name, {
      annotations,
      cost: cost.trim() === "" ? null : Number(cost),
    });
    say(`${tool.name} is changed as of version ${version}.`);
    onSaved();
  };
  return (
    <Card
      title="Hints and limits"
      actions={
        <Button look="primary" onPress={save}>
          Save
        </Button>
      }
    >
      <div class="stack">
        <p class="soft">
          {tool.source.kind === "upstream"
            ? "The tool itself is its upstream's"
            : "The tool itself is in the server's code"}
          : what you say here is laid over it.
        </p>
        <div class="grid-fields">
          <HintFields hints={hints} onHints={setHints} faults={[]} />
          <TextField label="Cost, calls" placeholder="1" value={cost} onInput={setCost} />
        </div>
      </div>
    </Card>
  );
}
