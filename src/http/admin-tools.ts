// `/admin/v1/tools`: the catalogue as an operator sees it, disabled tools included.

import { Hono } from "hono";
import * as v from "valibot";
import { registryStub } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import { compareNames, costOf, defaultRow, describeTool } from "../registry/catalogue.ts";
import type { ToolRow } from "../registry/registry-contract.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { AdminEnv } from "./admin-auth.ts";
import { parseAdminBody } from "./admin-body.ts";
import { HttpError } from "./problem.ts";

const AnnotationsSchema = v.strictObject({
  title: v.exactOptional(v.pipe(v.string(), v.maxLength(LIMITS.titleChars))),
  readOnlyHint: v.exactOptional(v.boolean()),
  destructiveHint: v.exactOptional(v.boolean()),
  idempotentHint: v.exactOptional(v.boolean()),
  openWorldHint: v.exactOptional(v.boolean()),
});

const ToolPatchSchema = v.pipe(
  v.strictObject({
    enabled: v.optional(v.boolean()),
    annotations: v.optional(AnnotationsSchema),
    cost: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(LIMITS.toolCostMax))),
  }),
  v.check(
    ({ enabled, annotations, cost }) => enabled !== undefined || annotations !== undefined || cost !== undefined,
    'expected "enabled", "annotations" or "cost"',
  ),
);

/** The routes for a Worker with these tools in its code. */
export const adminTools = (builtins: readonly Tool[]) =>
  new Hono<AdminEnv>()
    .get("/", async ({ env, json }) => {
      const { version, rows = [] } = await registryStub(env).readSnapshot(-1);
      const tools = builtins.map((tool) => toView(tool, rows)).toSorted((a, b) => compareNames(a.name, b.name));
      return json({ version, tools }, 200, { etag: toEtag(version) });
    })
    .get("/:name", async ({ req, env, json }) => {
      const tool = findTool(builtins, req.param("name"));
      const { version, rows = [] } = await registryStub(env).readSnapshot(-1);
      return json({ version, ...toView(tool, rows) }, 200, { etag: toEtag(version) });
    })
    .patch("/:name", async ({ req, env, var: { who }, json }) => {
      const { name } = findTool(builtins, req.param("name"));
      const patch = await parseAdminBody(req.raw, ToolPatchSchema);
      const change = await registryStub(env).changeTool(name, patch, parseIfMatch(req.header("if-match")), who);
      switch (change.outcome) {
        case "changed":
          return json({ version: change.version }, 200, { etag: toEtag(change.version) });
        case "unknown_tool":
          throw noTool(name);
        case "version_mismatch":
          throw new HttpError(412, "version_mismatch", `The catalogue is at version ${change.version} by now`);
      }
    });

const noTool = (name: string): HttpError =>
  new HttpError(404, "not_found", `There is no tool ${JSON.stringify(name.slice(0, LIMITS.toolNameChars))}`);

function findTool(builtins: readonly Tool[], name: string): Tool {
  const tool = builtins.find((builtin) => builtin.name === name);
  if (!tool) throw noTool(name);
  return tool;
}

function toView(tool: Tool, rows: readonly ToolRow[]) {
  const row = rows.find(({ name }) => name === tool.name) ?? defaultRow(tool.name);
  const { timeoutMs } = tool;
  const cost = costOf({ tool, row });
  return {
    ...describeTool(tool, row),
    enabled: row.enabled,
    timeoutMs,
    ...(cost !== 1 && { cost }),
    source: { kind: "builtin" },
  };
}

const toEtag = (version: number): string => `"${version}"`;

/** `If-Match: "<version>"` (RFC 9110 13.1.1); `*` and nothing match any. */
function parseIfMatch(header: string | undefined): number | undefined {
  if (header === undefined || header === "*") return undefined;
  const version = /^"(\d{1,15})"$/.exec(header)?.[1];
  if (version === undefined)
    throw new HttpError(400, "invalid_body", 'If-Match must be a version such as "7", quotes included');
  return Number(version);
}
