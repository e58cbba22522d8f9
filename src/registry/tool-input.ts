// What an operator sends of a tool → the edit that the registry stores. Schemas stay the texts that they came as.

import * as v from "valibot";
import { compactJson, itemTexts, memberTexts } from "../lib/json-text.ts";
import { faultMessage } from "../lib/describe-issue.ts";
import { LIMITS } from "../lib/limits.ts";
import { giveWay } from "../lib/take-turns.ts";
import { sha256Hex } from "../lib/signing.ts";
import { lintRegistration } from "../lint/lint-tool.ts";
import type { Verdict } from "../lint/verdict.ts";
import { checkModule } from "../tools/code-tool/check-module.ts";
import { checkRecord, type RecordFault } from "../tools/record-tool.ts";
import { isReservedName } from "../tools/reserved-names.ts";
import {
  AnnotationsSchema,
  CostSchema,
  DOTTED_TOOL_NAME,
  TOOL_NAME,
  ToolRecordSchema,
  type CodeSource,
  type StoredCode,
  type StoredRecord,
  type ToolRecord,
} from "../tools/tool-record.ts";
import type { ToolEdit } from "./registry-contract.ts";

export const ToolPatchSchema = v.pipe(
  v.strictObject({
    enabled: v.optional(v.boolean()),
    annotations: v.optional(AnnotationsSchema),
    cost: v.nullish(CostSchema),
  }),
  v.check(
    ({ enabled, annotations, cost }) => enabled !== undefined || annotations !== undefined || cost !== undefined,
    'expected "enabled", "annotations" or "cost"',
  ),
);

/** The edit and what clients make of it, or what is wrong: each fault with its place, and all of them as one text. */
export type ParsedEdit = { edit: ToolEdit; warnings: Verdict[] } | { faults: string; each: readonly RecordFault[] };

/** What a deployment allows tools: hosts as `EGRESS_ALLOW` has them, and isolates for code. */
export interface Grounds {
  allowHosts: string;
  loader: WorkerLoader | undefined;
}

/** `text` is the JSON of a tool's record. */
export async function parsePut(name: string, text: string, grounds: Grounds): Promise<ParsedEdit> {
  const value: unknown = JSON.parse(text);
  const outcome = v.safeParse(ToolRecordSchema, value, { abortPipeEarly: true });
  if (!outcome.success) return refuse(faultsOf(outcome.issues, ToolRecordSchema));
  const record = outcome.output;
  const { refused, warnings } = lintRegistration({ ...record, name }, { allowDots: record.allowDots ?? false });
  const faults: RecordFault[] = [...checkName(name, record), ...checkRecord(record, grounds.allowHosts), ...refused];
  if (faults.length === 0 && record.source.kind === "code") {
    const fault = await checkModule(record.source.module, grounds.loader);
    if (fault !== undefined) faults.push({ path: "source.module", message: fault });
  }
  if (faults.length > 0) return refuse(faults);
  const texts = memberTexts(text);
  const schemas = {
    inputSchema: compactJson(texts.get("inputSchema") ?? "{}"),
    ...(record.outputSchema && { outputSchema: compactJson(texts.get("outputSchema") ?? "{}") }),
  };
  return { edit: await toPut(name, record, schemas), warnings };
}

/** The edit that puts a record which was checked; its schemas as texts, or else as JSON prints them. */
export async function toPut(
  name: string,
  record: ToolRecord,
  schemas: Pick<StoredRecord, "inputSchema" | "outputSchema"> = printSchemas(record),
): Promise<ToolEdit> {
  const { enabled, annotations, cost, inputSchema: _, outputSchema: __, source, ...rest } = record;
  const stored = { ...rest, ...schemas, source: source.kind === "code" ? await withHash(source) : source };
  const decided = { ...(annotations && { annotations }), ...(cost && { cost }) };
  const row = { name, enabled: enabled ?? true, ...decided, record: stored };
  const module = source.kind === "code" && { module: source.module };
  return { op: "put", name, row, ...module, ...(enabled === undefined && { keepsEnabled: true }) };
}

