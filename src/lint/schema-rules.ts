// What clients refuse or ignore in an input schema. Each rule names its source and when that was so; what could not be
// sourced is not here. Gemini has two ways in: `parameters` (a subset of OpenAPI's schemas) and `parametersJsonSchema`
// (Gemini CLI and newer clients): what only the first refuses is a warning.

import { isJsonObject, type JsonObject } from "../lib/json-value.ts";
import { at, isRoot, keywordsOf, type SchemaRule, type Step } from "./schema-rule.ts";
import { hasType, type SchemaNode } from "./walk-schema.ts";

const COMBINATORS = new Set(["anyOf", "oneOf", "allOf"]);
const OPENAI_ROOT_KEYWORDS = new Set([...COMBINATORS, "enum", "not"]);
const REFERENCES = new Set(["$ref", "$dynamicRef"]);

const lacksItems = ({ schema }: SchemaNode): Step[] => at(hasType(schema, "array") && !("items" in schema), "items");

/** Rules of the protocol: the SDKs of the 2025 revisions refuse the whole list over one such tool. */
const PROTOCOL_RULES: SchemaRule[] = [
  {
    // MCP 2025-11-25, schema `Tool.inputSchema.type: "object"`; a literal in @modelcontextprotocol/sdk 1.32.2.
    client: "all",
    level: "error",
    rule: "root-type",
    message: 'The root\'s type must be "object": clients refuse the whole list over one tool without it.',
    find: (node) => at(isRoot(node) && node.schema["type"] !== "object", "type"),
  },
  {
    // MCP 2025-11-25, schema `Tool.inputSchema.properties: {[key]: object}`; so in @modelcontextprotocol/sdk 1.32.2.
    client: "all",
    level: "error",
    rule: "root-properties",
    message:
      "A property of the root must be a schema object, not true or false: clients refuse the whole list over it.",
    find: (node) => (isRoot(node) ? propertiesThat(node.schema, (value) => !isJsonObject(value)) : []),
  },
  {
    // MCP 2025-11-25, schema `Tool.inputSchema.required: string[]`. Cursor shows no tools: Automattic/wordpress-mcp#58.
    client: "all",
    level: "error",
    rule: "root-required",
    message: "The root's required must be a list of strings: clients refuse the whole list of tools otherwise.",
    find: ({ schema, under }) => at(under === "" && "required" in schema && !isStrings(schema["required"]), "required"),
  },
];

const CLAUDE_PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;

const CLAUDE_RULES: SchemaRule[] = [
  {
    // anthropics/claude-code#44788 (2026-04), makenotion/notion-mcp-server#341 (2026-08).
    client: "claude",
    level: "error",
    rule: "root-combinator",
    message: "Claude's API refuses oneOf, anyOf and allOf at the root, and with it the whole request.",
    find: (node) => (isRoot(node) ? keywordsOf(node, COMBINATORS) : []),
  },
  {
    // anthropics/claude-code#79418 (2026-07); only at the root:
    // aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws#709 (2026-08).
    client: "claude",
    level: "error",
    rule: "property-name",
    message: `Claude's API wants names of arguments to match ${CLAUDE_PROPERTY.source}, and refuses the whole request.`,
    find: (node) => (isRoot(node) ? propertiesThat(node.schema, (_, name) => !CLAUDE_PROPERTY.test(name)) : []),
  },
  {
    // "It must match JSON Schema draft 2020-12": Dokploy/mcp#74 (2026-08), where it is draft 4's boolean.
    client: "claude",
    level: "error",
    rule: "older-draft",
    message: "No JSON Schema 2020-12 (an older draft?): Claude's API refuses the whole request.",
    find: ({ schema }) => [
      ...at(typeof schema["exclusiveMinimum"] === "boolean", "exclusiveMinimum"),
      ...at(typeof schema["exclusiveMaximum"] === "boolean", "exclusiveMaximum"),
      ...at(Array.isArray(schema["items"]), "items"),
      ...at("type" in schema && !isType(schema["type"]), "type"),
    ],
  },
  {
    // platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes, as quoted in diegosouzapw/OmniRoute#13552
    // (2026-09). The Messages API takes references.
    client: "claude",
    level: "warning",
    rule: "reference",
    message: "Claude's Managed Agents refuse references in sandboxes of one's own: write the schema out in place.",
    find: (node) => keywordsOf(node, REFERENCES),
  },
];

