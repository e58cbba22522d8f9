// One definition, as `tools/list` would tell it. Pure; the work is bounded by the size that a schema may have.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { lintAnnotations, lintDescription, lintName, lintSize, type LintContext } from "./definition-rules.ts";
import { lintParamHeaders } from "./header-rules.ts";
import { lintHiddenCharacters } from "./hidden-characters.ts";
import { applyRule } from "./schema-rule.ts";
import { SCHEMA_RULES } from "./schema-rules.ts";
import { lintStrictTotals, STRICT_RULES } from "./strict-rules.ts";
import { READ_PARTS, textsOf } from "./texts.ts";
import { sumUp, type Verdict } from "./verdict.ts";
import { walkSchema } from "./walk-schema.ts";
import { lintWording } from "./wording-rules.ts";

/** What each client would make of a definition: a `ToolDefinition`, or any JSON value that should be one. */
export function lintTool(definition: unknown, context: LintContext = {}): Verdict[] {
  if (!isJsonObject(definition)) return [refuse("definition", "", "Expected a tool's definition, an object.")];
  // Of a record: where its calls go, which no client is told of.
  const { source: _, ...told } = definition;
  const serialized = serialize(told);
  const tooLarge = READ_PARTS.flatMap((key) => lintPartSize(definition, key));
  return sumUp([
    ...lintName(definition, context),
    ...lintDescription(definition),
    ...lintAnnotations(definition),
    ...tooLarge,
    ...(tooLarge.length === 0 ? lintContents(definition) : []),
    ...(serialized === undefined ? [] : lintSize(serialized)),
  ]);
}

export interface Registration {
  /** Why the tool can't be registered; empty when it can. */
  refused: Verdict[];
  /** Everything else. */
  warnings: Verdict[];
}

/** Whether a tool may be put into the catalogue: what breaks it for all clients refuses it, the rest is told. */
export function lintRegistration(definition: unknown, context: LintContext = {}): Registration {
  const verdicts = lintTool(definition, context);
  return { refused: verdicts.filter(isRefusal), warnings: verdicts.filter((verdict) => !isRefusal(verdict)) };
}

const isRefusal = ({ client, level }: Verdict): boolean => client === "all" && level === "error";

function lintContents(definition: JsonObject): Verdict[] {
  const texts = Array.from(textsOf(definition));
  return [
    ...texts.flatMap(lintHiddenCharacters),
    ...lintInput(definition["inputSchema"]),
    ...lintOutput(definition["outputSchema"]),
    ...texts.flatMap(lintWording),
  ];
}

function lintInput(schema: unknown): Verdict[] {
  const path = "/inputSchema";
  if (!isJsonObject(schema)) return [refuse("input-schema", path, "Expected a JSON Schema, an object.")];
  const nodes = Array.from(walkSchema(schema, path));
  return [
    ...lintParamHeaders(nodes),
    ...[...SCHEMA_RULES, ...STRICT_RULES].flatMap((rule) => nodes.flatMap((node) => applyRule(rule, node))),
    ...lintStrictTotals(nodes, path),
  ];
}

function lintOutput(schema: unknown): Verdict[] {
  const path = "/outputSchema";
  if (schema === undefined) return [];
  if (!isJsonObject(schema)) return [refuse("output-schema", path, "Expected a JSON Schema, an object.")];
  if (schema["type"] === "object") return [];
  // Until 2025-11-25 an output is an object (schema `Tool.outputSchema`), so this server leaves it out for older clients.
  const message = "Clients of revisions before 2026-07-28 are not told of an output that is no object.";
  return [{ client: "all", level: "info", rule: "output-type", path: `${path}/type`, message }];
}

function lintPartSize(definition: JsonObject, key: string): Verdict[] {
  const chars = serialize(definition[key])?.length;
  if (chars !== undefined && chars <= LIMITS.schemaChars) return [];
  const received = chars === undefined ? "a deeper nesting than can be serialized" : String(chars);
  return [refuse("size", `/${key}`, `Expected at most ${LIMITS.schemaChars} characters, received ${received}.`)];
}

/** `undefined` for what is nested too deep for the platform. */
function serialize(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return undefined;
  }
}

const refuse = (rule: string, path: string, message: string): Verdict => ({
  client: "all",
  path,
  rule,
  level: "error",
  message,
});
