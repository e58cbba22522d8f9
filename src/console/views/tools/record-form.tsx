// A tool's record as a form.

import type { JSX } from "preact";
import type { Fault } from "../../api/tools-api.ts";
import { Button } from "../../parts/button.tsx";
import { SelectField, TextField } from "../../parts/field.tsx";
import { Card } from "../../parts/surface.tsx";
import { HintFields } from "./hint-fields.tsx";
import { PairsField } from "./pairs-field.tsx";
import { faultAt } from "./record-check.tsx";
import { withSlots, type ToolDraft } from "./tool-draft.ts";
import { SERVER_LIMITS } from "../../server-limits.ts";

export interface FormProps {
  draft: ToolDraft;
  onDraft: (draft: ToolDraft) => void;
  faults: readonly Fault[];
}

export const RecordForm = ({ isNew, ...form }: FormProps & { isNew: boolean }): JSX.Element => (
  <>
    <Identity {...form} isNew={isNew} />
    {form.draft.kind === "http" ? <HttpSource {...form} /> : <CodeSource {...form} />}
    <Schemas {...form} />
    <Conduct {...form} />
  </>
);

/** The text field of one of a draft's texts. */
function textFieldsOf({ draft, onDraft, faults }: FormProps) {
  type Name = { [K in keyof ToolDraft]: ToolDraft[K] extends string ? K : never }[keyof ToolDraft];
  return (name: Name, place: string = name) => ({
    value: draft[name] as string,
    onInput: (value: string) => onDraft({ ...draft, [name]: value }),
    fault: faultAt(faults, place),
  });
}

function Identity({ isNew, ...form }: FormProps & { isNew: boolean }): JSX.Element {
  const field = textFieldsOf(form);
  return (
    <Card title="What models are told">
      <div class="stack">
        <div class="columns">
          {isNew && (
            <TextField
              label="Name"
              code
              hint={`Letters, digits, _ and -, at most ${SERVER_LIMITS.toolNameChars}.`}
              required
              {...field("name")}
            />
          )}
          <TextField label="Title" hint="For people; may be left out." {...field("title")} />
        </div>
        <TextField
          label="Description"
          rows={3}
          required
          hint="What it does, when to use it, what comes back: all that a model goes by."
          {...field("description")}
        />
      </div>
    </Card>
  );
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
const RESULTS = [
  { value: "", label: "By its content type" },
  ...["text", "json", "image", "audio", "resource"].map((value) => ({ value, label: value })),
];

function HttpSource(form: FormProps): JSX.Element {
  const { draft, onDraft, faults } = form;
  const field = textFieldsOf(form);
  return (
    <Card title="Request">
      <div class="stack">
        <div class="request-line">
          <SelectField
            label="Method"
            options={METHODS}
            {...field("method", "source.method")}
            value={draft.method as "GET"}
          />
          <TextField
            label="URL"
            code
            required
            placeholder="https://api.example.com/users/{id}"
            {...field("url", "source.url")}
          />
        </div>
        <p class="soft small">
          <code>{"{id}"}</code> stands for an argument, <code>{"{{secret:NAME}}"}</code> in query and headers for a
          secret.
        </p>
        <PairsField
          label="Query"
          pairs={draft.query}
          onPairs={(query) => onDraft({ ...draft, query })}
          fault={faultAt(faults, "source.query")}
        />
        <PairsField
          label="Headers"
          pairs={draft.headers}
          onPairs={(headers) => onDraft({ ...draft, headers })}
          fault={faultAt(faults, "source.headers")}
        />
        {draft.method !== "GET" && draft.method !== "HEAD" && (
          <TextField
            label="Body"
            code
            rows={5}
            hint={'JSON, such as {"name": "{name}"}; a string that is nothing but {name} is the argument itself.'}
            {...field("body", "source.body")}
          />
        )}
        <SelectField label="The answer becomes" options={RESULTS} {...field("result", "source.result")} />
      </div>
    </Card>
  );
}

function CodeSource(form: FormProps): JSX.Element {
  const field = textFieldsOf(form);
  return (
    <Card title="Module">
      <div class="stack">
        <TextField label="JavaScript" code rows={16} required {...field("module", "source.module")} />
        <div class="columns">
          <TextField
            label="Hosts that it may reach"
            code
            placeholder="api.example.com"
            hint="Apart by commas; none without."
            {...field("egress", "source.egress")}
          />
          <TextField
            label="Secrets"
            code
            placeholder="EXAMPLE_TOKEN"
            hint="Names of those that ctx.secrets has."
            {...field("secrets", "source.secrets")}
          />
        </div>
      </div>
    </Card>
  );
}

function Schemas(form: FormProps): JSX.Element {
  const { draft, onDraft } = form;
  const field = textFieldsOf(form);
  return (
    <Card
      title="Schemas"
      actions={
        draft.kind === "http" && (
          <Button slim onPress={async () => onDraft({ ...draft, inputSchema: withSlots(draft) })}>
            Add the request's arguments
          </Button>
        )
      }
    >
      <div class="columns">
        <TextField label="Arguments" code rows={12} hint="JSON Schema 2020-12." {...field("inputSchema")} />
        <TextField
          label="Structured result"
          code
          rows={12}
          hint="May be left out. A result that does not keep to it fails."
          {...field("outputSchema")}
        />
      </div>
    </Card>
  );
}

function Conduct(form: FormProps): JSX.Element {
  const { draft, onDraft, faults } = form;
  const field = textFieldsOf(form);
  return (
    <Card title="Hints and limits">
      <div class="grid-fields">
        <HintFields hints={draft.hints} onHints={(hints) => onDraft({ ...draft, hints })} faults={faults} />
        <TextField label="Deadline, ms" placeholder="30000" {...field("timeoutMs")} />
        <TextField label="Cost, calls" placeholder="1" {...field("cost")} />
      </div>
    </Card>
  );
}
