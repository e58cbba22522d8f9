// `/admin/v1/imports`: an OpenAPI document in, what it becomes as tools out. The document is the body, so that a file can
// be posted as it is; how it is imported is in the query.

import { Hono } from "hono";
import * as v from "valibot";
import { LIMITS } from "../lib/limits.ts";
import { takeTurns } from "../lib/take-turns.ts";
import { lintCatalogue } from "../lint/lint-catalogue.ts";
import type { Verdict } from "../lint/verdict.ts";
import { importOpenApi, type ImportedApi, type ImportedTool } from "../openapi/import-openapi.ts";
import { ImportOptionsSchema, type ImportOptions } from "../openapi/import-options.ts";
import { DocumentError } from "../openapi/inexpressible.ts";
import { planImport, type ImportPlan } from "../openapi/plan-import.ts";
import type { EditAct, ToolEdit } from "../registry/registry-contract.ts";
import { toPut } from "../registry/tool-input.ts";
import type { Env } from "../env.ts";
import type { Tool } from "../tools/define-tool.ts";
import { secretsOfSource } from "../tools/record-tool.ts";
import type { AdminEnv } from "./admin-auth.ts";
import { parseAdminQuery, parseLargeBody } from "./admin-body.ts";
import { editTools, readRows, recordOf, toEtag } from "./edit-tools.ts";
import { HttpError } from "./problem.ts";
import { findUnset } from "./unset-secrets.ts";

const QuerySchema = v.strictObject({
  ...ImportOptionsSchema.entries,
  dryRun: v.exactOptional(v.boolean()),
  removeGone: v.exactOptional(v.boolean()),
});

/** The routes for a Worker with these tools in its code. */
export const adminImports = (builtins: readonly Tool[]) =>
  new Hono<AdminEnv>().post("/openapi", async ({ req, env, var: { who }, json }) => {
    const { dryRun = false, removeGone = false, ...options } = parseAdminQuery(readQuery(req.queries()), QuerySchema);
    const document = await parseLargeBody(req.raw, LIMITS.importBytes, LIMITS.importMembers);
    const imported = await importDocument(document, options, env);
    const { version, rows } = await readRows(env);
    // A name is taken by any tool that came as data, whether an import could compare itself with it or not.
    const records = rows.flatMap((row) => (row.record ? [recordOf(row) ?? { name: row.name }] : []));
    const plan = planImport([...builtins.map(({ name }) => ({ name })), ...records], imported);
    const view = {
      ...toView(imported, plan),
      secrets: await viewSecrets(env, imported),
      warnings: await lintImported([...plan.create, ...plan.update]),
    };
    if (dryRun) return json({ dryRun, version, ...view });
    const removed = removeGone ? plan.remove : [];
    const edits = [
      ...(await Promise.all([...plan.create, ...plan.update].map(({ name, record }) => toPut(name, record)))),
      ...removed.map((name): ToolEdit => ({ op: "delete", name })),
    ];
    const { created, updated } = { created: plan.create.length, updated: plan.update.length };
    const act: EditAct = {
      action: "tool.import",
      target: imported.api,
      detail: { created, updated, removed: removed.length },
    };
    const changed = await editTools(env, edits, { ifMatch: req.header("if-match") ?? toEtag(version), who, act });
    const tools = view.tools.map(({ name, operation, change }) => ({ name, operation, change }));
    const gone = removeGone ? [] : view.gone;
    return json({ ...view, version: changed.version, tools, gone, removed }, 200, { etag: toEtag(changed.version) });
  });

/** What lint has against tools that an import makes or changes: what is but a note, or of the list as a whole, aside. */
async function lintImported(tools: readonly Pick<ImportedTool, "name" | "record">[]): Promise<Verdict[]> {
  const verdicts = await takeTurns(lintCatalogue(tools.map(({ name, record }) => ({ ...record, name }))));
  const wanted = verdicts.filter(({ level, tool }) => level !== "info" && tool !== undefined);
  return wanted.slice(0, LIMITS.importWarnings);
}

async function importDocument(
  document: unknown,
  options: ImportOptions,
  { EGRESS_ALLOW = "" }: Env,
): Promise<ImportedApi> {
  try {
    return await takeTurns(importOpenApi(document, options, EGRESS_ALLOW));
  } catch (error) {
    if (error instanceof DocumentError) throw new HttpError(400, "invalid_body", error.message);
    throw error;
  }
}

/** Secrets that the tools need, those of headers that were asked for among them, and whether each is set. */
async function viewSecrets(env: Env, { tools, secrets }: ImportedApi) {
  const named = new Set(secrets.map(({ name }) => name));
  const more = new Set(
    tools.flatMap(({ record: { source } }) => (source.kind === "http" ? secretsOfSource(source) : [])),
  ).difference(named);
  const unset = new Set(await findUnset(env, [...named, ...more]));
  return [...secrets, ...[...more].map((name) => ({ name }))].map((slot) => ({ ...slot, set: !unset.has(slot.name) }));
}

/** What an import says of each tool, and of all that became none. */
function toView({ tools, ...imported }: ImportedApi, plan: ImportPlan) {
  const created = new Set(plan.create.map(({ name }) => name));
  const updated = new Map(plan.update.map(({ name, record }) => [name, record]));
  const conflicts = new Set(plan.conflicts);
  const changeOf = (name: string): string => {
    if (created.has(name)) return "create";
    if (conflicts.has(name)) return "conflict";
    return updated.has(name) ? "update" : "unchanged";
  };
  return {
    ...imported,
    tools: tools.map(({ name, operation, record }) => ({
      name,
      operation,
      change: changeOf(name),
      record: updated.get(name) ?? record,
    })),
    gone: plan.remove,
  };
}

/** Parameters that may be given more than once. */
const LISTS = /^(include|exclude)(Tags|Paths|Operations)$/;

/** The query as options; what is given twice by mistake stays a list, which the schema refuses. */
function readQuery(queries: Record<string, string[]>): Record<string, unknown> {
  const options = Object.entries(queries).map(([name, values]): [string, unknown] => {
    if (LISTS.test(name)) return [name, values];
    if (name === "headers") return [name, Object.fromEntries(values.map(splitHeader))];
    const value = values.length === 1 ? values[0] : values;
    if (name === "maxTools" && /^\d+$/.test(String(value))) return [name, Number(value)];
    return [name, value === "true" || value === "false" ? value === "true" : value];
  });
  return Object.fromEntries(options);
}

function splitHeader(line: string): [name: string, value: string] {
  const [name = "", ...value] = line.split(":");
  return [name.trim(), value.join(":").trim()];
}
