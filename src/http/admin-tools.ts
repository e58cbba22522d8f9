// `/admin/v1/tools`: the catalogue as an operator sees it, disabled tools included, and every way to change it.

import { Hono } from "hono";
import * as v from "valibot";
import { registryStub, type Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { compareNames, costOf, defaultRow, describeTool } from "../registry/catalogue.ts";
import { changedFields } from "../registry/changed-fields.ts";
import type { ToolEdit, ToolRow, ToolVersion } from "../registry/registry-contract.ts";
import { parseEdits, parsePut, ToolPatchSchema, type Grounds, type ParsedEdit } from "../registry/tool-input.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { StoredRecord } from "../tools/tool-record.ts";
import type { AdminEnv } from "./admin-auth.ts";
import { parseAdminBody, parseAdminQuery, readAdminText } from "./admin-body.ts";
import { editTools, inTheCode, noTool, readRows, toEtag } from "./edit-tools.ts";
import { HttpError } from "./problem.ts";
import { warnOfUnset } from "./unset-secrets.ts";

/** The routes for a Worker with these tools in its code. */
export const adminTools = (builtins: readonly Tool[]) =>
  new Hono<AdminEnv>()
    .get("/", async ({ env, json }) => {
      const { version, rows } = await readRows(env);
      const tools = [...viewBuiltins(builtins, rows), ...viewRecords(builtins, rows)];
      return json({ version, tools: tools.toSorted((a, b) => compareNames(a.name, b.name)) }, 200, tagged(version));
    })
    .post("/", async ({ req, env, var: { who }, json }) => {
      const parsed = await parseEdits(await readAdminText(req.raw), groundsOf(env));
      if ("faults" in parsed) throw new HttpError(400, "invalid_body", parsed.faults);
      const { version } = await editTools(env, parsed.edits, { ifMatch: req.header("if-match"), who });
      const warnings = [...(await warnOfUnset(env, parsed.edits)), ...parsed.warnings];
      return json({ version, warnings }, 200, tagged(version));
    })
    .get("/:name", async ({ req, env, json }) => {
      const { version, rows } = await readRows(env);
      const name = req.param("name");
      const builtin = viewBuiltins(builtins, rows).find((tool) => tool.name === name);
      if (builtin) return json({ version, ...builtin }, 200, tagged(version));
      const row = rows.find((each) => each.name === name);
      if (!row?.record) throw noTool(name);
      return json({ version, ...viewRow(row), ...(await viewSource(env, row.record)) }, 200, tagged(version));
    })
    .put("/:name", async ({ req, env, var: { who }, json }) => {
      const name = req.param("name");
      const { dryRun = false } = parseAdminQuery(readDryRun(req.query()), PutQuerySchema);
      const parsed = await parsePut(name, await readAdminText(req.raw), groundsOf(env));
      if (dryRun) return json(await viewDryRun(env, builtins, name, parsed));
      if ("faults" in parsed) throw new HttpError(400, "invalid_body", parsed.faults);
      const edited = await editTools(env, [parsed.edit], { ifMatch: req.header("if-match"), who });
      const { version, created, disabled, unchanged } = edited;
      const warnings = [...(await warnOfUnset(env, [parsed.edit])), ...parsed.warnings];
      const view = { version, ...(disabled && { enabled: false }), ...(unchanged && { unchanged }), warnings };
      return json(view, created.includes(name) ? 201 : 200, tagged(version));
    })
    .patch("/:name", async ({ req, env, var: { who }, json }) => {
      const patch = await parseAdminBody(req.raw, ToolPatchSchema);
      const change: ToolEdit = { op: "patch", name: req.param("name"), patch };
      const { version } = await editTools(env, [change], { ifMatch: req.header("if-match"), who });
      return json({ version }, 200, tagged(version));
    })
    .delete("/:name", async ({ req, env, var: { who }, json }) => {
      const change: ToolEdit = { op: "delete", name: req.param("name") };
      const { version } = await editTools(env, [change], { ifMatch: req.header("if-match"), who });
      return json({ version }, 200, tagged(version));
    })
    .get("/:name/history", async ({ req, env, json }) => {
      const versions = await registryStub(env).readToolHistory(req.param("name"));
      if (versions.length === 0 && !builtins.some(({ name }) => name === req.param("name"))) {
        throw noTool(req.param("name"));
      }
      return json({ versions: versions.map(viewVersion) });
    })
    .get("/:name/history/:version", async ({ req, env, json }) => {
      const { name, version } = req.param();
      const versions = await registryStub(env).readToolHistory(name);
      const found = versions.find((each) => String(each.version) === version);
      if (!found) throw noVersion(name, version);
      const view = viewVersion(found);
      const record = found.row?.record;
      return json(
        "tool" in view && record ? { ...view, tool: { ...view.tool, ...(await viewSource(env, record)) } } : view,
      );
    });

const PutQuerySchema = v.strictObject({ dryRun: v.exactOptional(v.boolean("expected true or false")) });

const readDryRun = ({ dryRun, ...others }: Record<string, string>): Record<string, unknown> => ({
  ...others,
  ...(dryRun !== undefined && { dryRun: dryRun === "true" || dryRun === "false" ? dryRun === "true" : dryRun }),
});

/** What putting it would come to: what is wrong with it, one by one, or else which members change. Nothing is stored. */
async function viewDryRun(env: Env, builtins: readonly Tool[], name: string, parsed: ParsedEdit) {
  const taken = builtins.some((tool) => tool.name === name) ? [{ path: "name", message: inTheCode(name) }] : [];
  if ("faults" in parsed) return { dryRun: true, faults: [...taken, ...parsed.each], warnings: [] };
  const [newest] = await registryStub(env).readToolHistory(name);
  const { edit } = parsed;
  const isDisabled = edit.op === "put" && (edit.keepsEnabled && newest?.row ? newest.row : edit.row).enabled === false;
  return {
    dryRun: true,
    change: newest?.row ? "update" : "create",
    ...(isDisabled && { enabled: false }),
    ...(newest?.row && edit.op === "put" && { changed: changedFields(newest.row, edit) }),
    faults: taken,
    warnings: [...(await warnOfUnset(env, [edit])), ...parsed.warnings],
  };
}

const noVersion = (name: string, version: string): HttpError => {
  const shown = [name.slice(0, LIMITS.toolNameChars), version.slice(0, 20)].map((text) => JSON.stringify(text));
  return new HttpError(404, "not_found", `No version ${shown[1]} of the tool ${shown[0]} is kept`);
};

const viewBuiltins = (builtins: readonly Tool[], rows: readonly ToolRow[]) => {
  const rowOf = new Map(rows.map((row) => [row.name, row]));
  return builtins.map((tool) => {
    const row = rowOf.get(tool.name) ?? defaultRow(tool.name);
    const { timeoutMs } = tool;
    const { enabled } = row;
    const sanitize = tool.sanitize === false ? { sanitize: false } : {};
    const view = { ...describeTool(tool, row), enabled, timeoutMs, ...viewCost(tool, row), ...sanitize };
    return { ...view, source: { kind: "builtin" } };
  });
};

const groundsOf = ({ EGRESS_ALLOW = "", LOADER }: Env): Grounds => ({ allowHosts: EGRESS_ALLOW, loader: LOADER });

/** What a call costs, where that is more than 1. */
function viewCost(tool: Tool, row: ToolRow): { cost?: number } {
  const cost = costOf({ tool, row });
  return cost === 1 ? {} : { cost };
}

const viewRecords = (builtins: readonly Tool[], rows: readonly ToolRow[]) =>
  rows.filter(({ name, record }) => record && !builtins.some((tool) => tool.name === name)).map(viewRow);

/** A tool that came as data, its schemas parsed; a code tool by the hash of its module. */
function viewRow({ name, enabled, annotations, cost, record }: ToolRow) {
  const { inputSchema = "{}", outputSchema, ...rest } = record ?? {};
  return {
    name,
    ...rest,
    inputSchema: JSON.parse(inputSchema) as object,
    ...(outputSchema !== undefined && { outputSchema: JSON.parse(outputSchema) as object }),
    ...(annotations && { annotations }),
    ...(cost !== undefined && { cost }),
    enabled,
  };
}

async function viewSource(env: Env, { source }: StoredRecord) {
  if (source.kind !== "code") return { source };
  const { hash, ...rest } = source;
  return { source: { ...rest, hash, module: await registryStub(env).readModule(hash) } };
}

const viewVersion = ({ version, atMs, who, row }: ToolVersion) => ({
  version,
  at: new Date(atMs).toISOString(),
  who,
  ...(row ? { tool: row.record ? viewRow(row) : row } : { deleted: true }),
});

const tagged = (version: number) => ({ etag: toEtag(version) });
