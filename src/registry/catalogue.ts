// The catalogue of one version, and the pure step from it to the next.

import type { Env } from "../env.ts";
import type { Tool, ToolDefinition } from "../tools/define-tool.ts";
import type { ToolPatch, ToolRow } from "./registry-contract.ts";

/** A tool that is there to be called, and what operators decided about it. */
export interface CatalogueTool {
  name: string;
  /** Made when it is first called; `undefined` where this code can't make sense of its row. */
  readonly tool: Tool | undefined;
  /** The same tool's, and nothing else of it is kept for that. */
  readonly definition: ToolDefinition | undefined;
  readonly row: ToolRow | undefined;
}

/** Enabled tools alone, in the order of their names. */
export interface Catalogue {
  version: number;
  tools: readonly CatalogueTool[];
  byName: ReadonlyMap<string, CatalogueTool>;
  /** Whether any of them costs more than one call. */
  hasCosts: boolean;
}

export const defaultRow = (name: string): ToolRow => ({ name, enabled: true });

/** Makes a tool of a row, to be kept or only to be looked at; `undefined` for one that this code can't make sense of. */
export type ToTool = (row: ToolRow, env: Env, isKept: boolean) => Tool | undefined;
type MakeTool = (row: ToolRow, isKept: boolean) => Tool | undefined;

/**
 * The code's tools and those that came as data, with the registry's rows laid over them. Rows of tools that the code no
 * longer has are passed over; of two with one name the code's counts.
 */
export function buildCatalogue(
  version: number,
  builtins: readonly Tool[],
  rows: readonly ToolRow[],
  toTool: MakeTool,
): Catalogue {
  const rowOf = new Map(rows.map((row) => [row.name, row]));
  const builtinNames = new Set(builtins.map(({ name }) => name));
  const inCode = builtins.map((tool) => ({
    name: tool.name,
    tool,
    definition: tool.definition,
    row: rowOf.get(tool.name),
  }));
  const asData = rows.flatMap((row) => {
    if (!row.enabled || !row.record || builtinNames.has(row.name)) return [];
    return [new RecordEntry(row, toTool)];
  });
  const enabled = inCode.filter(({ row }) => row?.enabled ?? true);
  const tools: CatalogueTool[] = [...enabled, ...asData].toSorted((a, b) => compareNames(a.name, b.name));
  // What data costs stands in its row: no tool is made to find out.
  const hasCosts = enabled.some((entry) => costOf(entry) > 1) || asData.some(({ row }) => (row.cost ?? 1) > 1);
  return { version, tools, byName: new Map(tools.map((entry) => [entry.name, entry])), hasCosts };
}

/** Of thousands few are called: only those are made for good, as parsed schemas take several times their texts. */
class RecordEntry implements CatalogueTool {
  readonly name: string;
  readonly row: ToolRow;
  readonly #toTool: MakeTool;

  constructor(row: ToolRow, toTool: MakeTool) {
    this.name = row.name;
    this.row = row;
    this.#toTool = toTool;
  }

  get tool(): Tool | undefined {
    return this.#toTool(this.row, true);
  }

  get definition(): ToolDefinition | undefined {
    return this.#toTool(this.row, false)?.definition;
  }
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
export const costOf = ({ tool, row }: Pick<CatalogueTool, "tool" | "row">): number => row?.cost ?? tool?.cost ?? 1;

/** By code units, so that the order is the same in every place. */
export const compareNames = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** What `tools/list` says of a tool once an operator's annotations are laid over its own. */
export function describeTool({ definition }: Pick<Tool, "definition">, row: ToolRow | undefined): ToolDefinition {
  if (!row?.annotations) return definition;
  return { ...definition, annotations: { ...definition.annotations, ...row.annotations } };
}
