import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

/** What a control needs to belong to its field. */
export interface ControlProps {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

export interface FieldProps {
  label: ComponentChildren;
  hint?: ComponentChildren;
  fault?: string | undefined;
  children: (control: ControlProps) => ComponentChildren;
}

/** A control under its label, with a hint and what is wrong with it. */
export function Field({ label, hint, fault, children }: FieldProps): JSX.Element {
  const id = useId();
  const [hintId, faultId] = [`${id}-hint`, `${id}-fault`];
  const described = [hint !== undefined && hintId, fault !== undefined && faultId].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      {children({
        id,
        "aria-describedby": described || undefined,
        "aria-invalid": fault === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <div class="hint" id={hintId}>
          {hint}
        </div>
      )}
      {fault !== undefined && (
        <div class="fault" id={faultId} role="alert">
          {fault}
        </div>
      )}
    </div>
  );
}

export interface TextFieldProps extends Omit<FieldProps, "children"> {
  value: string;
  onInput: (value: string) => void;
  /** More than one makes it a text area. */
  rows?: number;
  type?: "text" | "password" | "search" | "number" | "url" | "datetime-local" | "date";
  code?: boolean;
  placeholder?: string;
  required?: boolean;
  autofocus?: boolean;
}

/** A field of text. */
export function TextField({ value, onInput, rows, type = "text", code, ...props }: TextFieldProps): JSX.Element {
  const { placeholder, required, autofocus, ...field } = props;
  const look = code ? "input code" : "input";
  const more = { placeholder, required, autofocus, spellcheck: !code, autocomplete: "off" } as const;
  return (
    <Field {...field}>
      {(control) =>
        rows ? (
          <textarea
            {...control}
            {...more}
            class={look}
            rows={rows}
            value={value}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        ) : (
          <input
            {...control}
            {...more}
            class={look}
            // The typings tell the types apart, and know none that may be one or another.
            type={type as "text"}
            value={value}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

export interface SelectFieldProps<T extends string> extends Omit<FieldProps, "children"> {
  value: T;
  options: readonly (T | { value: T; label: string })[];
  onInput: (value: T) => void;
}

/** A field of one choice out of some. */
export function SelectField<T extends string>({ value, options, onInput, ...field }: SelectFieldProps<T>): JSX.Element {
  return (
    <Field {...field}>
      {(control) => (
        <select {...control} class="input" value={value} onInput={(event) => onInput(event.currentTarget.value as T)}>
          {options.map((option) => {
            const { value: name, label } = typeof option === "string" ? { value: option, label: option } : option;
            return (
              <option key={name} value={name}>
                {label}
              </option>
            );
          })}
        </select>
      )}
    </Field>
  );
}

/** A field of yes or no. */
export const CheckField = ({
  label,
  checked,
  onInput,
  disabled,
}: {
  label: ComponentChildren;
  checked: boolean;
  onInput: (checked: boolean) => void;
  disabled?: boolean;
}): JSX.Element => (
  <label class="check">
    <input
      type="checkbox"
      checked={checked}
      disabled={disabled}
      onInput={(event) => onInput(event.currentTarget.checked)}
    />
    <span>{label}</span>
  </label>
);
