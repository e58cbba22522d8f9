// One tool as an upstream lists it → the record that is served, or why it is none.

import { cutText } from "../lib/cut-text.ts";
import * as v from "valibot";
import type { JsonObject } from "../lib/json-value.ts";
import { isJsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { lintRegistration } from "../lint/lint-tool.ts";
import type { Verdict } from "../lint/verdict.ts";
import { markName } from "../openapi/tool-name.ts";
import type { ToolAnnotations } from "../tools/define-tool.ts";
import { checkSchema } from "../tools/json-schema/check-schema.ts";
import { isReservedName } from "../tools/reserved-names.ts";
import { readPassed } from "../tools/upstream/passed-servers.ts";
import { IconSchema, TOOL_NAME, type StoredRecord } from "../tools/tool-record.ts";
import type { ListedTool } from "../tools/upstream/list-upstream-tools.ts";
import type { UpstreamSource } from "../tools/upstream/upstream-record.ts";

/** What all tools of an upstream have in common, and what this deployment is called in what they came through. */
export interface UpstreamGround {
  source: Omit<UpstreamSource, "tool">;
  timeoutMs: number | undefined;
  deployment: string;
}

export type UpstreamTool = { name: string; record: StoredRecord; warnings: Verdict[] } | { reason: string };

/** The name of an upstream's tool here: what does not fit is cut and marked with a hash of the whole. */
export function nameUpstreamTool(upstream: string, tool: string): string {
  const name = `${upstream}_${tool}`;
  return TOOL_NAME.test(name) ? name : markName(`${upstream}_${tool.replaceAll(/[^A-Za-z0-9_-]+/g, "_")}`, tool);
}

/** The record, its schemas as they came. */
export function toUpstreamTool(
  { definition, inputSchema, outputSchema }: ListedTool,
  base: UpstreamGround,
): UpstreamTool {
  const tool = String(definition["name"]);
  const name = nameUpstreamTool(base.source.upstream, tool);
  const passed = readPassed(definition);
  const fault =
    faultOfName(name) ?? faultOfWay(passed, base.deployment) ?? faultOf(definition, { inputSchema, outputSchema });
  if (fault !== undefined || inputSchema === undefined) return { reason: fault ?? "it has no inputSchema" };
  const texts = { ...textsOf(definition, base.source.upstream), ...iconsOf(definition) };
  const annotations = annotationsOf(definition);
  const linted = {
    ...texts,
    name,
    ...pick(definition, ["inputSchema", "outputSchema"]),
    ...(annotations && { annotations }),
  };
  const { refused, warnings } = lintRegistration(linted);
  const [first] = refused;
  if (first) return { reason: `${first.path}: ${first.message}` };
  const source: UpstreamSource = {
    ...base.source,
    tool,
    ...(annotations && { annotations }),
    ...(passed.length > 0 && { passed }),
  };
  const record: StoredRecord = {
    ...texts,
    ...(base.timeoutMs !== undefined && { timeoutMs: base.timeoutMs }),
    origin: `upstream:${source.upstream}`,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    source,
  };
  return { name, record, warnings: warnings.map((verdict) => ({ ...verdict, tool: name })) };
}

const faultOfName = (name: string): string | undefined =>
  isReservedName(name) ? `${name} is the name of a tool of the server's own` : undefined;

function faultOfWay(passed: readonly string[], deployment: string): string | undefined {
  if (passed.includes(deployment)) return "it is a tool of this server, which has come back to it";
  if (passed.length <= LIMITS.upstreamPassed) return undefined;
  return `it has come through ${passed.length} servers, expected at most ${LIMITS.upstreamPassed}`;
}

function faultOf(definition: JsonObject, texts: { inputSchema: unknown; outputSchema: unknown }): string | undefined {
  const { inputSchema, outputSchema, execution } = definition;
  if (isJsonObject(execution) && execution["taskSupport"] === "required") return "it can be called as a task only";
  if (!isJsonObject(inputSchema)) return "inputSchema: expected an object";
  const refusal = checkSchema(inputSchema, "input");
  if (refusal) return `inputSchema${refusal.path}: ${refusal.message}`;
  if (texts.outputSchema === undefined) return undefined;
  if (!isJsonObject(outputSchema)) return "outputSchema: expected an object";
  const refused = checkSchema(outputSchema, "output");
  return refused && `outputSchema${refused.path}: ${refused.message}`;
}

/** Longer texts than a tool here may have are cut. */
function textsOf({ name, title, description }: JsonObject, upstream: string): { title?: string; description: string } {
  const said = typeof description === "string" ? description.trim() : "";
  const text = said === "" ? `The tool ${String(name)} of ${upstream}, which says nothing more of it.` : said;
  const isTitled = typeof title === "string" && title.trim() !== "";
  return {
    ...(isTitled && { title: cut(title.trim(), LIMITS.titleChars) }),
    description: cut(text, LIMITS.descriptionChars),
  };
}

const cut = (text: string, maxChars: number): string =>
  text.length > maxChars ? `${cutText(text, maxChars - 1)}…` : text;

function iconsOf({ icons }: JsonObject): Pick<StoredRecord, "icons"> {
  const items: unknown[] = Array.isArray(icons) ? icons.slice(0, LIMITS.icons) : [];
  const good = items.flatMap((icon) => {
    const parsed = v.safeParse(IconSchema, icon);
    return parsed.success ? [parsed.output] : [];
  });
  return good.length > 0 ? { icons: good } : {};
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

function annotationsOf({ annotations }: JsonObject): ToolAnnotations | undefined {
  if (!isJsonObject(annotations)) return undefined;
  const { title } = annotations;
  const hints = HINTS.flatMap((hint) => (typeof annotations[hint] === "boolean" ? [[hint, annotations[hint]]] : []));
  const known: ToolAnnotations = {
    ...(typeof title === "string" && { title: cut(title, LIMITS.titleChars) }),
    ...(Object.fromEntries(hints) as ToolAnnotations),
  };
  return Object.keys(known).length > 0 ? known : undefined;
}

const pick = (object: JsonObject, keys: string[]): JsonObject =>
  Object.fromEntries(keys.flatMap((key) => (object[key] === undefined ? [] : [[key, object[key]]])));
