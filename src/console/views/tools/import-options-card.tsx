import type { JSX } from "preact";
import { CheckField, TextField } from "../../parts/field.tsx";
import { Card } from "../../parts/surface.tsx";
import { hrefOf } from "../../router.ts";
import { GLOB_FIELDS, type GlobField, type ImportDraft } from "./import-draft.ts";
import { PairsField } from "./pairs-field.tsx";

export interface ImportOptionsCardProps {
  draft: ImportDraft;
  onChange: (part: Partial<ImportDraft>) => void;
}

/** How tools are made of a document. */
export const ImportOptionsCard = ({ draft, onChange }: ImportOptionsCardProps): JSX.Element => (
  <Card title="Options">
    <div class="stack">
      <div class="grid-fields">
        <TextField
          label="Prefix of names"
          code
          placeholder="harbour_"
          value={draft.prefix}
          onInput={(prefix) => onChange({ prefix })}
        />
        <TextField
          label="Name of the API"
          code
          hint="The same at each import. Empty: of its title."
          value={draft.api}
          onInput={(api) => onChange({ api })}
        />
      </div>
      <TextField
        label="Server"
        code
        placeholder="https://api.example.com"
        hint="Base URL of all requests, in place of what the document names."
        value={draft.server}
        onInput={(server) => onChange({ server })}
      />
      <div class="stack close">
        <PairsField label="Headers" pairs={draft.headers} onPairs={(headers) => onChange({ headers })} />
        <p class="soft small">
          Of every request, over what the document says. Credentials are <a href={hrefOf(["secrets"])}>secrets</a>:{" "}
          <code>{"Bearer {{secret:NAME}}"}</code>
        </p>
      </div>
      <CheckField
        label="Deprecated operations as well"
        checked={draft.deprecated}
        onInput={(deprecated) => onChange({ deprecated })}
      />
      <CheckField
        label="Declare structured results; an answer that is different then fails"
        checked={draft.outputSchemas}
        onInput={(outputSchemas) => onChange({ outputSchemas })}
      />
      <CheckField
        label="Delete tools of an earlier import that the document has no more"
        checked={draft.removeGone}
        onInput={(removeGone) => onChange({ removeGone })}
      />
    </div>
  </Card>
);

const EXAMPLES: Partial<Record<GlobField, string>> = { includeTags: "ships, berth*", includePaths: "/ships/*" };

/** Which operations become tools. */
export const ImportFilterCard = ({ draft, onChange }: ImportOptionsCardProps): JSX.Element => (
  <Card title="Which operations">
    <div class="stack">
      <div class="grid-fields halves">
        {(Object.keys(GLOB_FIELDS) as GlobField[]).map((name) => (
          <TextField
            key={name}
            label={GLOB_FIELDS[name]}
            code
            placeholder={EXAMPLES[name] ?? ""}
            value={draft[name]}
            onInput={(value) => onChange({ [name]: value })}
          />
        ))}
        <TextField
          label="Tools at most"
          type="number"
          value={draft.maxTools}
          onInput={(maxTools) => onChange({ maxTools })}
        />
      </div>
      <p class="soft small">
        Globs, apart by commas: <code>*</code> stands for any characters. Empty: all that there are.
      </p>
    </div>
  </Card>
);
