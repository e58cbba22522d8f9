// Fields of single values. An optional one that is empty is not there.

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { Field } from "../parts/field.tsx";
import type { Schema } from "./json-schema.ts";

export interface ValueProps {
  label: string;
  isRequired: boolean;
  /** An item of a list is there, and needs no mark that says so. */
  isItem?: boolean;
  /** What it is called for people. */
  title?: string;
  value: unknown;
  onValue: (value: unknown) => void;
}

type HintedProps = ValueProps & { hint: ComponentChildren };

const labelled = ({ label, title, isRequired, isItem }: ValueProps): JSX.Element => (
  <>
    <span class="mono">{label}</span>
    {title !== undefined && <span class="soft">{title}</span>}
    {isRequired && !isItem && <span class="required">required</span>}
  </>
);

export const ChoiceField = ({
  choices,
  hint,
  ...props
}: HintedProps & { choices: readonly { label: string; value: unknown }[] }): JSX.Element => {
  const chosen = choices.findIndex(({ value }) => JSON.stringify(value) === JSON.stringify(props.value));
  return (
    <Field label={labelled(props)} hint={hint}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={String(chosen)}
          onInput={(event) => props.onValue(choices[Number(event.currentTarget.value)]?.value)}
        >
          {(!props.isRequired || chosen < 0) && <option value="-1">left out</option>}
          {choices.map(({ label }, index) => (
            <option key={label} value={String(index)}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
};

/** What is no number yet stays as it was typed, and goes as text: the server says what is wrong with it. */
export function NumberField({ schema, hint, ...props }: HintedProps & { schema: Schema }): JSX.Element {
  const shown = props.value === undefined || props.value === null ? "" : String(props.value);
  return (
    <Field label={labelled(props)} hint={hint}>
      {(control) => (
        <input
          {...control}
          class="input number"
          type="number"
          inputMode={schema.type === "integer" ? "numeric" : "decimal"}
          step={schema.type === "integer" ? 1 : "any"}
          min={schema.minimum}
          max={schema.maximum}
          value={shown}
          onInput={({ currentTarget: { value } }) => props.onValue(value === "" ? undefined : Number(value))}
        />
      )}
    </Field>
  );
}

const INPUT_TYPES: Record<string, string> = {
  date: "date",
  time: "time",
  email: "email",
  uri: "url",
  password: "password",
};
/** From here on a text may well have lines. */
const LONG_CHARS = 300;

export function TextValueField({ schema, hint, ...props }: HintedProps & { schema: Schema }): JSX.Element {
  const shown = typeof props.value === "string" ? props.value : "";
  const type = INPUT_TYPES[schema.format ?? ""];
  const take = (value: string): void => props.onValue(value === "" && !props.isRequired ? undefined : value);
  const isLong = type === undefined && (schema.maxLength ?? 0) >= LONG_CHARS;
  const example = schema.examples?.[0];
  const placeholder = typeof example === "string" ? example : undefined;
  return (
    <Field label={labelled(props)} hint={hint}>
      {(control) =>
        isLong ? (
          <textarea
            {...control}
            class="input"
            rows={3}
            placeholder={placeholder}
            value={shown}
            onInput={(event) => take(event.currentTarget.value)}
          />
        ) : (
          <input
            {...control}
            class="input"
            type={(type ?? "text") as "text"}
            placeholder={placeholder}
            autocomplete="off"
            value={shown}
            onInput={(event) => take(event.currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

/** A value of any shape, as JSON. */
export function JsonField({ hint, ...props }: HintedProps): JSX.Element {
  const printed = props.value === undefined ? "" : JSON.stringify(props.value);
  const [text, setText] = useState(printed);
  const [fault, setFault] = useState<string>();
  const take = (next: string): void => {
    setText(next);
    try {
      props.onValue(next.trim() === "" ? undefined : JSON.parse(next));
      setFault(undefined);
    } catch {
      setFault("This is not JSON yet.");
    }
  };
  const isBehind = fault === undefined && !sameJson(text, printed);
  return (
    <Field label={labelled(props)} hint={hint} fault={fault}>
      {(control) => (
        <textarea
          {...control}
          class="input code"
          rows={3}
          placeholder="JSON"
          spellcheck={false}
          value={isBehind ? printed : text}
          onInput={(event) => take(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** Spelling and blanks do not matter. */
function sameJson(a: string, b: string): boolean {
  if (a.trim() === "" || b === "") return a.trim() === b;
  try {
    return JSON.stringify(JSON.parse(a)) === b;
  } catch {
    return false;
  }
}
