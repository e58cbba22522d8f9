import type { JSX } from "preact";
import type { Fault, ToolView } from "../../api/tools-api.ts";
import { SelectField } from "../../parts/field.tsx";
import { faultAt } from "./record-check.tsx";

export type Hint = "readOnlyHint" | "destructiveHint" | "idempotentHint" | "openWorldHint";

/** What is said of each: nothing, yes or no. */
export type Hints = Record<Hint, "" | "true" | "false">;

const FIELDS: [Hint, label: string, unsaid: string][] = [
  ["readOnlyHint", "Reads only", "Not said (no)"],
  ["destructiveHint", "May destroy", "Not said (yes)"],
  ["idempotentHint", "Repeatable", "Not said (no)"],
  ["openWorldHint", "Open world", "Not said (yes)"],
];

export const hintsOf = (annotations: ToolView["annotations"] | Record<string, unknown> = {}): Hints =>
  Object.fromEntries(
    FIELDS.map(([hint]) => [hint, annotations[hint] === undefined ? "" : String(annotations[hint])]),
  ) as Hints;

/** Those that something is said of. */
export const toAnnotations = (hints: Hints): Partial<Record<Hint, boolean>> =>
  Object.fromEntries(FIELDS.filter(([hint]) => hints[hint] !== "").map(([hint]) => [hint, hints[hint] === "true"]));

interface HintFieldsProps {
  hints: Hints;
  onHints: (hints: Hints) => void;
  faults: readonly Fault[];
}

export const HintFields = ({ hints, onHints, faults }: HintFieldsProps): JSX.Element => (
  <>
    {FIELDS.map(([hint, label, unsaid]) => (
      <SelectField
        key={hint}
        label={label}
        value={hints[hint]}
        options={[
          { value: "", label: unsaid },
          { value: "true", label: "Yes" },
          { value: "false", label: "No" },
        ]}
        onInput={(value) => onHints({ ...hints, [hint]: value })}
        fault={faultAt(faults, `annotations.${hint}`)}
      />
    ))}
  </>
);
