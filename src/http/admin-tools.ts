// `/admin/v1/tools`: the catalogue as an operator sees it, disabled tools included, and every way to change it.

import { Hono } from "hono";
import { registryStub, type Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { compareNames, costOf, defaultRow, describeTool } from "../registry/catalogue.ts";
import type { EditOutcome, ToolEdit, ToolRow, ToolVersion } from "../registry/registry-contract.ts";
import { parseEdits, parsePut, ToolPatchSchema } from "../registry/tool-input.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { StoredRecord } from "../tools/tool-record.ts";
import type { AdminEnv } from "./admin-auth.ts";
import { parseAdminBody, readAdminText } from "./admin-body.ts";
import { HttpError } from "./problem.ts";

/** The routes for a Worker with these tools in its code. */
export const adminTools = (builtins: readonly Tool[]) =>
  new Hono<AdminEnv>()
    .get("/", async ({ env, json }) => {
      const { version, rows } = await readRows(env);
      const tools = [...viewBuiltins(builtins, rows), ...viewRecords(builtins, rows)];
      return json({ version, tools: tools.toSorted((a, b) => compareNames(a.name, b.name)) }, 200, tagged(version));
    })
    .post("/", async ({ req, env, var: { who }, json }) => {
      const parsed = await parseEdits(await readAdminText(req.raw), env.EGRESS_ALLOW ?? "");
      if ("faults" in parsed) throw new HttpError(400, "invalid_body", parsed.faults);
      const { version } = await edit(env, parsed.edits, req.header("if-match"), who);
      return json({ version, warnings: parsed.warnings }, 200, tagged(version));
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
      const parsed = await parsePut(name, await readAdminText(req.raw), env.EGRESS_ALLOW ?? "");
      if ("faults" in parsed) throw new HttpError(400, "invalid_body", parsed.faults);
      const { version, created } = await edit(env, [parsed.edit], req.header("if-match"), who);
      return json({ version, warnings: parsed.warnings }, created.includes(name) ? 201 : 200, tagged(version));
    })
    .patch("/:name", async ({ req, env, var: { who }, json }) => {
      const patch = await parseAdminBody(req.raw, ToolPatchSchema);
      const change: ToolEdit = { op: "patch", name: req.param("name"), patch };
      const { version } = await edit(env, [change], req.header("if-match"), who);
      return json({ version }, 200, tagged(version));
    })
    .delete("/:name", async ({ req, env, var: { who }, json }) => {
      const change: ToolEdit = { op: "delete", name: req.param("name") };
      const { version } = await edit(env, [change], req.header("if-match"), who);
      return json({ version }, 200, tagged(version));
    })
    .get("/:name/history", async ({ req, env, json }) => {
      const versions = await registryStub(env).readToolHistory(req.param("name"));
      if (versions.length === 0 && !builtins.some(({ name }) => name === req.param("name"))) {
        throw noTool(req.param("name"));
      }
      return json({ versions: versions.map(viewVersion) });
    });

async function edit(env: Env, edits: ToolEdit[], ifMatch: string | undefined, who: string) {
  const outcome = await registryStub(env).editTools(edits, parseIfMatch(ifMatch), who);
  if (outcome.outcome === "changed") return outcome;
  throw refusalOf(outcome);
}

function refusalOf(outcome: Exclude<EditOutcome, { outcome: "changed" }>): HttpError {
  switch (outcome.outcome) {
    case "unknown_tool":
      return noTool(outcome.name);
    case "builtin_tool":
      return new HttpError(
        409,
        "builtin_tool",
        `${outcome.name} is in the server's code: it can be disabled and annotated, not replaced or deleted`,
      );
    case "version_mismatch":
      return new HttpError(412, "version_mismatch", `The catalogue is at version ${outcome.version} by now`);
    case "catalogue_full": {
      const { toolRecords, catalogueChars } = LIMITS;
      const detail = `The catalogue holds at most ${toolRecords} tools and ${catalogueChars} characters of them`;
      return new HttpError(409, "catalogue_full", detail);
    }
  }
}

const noTool = (name: string): HttpError =>
  new HttpError(404, "not_found", `There is no tool ${JSON.stringify(name.slice(0, LIMITS.toolNameChars))}`);

async function readRows(env: Env): Promise<{ version: number; rows: ToolRow[] }> {
  const { version, rows = [] } = await registryStub(env).readSnapshot(-1);
  return { version, rows: rows.flatMap(({ row }) => row ?? []) };
}

const viewBuiltins = (builtins: readonly Tool[], rows: readonly ToolRow[]) => {
  const rowOf = new Map(rows.map((row) => [row.name, row]));
  return builtins.map((tool) => {
    const row = rowOf.get(tool.name) ?? defaultRow(tool.name);
    const { timeoutMs } = tool;
    const { enabled } = row;
    return { ...describeTool(tool, row), enabled, timeoutMs, ...viewCost(tool, row), source: { kind: "builtin" } };
  });
};

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

const tagged = (version: number) => ({ etag: `"${version}"` });

/** `If-Match: "<version>"` (RFC 9110 13.1.1); `*` and nothing match any. */
function parseIfMatch(header: string | undefined): number | undefined {
  if (header === undefined || header === "*") return undefined;
  const version = /^"(\d{1,15})"$/.exec(header)?.[1];
  if (version === undefined)
    throw new HttpError(400, "invalid_body", 'If-Match must be a version such as "7", quotes included');
  return Number(version);
}
