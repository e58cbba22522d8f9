import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { AuditFilter } from "../../api/audit-api.ts";
import { Button } from "../../parts/button.tsx";
import { SelectField, TextField } from "../../parts/field.tsx";
import { Card } from "../../parts/surface.tsx";
import { OUTCOMES } from "../outcomes.tsx";

/** What the trail is looked through by. Times are ISO 8601 or "". */
export type Filters = Record<"kind" | "key" | "tool" | "outcome" | "since" | "until", string>;

const NAMES = ["kind", "key", "tool", "outcome", "since", "until"] as const;

export const readFilters = (query: URLSearchParams): Filters =>
  Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ""])) as Filters;

/** Those that are set. */
export const usedFilters = (filters: Filters): AuditFilter & Record<string, string> =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));

export interface AuditFiltersProps {
  filters: Filters;
  names: ReadonlyMap<string, string>;
  onFilters: (filters: Filters) => void;
}

/** A form of them, which is asked by when it is sent. */
export function AuditFilters({ filters, names, onFilters }: AuditFiltersProps): JSX.Element {
  const [draft, setDraft] = useState(filters);
  const set = (name: keyof Filters) => (value: string) => setDraft({ ...draft, [name]: value });
  const submit = (event: Event): void => {
    event.preventDefault();
    onFilters(draft);
  };
  const clear = (): void => {
    const none = readFilters(new URLSearchParams());
    setDraft(none);
    onFilters(none);
  };
  return (
    <Card>
      <form class="stack" role="search" aria-label="Audit trail" onSubmit={submit}>
        <div class="audit-fields">
          <SelectField
            label="Kind"
            value={draft.kind}
            onInput={set("kind")}
            options={[
              { value: "", label: "Calls and actions" },
              { value: "call", label: "Tool calls" },
              { value: "admin", label: "Admin actions" },
            ]}
          />
          <TextField label="Tool" code value={draft.tool} onInput={set("tool")} placeholder="any" />
          <KeyField value={draft.key} names={names} onInput={set("key")} />
          <SelectField
            label="Outcome"
            value={draft.outcome}
            onInput={set("outcome")}
            options={[
              { value: "", label: "Any" },
              ...OUTCOMES.map((value) => ({ value, label: value.replaceAll("_", " ") })),
            ]}
          />
          <TimeField label="Since" value={draft.since} onInput={set("since")} />
          <TimeField label="Until" value={draft.until} onInput={set("until")} />
        </div>
        <div class="row">
          <Button type="submit" look="primary" icon="search">
            Search
          </Button>
          <Button look="plain" onPress={clear}>
            Clear
          </Button>
        </div>
      </form>
    </Card>
  );
}

interface KeyFieldProps {
  value: string;
  names: ReadonlyMap<string, string>;
  onInput: (id: string) => void;
}

/** Ids to choose by their names; of keys that were not listed, the id. */
const KeyField = ({ value, names, onInput }: KeyFieldProps): JSX.Element => {
  const isOther = value !== "" && !names.has(value);
  return (
    <SelectField
      label="Key"
      value={value}
      onInput={onInput}
      options={[
        { value: "", label: "Any" },
        ...(isOther ? [{ value, label: value }] : []),
        ...[...names].map(([id, name]) => ({ value: id, label: `${name} (${id.slice(0, 6)}…)` })),
      ]}
    />
  );
};

/** A moment in the reader's own zone. */
const TimeField = ({
  label,
  value,
  onInput,
}: {
  label: string;
  value: string;
  onInput: (time: string) => void;
}): JSX.Element => (
  <TextField
    label={label}
    type="datetime-local"
    value={toLocal(value)}
    onInput={(local) => onInput(local === "" ? "" : new Date(local).toISOString())}
  />
);

/** An ISO 8601 time as `datetime-local` has it. */
export function toLocal(time: string): string {
  const date = new Date(time);
  if (time === "" || Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
