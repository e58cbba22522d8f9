// Which members of a tool's record another record would change: a pure step, for who asks before it is put.

import { isJsonObject } from "../lib/json-value.ts";
import type { ToolEdit, ToolRow } from "./registry-contract.ts";

/** Members by name, those of `source` one by one where its kind stays; none where the edit changes nothing. */
export function changedFields(held: ToolRow, { row, keepsEnabled }: Extract<ToolEdit, { op: "put" }>): string[] {
  const next = toFields({ ...row, enabled: keepsEnabled ? held.enabled : row.enabled });
  return differing(toFields(held), next).flatMap((name) => {
    const [before, after] = [toFields(held)[name], next[name]];
    if (name !== "source" || !isJsonObject(before) || !isJsonObject(after)) return [name];
    if (before["kind"] !== after["kind"]) return [name];
    return differing(before, after).map((member) => `source.${member === "hash" ? "module" : member}`);
  });
}

type Fields = Readonly<Record<string, unknown>>;

function toFields(row: ToolRow): Fields {
  const { record, name: _, ...decided } = row;
  return { ...record, ...decided };
}

const differing = (before: Fields, after: Fields): string[] =>
  Object.keys({ ...after, ...before }).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
