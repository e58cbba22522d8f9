// What an upstream's list changes in the catalogue: a pure step. It owns the tools that came from it alone; what others put
// there is never touched.

import { cutText } from "../lib/cut-text.ts";
import { matchesGlob } from "../keys/tool-rules.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Verdict } from "../lint/verdict.ts";
import type { ListedTool, UpstreamList } from "../tools/upstream/list-upstream-tools.ts";
import type { Upstream, UpstreamSource } from "../tools/upstream/upstream-record.ts";
import type { ToolEdit, ToolRow } from "./registry-contract.ts";
import type { SkippedTool, UpstreamRow } from "./upstream-contract.ts";
import { toUpstreamTool } from "./upstream-tool.ts";

export interface UpstreamPlan {
  edits: ToolEdit[];
  /** How many of its tools are served from then on. */
  tools: number;
  skipped: SkippedTool[];
  /** Those that the record leaves out by `include` and `exclude`. */
  excluded: string[];
  warnings: Verdict[];
}

/** The catalogue before, and what was listed; without a list the tools that are there get what the record says now. */
export interface UpstreamBase {
  rows: readonly ToolRow[];
  isBuiltin: (name: string) => boolean;
  /** What this deployment is called. */
  deployment: string;
  list?: UpstreamList;
}

/** In turns: its tools may be many and large. */
export function* planUpstream(
  upstream: Pick<UpstreamRow, "name" | "record">,
  base: UpstreamBase,
): Generator<void, UpstreamPlan> {
  const own = new Map(base.rows.flatMap((row) => (sourceOf(row)?.upstream === upstream.name ? [[row.name, row]] : [])));
  return base.list ? yield* planList(upstream, base, base.list, own) : planKept(upstream, own);
}

type OwnRows = ReadonlyMap<string, ToolRow>;

function* planList(
  { name, record }: Pick<UpstreamRow, "name" | "record">,
  { rows, isBuiltin, deployment }: UpstreamBase,
  { session, tools }: UpstreamList,
  own: OwnRows,
): Generator<void, UpstreamPlan> {
  const others = new Set(rows.filter((row) => row.record && !own.has(row.name)).map((row) => row.name));
  const source = { ...baseSource(name, record), ...(session.era === "modern" && { era: "modern" as const }) };
  const puts = new Map<string, ToolEdit>();
  const skipped: SkippedTool[] = [];
  const excluded: string[] = [];
  const warnings: Verdict[] = [];
  const skip = (tool: string, reason: string): void =>
    void skipped.push({
      tool: cutText(tool, LIMITS.toolNameChars),
      reason: cutText(reason, LIMITS.upstreamReasonChars),
    });
  let begun = 0;
  for (const listed of tools) {
    begun += charsOf(listed);
    if (begun >= LIMITS.turnChars) {
      begun = 0;
      yield;
    }
    const tool = nameOf(listed);
    if (tool === undefined) skip("", "it has no name");
    else if (!isWanted(record, tool)) excluded.push(cutText(tool, LIMITS.toolNameChars));
    else {
      const made = toUpstreamTool(listed, { source, timeoutMs: record.timeoutMs, deployment });
      if ("reason" in made) skip(tool, made.reason);
      else if (puts.has(made.name)) skip(tool, `the upstream has another tool for the name ${made.name}`);
      else if (isBuiltin(made.name) || others.has(made.name))
        skip(tool, `the name ${made.name} belongs to another tool`);
      else {
        puts.set(made.name, put(own.get(made.name), made.name, made.record));
        warnings.push(...made.warnings);
      }
    }
  }
  const edits = [...puts.values(), ...[...own.keys()].filter((kept) => !puts.has(kept)).map(remove)];
  const notes = LIMITS.upstreamNotes;
  return {
    edits,
    tools: puts.size,
    skipped: skipped.slice(0, notes),
    excluded: excluded.slice(0, notes),
    warnings: warnings.slice(0, notes),
  };
}

/** Where the tools are called, and whether they are there at all, is the record's to say at once. */
function planKept({ name, record }: Pick<UpstreamRow, "name" | "record">, own: OwnRows): UpstreamPlan {
  const edits = [...own].map(([toolName, row]): ToolEdit => {
    const source = sourceOf(row);
    if (!row.record || !source || !isWanted(record, source.tool)) return remove(toolName);
    const { tool, era, annotations, passed } = source;
    const { timeoutMs: _, ...rest } = row.record;
    return put(row, toolName, {
      ...rest,
      ...(record.timeoutMs !== undefined && { timeoutMs: record.timeoutMs }),
      source: {
        ...baseSource(name, record),
        ...(era && { era }),
        tool,
        ...(annotations && { annotations }),
        ...(passed && { passed }),
      },
    });
  });
  return { edits, tools: edits.filter(({ op }) => op === "put").length, skipped: [], excluded: [], warnings: [] };
}

const baseSource = (
  upstream: string,
  { url, headers, traceContext, enabled = true }: Upstream,
): Omit<UpstreamSource, "tool"> => ({
  kind: "upstream",
  upstream,
  url,
  ...(headers && Object.keys(headers).length > 0 && { headers }),
  ...(traceContext && { traceContext }),
  ...(!enabled && { off: true }),
});

const isWanted = ({ include, exclude }: Upstream, tool: string): boolean =>
  (include?.some((glob) => matchesGlob(glob, tool)) ?? true) && !exclude?.some((glob) => matchesGlob(glob, tool));

/** What an operator decided about a tool stays. */
const put = (old: ToolRow | undefined, name: string, record: NonNullable<ToolRow["record"]>): ToolEdit => ({
  op: "put",
  name,
  row: old ? { ...old, record } : { name, enabled: true, record },
});

const remove = (name: string): ToolEdit => ({ op: "delete", name });

const charsOf = ({ inputSchema = "", outputSchema = "" }: ListedTool): number =>
  inputSchema.length + outputSchema.length;

const nameOf = ({ definition: { name } }: ListedTool): string | undefined =>
  typeof name === "string" && name !== "" ? name : undefined;

const sourceOf = ({ record }: ToolRow): UpstreamSource | undefined =>
  record?.source.kind === "upstream" ? record.source : undefined;
