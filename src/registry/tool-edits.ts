// From what operators want of tools to the rows that say so: a pure step.

import { applyPatch, defaultRow } from "./catalogue.ts";
import type { EditOutcome, ToolEdit, ToolRow } from "./registry-contract.ts";

/** What is there before the edits. */
export interface EditBase {
  isBuiltin: (name: string) => boolean;
  readRow: (name: string) => ToolRow | undefined;
}

export type EditPlan = { rows: ReadonlyMap<string, ToolRow | null>; created: string[]; disabled?: string[] };

/** The rows that change, or the first reason why none does. A tool may be edited twice: the later edit sees the first. */
export function applyEdits(edits: readonly ToolEdit[], base: EditBase): EditPlan | EditOutcome {
  const rows = new Map<string, ToolRow | null>();
  for (const edit of edits) {
    const { name } = edit;
    const isBuiltin = base.isBuiltin(name);
    const held = rows.has(name) ? rows.get(name) : base.readRow(name);
    if (isBuiltin && edit.op !== "patch") return { v: 1, outcome: "builtin_tool", name };
    if (edit.op === "put") {
      const enabled = edit.keepsEnabled && held?.record ? held.enabled : edit.row.enabled;
      rows.set(name, { ...edit.row, enabled });
      continue;
    }
    // A row without a record decides about a tool in the code: there is none by this name any more.
    const there = isBuiltin ? (held ?? defaultRow(name)) : held?.record && held;
    if (!there) return { v: 1, outcome: "unknown_tool", name };
    rows.set(name, edit.op === "delete" ? null : (applyPatch(there, edit.patch) ?? there));
  }
  const heldOf = (name: string): ToolRow | undefined =>
    base.readRow(name) ?? (base.isBuiltin(name) ? defaultRow(name) : undefined);
  const changed = [...rows].filter(([name, row]) => !isSame(row, heldOf(name)));
  const created = changed.flatMap(([name, row]) => (row?.record && !base.readRow(name)?.record ? [name] : []));
  const disabled = edits.flatMap(({ op, name }) => (op === "put" && rows.get(name)?.enabled === false ? [name] : []));
  return { rows: new Map(changed), created, ...(disabled.length > 0 && { disabled }) };
}

const isSame = (row: ToolRow | null, held: ToolRow | undefined): boolean =>
  JSON.stringify(row) === JSON.stringify(held);
