// OpenAPI documents: what would become of one, then doing it.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { toProblem, type Problem } from "../../api/problem.ts";
import { importOpenApi, type ImportAnswer } from "../../api/import-api.ts";
import { countOf } from "../../parts/count-of.ts";
import { Button } from "../../parts/button.tsx";
import { Field, TextField } from "../../parts/field.tsx";
import { Card, Page, ProblemNotice } from "../../parts/surface.tsx";
import { say } from "../../parts/toasts.tsx";
import { goTo } from "../../router.ts";
import { useSession } from "../../session.ts";
import { NEW_IMPORT, toImportOptions, type ImportDraft } from "./import-draft.ts";
import { ImportFilterCard, ImportOptionsCard } from "./import-options-card.tsx";
import { ImportPreview } from "./import-preview.tsx";

export function ImportOpenApi(): JSX.Element {
  const { api } = useSession();
  const [text, setText] = useState("");
  const [draft, setDraft] = useState(NEW_IMPORT);
  const [preview, setPreview] = useState<ImportAnswer>();
  const [problem, setProblem] = useState<Problem>();
  const run = async (dryRun: boolean): Promise<ImportAnswer | undefined> => {
    setProblem(undefined);
    try {
      return await importOpenApi(
        api,
        await toJson(text),
        toImportOptions(draft, dryRun),
        dryRun ? undefined : preview?.version,
      );
    } catch (error) {
      setPreview(undefined);
      setProblem(toProblem(error));
      return undefined;
    }
  };
  const confirm = async (): Promise<void> => {
    const done = await run(false);
    if (!done) return;
    const changed = done.tools.filter(({ change }) => change === "create" || change === "update").length;
    say(`${countOf(changed, "tool")} of ${done.api} as of version ${done.version}.`);
    goTo(["tools"]);
  };
  const change = (part: Partial<ImportDraft>): void => {
    setDraft({ ...draft, ...part });
    setPreview(undefined);
  };
  return (
    <Page
      title="Import OpenAPI"
      lead="Each operation of an OpenAPI 3.0 or 3.1 document becomes an HTTP tool, or is named with the reason why not."
    >
      <div class="columns">
        <div class="stack">
          <DocumentCard text={text} onText={(next) => (setText(next), setPreview(undefined))} />
          <ImportFilterCard draft={draft} onChange={change} />
        </div>
        <ImportOptionsCard draft={draft} onChange={change} />
      </div>
      <div class="row">
        <Button
          look={preview ? undefined : "primary"}
          disabled={text.trim() === ""}
          onPress={async () => setPreview(await run(true))}
        >
          Preview
        </Button>
        {preview && (
          <Button look="primary" onPress={confirm}>
            Import
          </Button>
        )}
      </div>
      {problem && <ProblemNotice problem={problem} />}
      {preview && <ImportPreview preview={preview} />}
    </Page>
  );
}

function DocumentCard({ text, onText }: { text: string; onText: (text: string) => void }): JSX.Element {
  const read = async (files: FileList | null): Promise<void> => {
    const file = files?.[0];
    if (file) onText(await file.text());
  };
  return (
    <Card title="Document">
      <div class="stack">
        <Field label="From a file">
          {(control) => (
            <input
              {...control}
              class="input"
              type="file"
              accept=".json,.yaml,.yml,application/json,application/yaml"
              onChange={(event) => void read(event.currentTarget.files)}
            />
          )}
        </Field>
        <TextField
          label="Or pasted, JSON or YAML"
          code
          rows={12}
          value={text}
          onInput={onText}
          placeholder="openapi: 3.1.0"
        />
      </div>
    </Card>
  );
}

/** The server takes JSON; YAML is read here. */
async function toJson(text: string): Promise<string> {
  try {
    JSON.parse(text);
    return text;
  } catch {
    const { parse } = await import("../../yaml.ts");
    return JSON.stringify(parse(text));
  }
}