const printSchemas = ({ inputSchema, outputSchema }: ToolRecord) => ({
  inputSchema: JSON.stringify(inputSchema),
  ...(outputSchema && { outputSchema: JSON.stringify(outputSchema) }),
});

const NameSchema = v.pipe(v.string(), v.maxLength(LIMITS.toolNameChars));

const EditsSchema = v.strictObject({
  changes: v.pipe(
    v.array(
      v.variant("op", [
        v.strictObject({ op: v.literal("put"), name: NameSchema, record: v.record(v.string(), v.unknown()) }),
        v.strictObject({ op: v.literal("patch"), name: NameSchema, patch: ToolPatchSchema }),
        v.strictObject({ op: v.literal("delete"), name: NameSchema }),
      ]),
    ),
    v.minLength(1),
    v.maxLength(LIMITS.toolEdits),
  ),
});

/** Several edits that are to be one change: `{"changes": [{"op": "put", "name": …, "record": …}, …]}`. */
export async function parseEdits(
  text: string,
  grounds: Grounds,
): Promise<{ edits: ToolEdit[]; warnings: Verdict[] } | { faults: string }> {
  const outcome = v.safeParse(EditsSchema, JSON.parse(text), { abortPipeEarly: true });
  if (!outcome.success) return { faults: describe(faultsOf(outcome.issues, EditsSchema)) };
  const texts = itemTexts(memberTexts(text).get("changes") ?? "[]");
  const edits: ToolEdit[] = [];
  const warnings: Verdict[] = [];
  const faults: string[] = [];
  let begun = 0;
  for (const [index, change] of outcome.output.changes.entries()) {
    if (change.op !== "put") edits.push(change);
    else {
      const record = memberTexts(texts[index] ?? "{}").get("record") ?? "{}";
      begun += record.length;
      if (begun >= LIMITS.turnChars) {
        begun = 0;
        await giveWay();
      }
      const parsed = await parsePut(change.name, record, grounds);
      if ("edit" in parsed) {
        edits.push(parsed.edit);
        warnings.push(...parsed.warnings.map((verdict) => ({ ...verdict, tool: change.name })));
      } else faults.push(`changes.${index} (${change.name}): ${parsed.faults}`);
    }
  }
  return faults.length > 0 ? { faults: faults.slice(0, LIMITS.validationIssues).join("; ") } : { edits, warnings };
}

/** A name that some client refuses is refused here, with the rule: it would take the whole list with it. */
function checkName(name: string, { allowDots = false }: ToolRecord): { path: string; message: string }[] {
  if (isReservedName(name)) return [{ path: "name", message: `${name} is the name of a tool of the server's own` }];
  const rule = allowDots ? DOTTED_TOOL_NAME : TOOL_NAME;
  if (rule.test(name)) return [];
  const dots =
    !allowDots && DOTTED_TOOL_NAME.test(name) ? '; "allowDots": true allows dots, which some clients refuse' : "";
  return [{ path: "name", message: `expected ${rule.source}, received ${JSON.stringify(name.slice(0, 80))}${dots}` }];
}

/** A module is stored by the hash of its text. */
async function withHash({ module, ...source }: CodeSource): Promise<StoredCode> {
  return { ...source, hash: await sha256Hex(module) };
}

const refuse = (faults: readonly RecordFault[]) => ({
  faults: describe(faults),
  each: faults.slice(0, LIMITS.validationIssues).map(({ path, message }) => ({ path, message })),
});

const faultsOf = (issues: readonly v.BaseIssue<unknown>[], schema: v.GenericSchema): RecordFault[] =>
  issues.map((issue) => ({ path: v.getDotPath(issue) ?? "body", message: faultMessage(issue, schema) }));

const describe = (faults: readonly RecordFault[]): string =>
  faults.map(({ path, message }) => `${path}: ${message}`).join("; ");
