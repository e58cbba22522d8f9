// `/admin/v1/imports`: an OpenAPI document in, what it becomes as tools out. The document is the body, so that a file can
// be posted as it is; how it is imported is in the query.

import { Hono } from "hono";
import * as v from "valibot";
import type { Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { importOpenApi, type ImportedApi } from "../openapi/import-openapi.ts";
import { ImportOptionsSchema, type ImportOptions } from "../openapi/import-options.ts";
import { DocumentError } from "../openapi/inexpressible.ts";
import { planImport, type ImportPlan } from "../openapi/plan-import.ts";
import type { Tool } from "../tools/define-tool.ts";
import { parseAdminQuery, parseLargeBody } from "./admin-body.ts";
import { HttpError } from "./problem.ts";

const QuerySchema = v.strictObject({ ...ImportOptionsSchema.entries, dryRun: v.literal(true) });

/** The routes for a Worker with these tools in its code. */
export const adminImports = (builtins: readonly Tool[]) =>
  new Hono<{ Bindings: Env }>().post("/openapi", async ({ req, json }) => {
    const { dryRun, ...options } = parseAdminQuery(readQuery(req.queries()), QuerySchema);
    const document = await parseLargeBody(req.raw, LIMITS.importBytes, LIMITS.importMembers);
    const imported = importDocument(document, options);
    const plan = planImport(
      builtins.map(({ name }) => ({ name })),
      imported,
    );
    return json({ dryRun, ...toView(imported, plan) });
  });

function importDocument(document: unknown, options: ImportOptions): ImportedApi {
  try {
    return importOpenApi(document, options);
  } catch (error) {
    if (error instanceof DocumentError) throw new HttpError(400, "invalid_body", error.message);
    throw error;
  }
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
