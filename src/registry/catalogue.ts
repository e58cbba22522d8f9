// The catalogue of one version, and the pure step from it to the next.

import type { Tool, ToolDefinition } from "../tools/define-tool.ts";
import type { ToolPatch, ToolRow } from "./registry-contract.ts";

/** A tool that is there to be called, and what operators decided about it. */
export interface CatalogueTool {
  name: string;
  tool: Tool;
  row: ToolRow | undefined;
}

/** Enabled tools alone, in the order of their names. */
export interface Catalogue {
  version: number;
  tools: readonly CatalogueTool[];
  byName: ReadonlyMap<string, CatalogueTool>;
}

export const defaultRow = (name: string): ToolRow => ({ name, enabled: true });

/** The code's tools with the registry's rows laid over them. Rows of tools that the code no longer has are passed over. */
export function buildCatalogue(version: number, builtins: readonly Tool[], rows: readonly ToolRow[]): Catalogue {
  const rowOf = new Map(rows.map((row) => [row.name, row]));
  const tools = builtins
    .map((tool) => ({ name: tool.name, tool, row: rowOf.get(tool.name) }))
    .filter(({ row }) => row?.enabled ?? true)
    .toSorted((a, b) => compareNames(a.name, b.name));
  return { version, tools, byName: new Map(tools.map((entry) => [entry.name, entry])) };
}

/** The row after a patch; `undefined` when the patch changes nothing. */
export function applyPatch(
  { cost, ...row }: ToolRow,
  { enabled, annotations, ...patch }: ToolPatch,
): ToolRow | undefined {
  const nextCost = patch.cost === undefined ? cost : patch.cost;
  const next: ToolRow = {
    ...row,
    ...(typeof nextCost === "number" && { cost: nextCost }),
    ...(enabled !== undefined && { enabled }),
    ...(annotations && Object.keys(annotations).length > 0 && { annotations: { ...row.annotations, ...annotations } }),
  };
  const isSame = nextCost === cost || (nextCost === null && cost === undefined);
  return isSame && JSON.stringify({ ...next, cost: 0 }) === JSON.stringify({ ...row, cost: 0 }) ? undefined : next;
}

/** What a call of a tool costs, in calls. */
export const costOf = ({ tool, row }: Pick<CatalogueTool, "tool" | "row">): number => row?.cost ?? tool.cost ?? 1;

/** By code units, so that the order is the same in every place. */
export const compareNames = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** What `tools/list` says of a tool once an operator's annotations are laid over its own. */
export function describeTool({ definition }: Tool, row: ToolRow | undefined): ToolDefinition {
  if (!row?.annotations) return definition;
  return { ...definition, annotations: { ...definition.annotations, ...row.annotations } };
}
