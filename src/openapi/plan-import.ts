// What an import changes in a catalogue. It owns the tools of its origin alone: what others made is never touched.

import { isJsonObject } from "../lib/json-value.ts";
import type { ToolRecord } from "../tools/tool-record.ts";
import { toOrigin } from "./build-tool.ts";
import type { ImportedApi } from "./import-openapi.ts";

/** A tool of the catalogue; one in the code has no record. */
export interface ExistingTool {
  name: string;
  record?: ToolRecord;
}

export interface ToolPut {
  name: string;
  record: ToolRecord;
}

export interface ImportPlan {
  create: ToolPut[];
  update: ToolPut[];
  /** Tools of an earlier import that this one does not have; they go only when somebody asks for it. */
  remove: string[];
  unchanged: string[];
  /** Names that belong to a tool of another origin, which stays as it is. */
  conflicts: string[];
}

/** Compares a catalogue with an import. */
export function planImport(existing: readonly ExistingTool[], { api, tools }: ImportedApi): ImportPlan {
  const origin = toOrigin(api);
  const before = new Map(existing.map((tool) => [tool.name, tool]));
  const plan: ImportPlan = { create: [], update: [], remove: [], unchanged: [], conflicts: [] };
  for (const { name, record } of tools) {
    const old = before.get(name);
    if (!old) plan.create.push({ name, record });
    else if (old.record?.origin !== origin) plan.conflicts.push(name);
    else {
      const next = keepSettings(old.record, record);
      if (canonical(next) === canonical(old.record)) plan.unchanged.push(name);
      else plan.update.push({ name, record: next });
    }
  }
  const imported = new Set(tools.map(({ name }) => name));
  for (const { name, record } of existing) {
    if (record?.origin === origin && !imported.has(name)) plan.remove.push(name);
  }
  return plan;
}

/** The new record with what an operator set on the old one and no import sets. */
function keepSettings(old: ToolRecord, next: ToolRecord): ToolRecord {
  const { enabled, timeoutMs, sanitize, icons, cost, annotations } = old;
  return {
    ...next,
    ...(cost !== undefined && { cost }),
    ...(annotations && { annotations: { ...next.annotations, ...annotations } }),
    ...(enabled !== undefined && { enabled }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(sanitize !== undefined && { sanitize }),
    ...(icons !== undefined && { icons }),
  };
}

/** JSON that is the same for the same value, whatever the order of its members. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
