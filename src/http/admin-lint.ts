// `/admin/v1/lint` and `/admin/v1/tools/{name}/lint`: what clients make of definitions, which are not stored. Without a body
// it is about what the catalogue has.

import { Hono } from "hono";
import * as v from "valibot";
import { registryStub, type Env } from "../env.ts";
import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { takeTurns } from "../lib/take-turns.ts";
import { lintCatalogue } from "../lint/lint-catalogue.ts";
import { lintTool } from "../lint/lint-tool.ts";
import { describeTool } from "../registry/catalogue.ts";
import { definitionOf } from "../tools/record-tool.ts";
import type { Tool, ToolDefinition } from "../tools/define-tool.ts";
import { parseAdminBody } from "./admin-body.ts";
import { HttpError } from "./problem.ts";

// What is missing or wrong in an object, lint says itself.
const DefinitionSchema = v.custom<JsonObject>(isJsonObject, "expected a tool's definition, an object");

const LintedSchema = v.union(
  [
    v.pipe(
      v.array(DefinitionSchema),
      v.maxLength(LIMITS.lintedTools, `expected at most ${LIMITS.lintedTools} definitions`),
    ),
    DefinitionSchema,
  ],
  "expected a tool's definition, an object, or a list of them",
);

/** The routes for a Worker with these tools in its code. */
export const adminLint = (builtins: readonly Tool[]) =>
  new Hono<{ Bindings: Env }>()
    .post("/lint", async ({ req, env, json }) => {
      if (isEmpty(req.raw)) return json(await takeTurns(lintCatalogue(await readDefinitions(env, builtins))));
      const linted = await parseAdminBody(req.raw, LintedSchema);
      return json(Array.isArray(linted) ? await takeTurns(lintCatalogue(linted)) : lintTool(linted));
    })
    .post("/tools/:name/lint", async ({ req, env, json }) => {
      const name = req.param("name");
      if (isEmpty(req.raw)) return json(lintTool(await readDefinition(env, builtins, name)));
      return json(lintTool({ ...(await parseAdminBody(req.raw, DefinitionSchema)), name }));
    });

const isEmpty = ({ body, headers }: Request): boolean => body === null || headers.get("content-length") === "0";

/** Disabled tools among them: they may be enabled again. */
async function readDefinitions(env: Env, builtins: readonly Tool[]): Promise<ToolDefinition[]> {
  const { rows = [] } = await registryStub(env).readSnapshot(-1);
  const rowOf = new Map(rows.map(({ name, row }) => [name, row ?? undefined]));
  const inCode = builtins.map((tool) => describeTool(tool, rowOf.get(tool.name)));
  const asData = rows.flatMap(({ name, row }) => {
    if (!row?.record || builtins.some((tool) => tool.name === name)) return [];
    const definition = definitionOf(name, row.record);
    const { annotations } = definition;
    return [row.annotations ? { ...definition, annotations: { ...annotations, ...row.annotations } } : definition];
  });
  return [...inCode, ...asData];
}

async function readDefinition(env: Env, builtins: readonly Tool[], name: string): Promise<ToolDefinition> {
  const definition = (await readDefinitions(env, builtins)).find((known) => known.name === name);
  if (definition) return definition;
  throw new HttpError(404, "not_found", `There is no tool ${JSON.stringify(name.slice(0, LIMITS.toolNameChars))}`);
}