const LOOKAROUND = /\(\?<?[=!]/;

const OPENAI_RULES: SchemaRule[] = [
  {
    // langchain-ai/langchainjs#9804 (2026-01).
    client: "openai",
    level: "error",
    rule: "root-combinator",
    message: "OpenAI refuses oneOf, anyOf, allOf, enum and not at the root, and with it the whole request.",
    find: (node) => (isRoot(node) ? keywordsOf(node, OPENAI_ROOT_KEYWORDS) : []),
  },
  {
    // "object schema missing properties": openai/openai-agents-python#449 (2025-04), nextlevelbuilder/goclaw#321 (2026-03).
    client: "openai",
    level: "error",
    rule: "root-properties",
    message: "OpenAI refuses a root without properties: write {} when there are none.",
    find: ({ schema, under }) => at(under === "" && !isJsonObject(schema["properties"]), "properties"),
  },
  {
    // "array schema missing items": langgenius/dify#32894 (2026-03).
    client: "openai",
    level: "error",
    rule: "array-items",
    message: "OpenAI refuses an array without items, and with it the whole request.",
    find: lacksItems,
  },
  {
    // "regex lookaround is not supported": anomalyco/opencode#32073 (2026-06), vercel/ai#21037 (2026-09).
    client: "openai",
    level: "error",
    rule: "pattern-lookaround",
    message: "OpenAI refuses lookaround in a pattern, and with it the whole request.",
    find: ({ schema: { pattern } }) => at(typeof pattern === "string" && LOOKAROUND.test(pattern), "pattern"),
  },
];

// ai.google.dev/api/caching#Schema (v1beta), without what is allowed there; seen refused as "Unknown name": Memoh#620
// (additionalProperties, 2026-06), openswarm-ai/openswarm#24 ($schema, const, exclusiveMinimum, propertyNames),
// decolua/9router#3743 (prefixItems, 2026-09), aaif-goose/goose#6555 ($ref, $defs, 2026-01). `oneOf` is read as `anyOf`.
const GEMINI_UNKNOWN = new Set(
  (
    "$schema $id $anchor $ref $dynamicRef $defs definitions $comment additionalProperties patternProperties " +
    "propertyNames unevaluatedProperties const exclusiveMinimum exclusiveMaximum multipleOf prefixItems " +
    "additionalItems unevaluatedItems contains minContains maxContains uniqueItems allOf not if then else " +
    "dependentRequired dependentSchemas contentEncoding contentMediaType contentSchema examples readOnly writeOnly deprecated"
  ).split(" "),
);
const GEMINI_STRING_FORMATS: readonly unknown[] = ["enum", "date-time"];
const BESIDE_REFERENCES: readonly unknown[] = ["$ref", "description", "default"];

const GEMINI_RULES: SchemaRule[] = [
  {
    client: "gemini",
    level: "warning",
    rule: "unknown-keyword",
    message:
      "Gemini's `parameters` knows no such keyword and refuses the whole request (`parametersJsonSchema` does not).",
    find: (node) => keywordsOf(node, GEMINI_UNKNOWN),
  },
  {
    // "Proto field is not repeating": zed-industries/zed#53919 (2026-04).
    client: "gemini",
    level: "warning",
    rule: "type-list",
    message: "Gemini's `parameters` refuses a list of types: use one, with nullable or anyOf.",
    find: ({ schema }) => at(Array.isArray(schema["type"]), "type"),
  },
  {
    // "items: missing field": DEEIX-AI/DEEIX-Chat#546 (2026-07); `parametersJsonSchema` takes it:
    // NousResearch/hermes-agent#98928 (2026-08).
    client: "gemini",
    level: "warning",
    rule: "array-items",
    message: "Gemini's `parameters` refuses an array without items, and with it the whole request.",
    find: lacksItems,
  },
  {
    // microsoft/azure-devops-mcp#145 (2025-07); "enum only allowed for STRING type": decolua/9router#380 (2026-03).
    client: "gemini",
    level: "warning",
    rule: "enum-type",
    message: "Gemini's `parameters` takes an enum of strings only, with type string.",
    find: ({ schema }) => at("enum" in schema && !(schema["type"] === "string" && isStrings(schema["enum"])), "enum"),
  },
  {
    // "only 'enum' and 'date-time' are supported for STRING type": google-gemini/gemini-cli#3178 (2025-07).
    client: "gemini",
    level: "warning",
    rule: "string-format",
    message: "Gemini's `parameters` takes no format of strings but date-time.",
    find: ({ schema }) =>
      at(
        "format" in schema && hasType(schema, "string") && !GEMINI_STRING_FORMATS.includes(schema["format"]),
        "format",
      ),
  },
  {
    // "required[0]: property is not defined": iBUHub/AIStudioToAPI#154 (2026-05).
    client: "gemini",
    level: "warning",
    rule: "required-undefined",
    message: "Gemini's `parameters` refuses to require what properties does not define.",
    find: ({ schema }) => undefinedRequired(schema),
  },
  {
    // "only description and default can be set alongside it": anomalyco/opencode#12295 (2026-02),
    // su-kaka/gcli2api#374 (2026-05).
    client: "gemini",
    level: "error",
    rule: "reference-siblings",
    message: "Gemini refuses anything but description and default beside $ref.",
    find: ({ schema }) =>
      at("$ref" in schema && Object.keys(schema).some((key) => !BESIDE_REFERENCES.includes(key)), "$ref"),
  },
];

const DYNAMIC_DIALECT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

const EDITOR_RULES: SchemaRule[] = [
  {
    // "must be of type null,string, got string": cursor/cursor#3778 (2025-11, open).
    client: "cursor",
    level: "warning",
    rule: "type-list",
    message: "Cursor refuses to send an argument whose type is one of a list.",
    find: ({ schema }) => at(Array.isArray(schema["type"]), "type"),
  },
  {
    // IvanMurzak/Unity-MCP#284 (2025-10): arrays behind a reference are sent as text.
    client: "cursor",
    level: "warning",
    rule: "reference",
    message: "Cursor's agent tends to send text for what stands behind a reference: write the schema out in place.",
    find: (node) => keywordsOf(node, REFERENCES),
  },
  {
    // "tool parameters array type must have items": microsoft/vscode#290225 (2026-01).
    client: "vscode",
    level: "error",
    rule: "array-items",
    message: "VS Code refuses a tool with an array without items.",
    find: lacksItems,
  },
  {
    // posit-dev/mcptools#89 (2026-02): Copilot passes OpenAI's refusal on.
    client: "vscode",
    level: "error",
    rule: "root-properties",
    message: "Copilot's models refuse a root without properties: write {} when there are none.",
    find: ({ schema, under }) => at(under === "" && !isJsonObject(schema["properties"]), "properties"),
  },
  {
    // "$dynamicRef … not yet supported by the validator": firecrawl/firecrawl-mcp-server#112 (2025-09).
    client: "vscode",
    level: "warning",
    rule: "dialect",
    message: "VS Code of late 2025 leaves out tools that name this dialect: MCP means it anyway, so leave out $schema.",
    find: ({ schema: { $schema } }) => at(typeof $schema === "string" && DYNAMIC_DIALECT.test($schema), "$schema"),
  },
];

export const SCHEMA_RULES: readonly SchemaRule[] = [
  ...PROTOCOL_RULES,
  ...CLAUDE_RULES,
  ...OPENAI_RULES,
  ...GEMINI_RULES,
  ...EDITOR_RULES,
];

function propertiesThat({ properties }: JsonObject, isBad: (value: unknown, name: string) => boolean): Step[] {
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties)
    .filter(([name, value]) => isBad(value, name))
    .map(([name]) => ["properties", name]);
}

function undefinedRequired({ required, properties }: JsonObject): Step[] {
  if (!Array.isArray(required)) return [];
  const isDefined = (name: unknown): boolean =>
    typeof name === "string" && isJsonObject(properties) && Object.hasOwn(properties, name);
  return required.flatMap((name, index) => (isDefined(name) ? [] : [["required", index]]));
}

const isStrings = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === "string");

const TYPES: readonly unknown[] = ["string", "number", "integer", "boolean", "object", "array", "null"];

const isType = (type: unknown): boolean =>
  Array.isArray(type) ? type.length > 0 && type.every((name) => TYPES.includes(name)) : TYPES.includes(type);
