// What each rule lets pass and what it does not: below, at and above a bound, with and without a construct.

import type { Client, Level } from "../../src/lint/verdict.ts";
import { HEADERS } from "./header-rows.ts";
import { QUIET, withInput, withProperty } from "./definitions.ts";

const named = (name: unknown, more: object = {}) => ({ ...QUIET, name, ...more });
const described = (description: unknown) => ({ ...QUIET, description });
const hinted = (annotations: unknown) => ({ ...QUIET, annotations });
const x = (count: number): string => "x".repeat(count);
const nested = (levels: number): object =>
  levels === 0 ? { type: "string" } : { type: "object", properties: { o: nested(levels - 1) }, required: ["o"] };
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const letters = (count: number) => numbers(count).map((index) => `v${index}`);

const PATH = "/inputSchema/properties/x";

/** Client, rule, what it lets pass, what it does not, where and how badly. */
export type Row = [Client, string, unknown, unknown, string, Level];

const NAMES: Row[] = [
  ["all", "name-characters", named("a"), named(""), "/name", "error"],
  ["all", "name-characters", named(x(64)), named(x(65)), "/name", "error"],
  ["all", "name-characters", named("a-b_C9"), named("a/b"), "/name", "error"],
  ["all", "name-characters", named("a_b"), named("a b"), "/name", "error"],
  ["all", "name-characters", named("a_b"), named("ä"), "/name", "error"],
  ["all", "name-characters", named("a"), named(7), "/name", "error"],
  ["all", "name-characters", named(".a", { allowDots: true }), named(".", { allowDots: true }), "/name", "error"],
  ["all", "name-characters", named("...", { allowDots: true }), named("..", { allowDots: true }), "/name", "error"],
  ["all", "name-reserved", named("__proto"), named("__proto__"), "/name", "error"],
  ["all", "name-dots", named("a.b", { allowDots: true }), named("a.b"), "/name", "error"],
  ["claude", "name-dots", named("a_b"), named("a.b", { allowDots: true }), "/name", "error"],
  ["openai", "name-dots", named("a_b"), named("a.b", { allowDots: true }), "/name", "error"],
  ["vscode", "name-dots", named("a_b"), named("a.b", { allowDots: true }), "/name", "warning"],
  ["all", "name-prefix-room", named(x(48)), named(x(49)), "/name", "warning"],
  ["cursor", "name-filtered", named(x(58)), named(x(59)), "/name", "error"],
  ["gemini", "name-start", named("_1"), named("1_"), "/name", "warning"],
];

const DESCRIPTIONS: Row[] = [
  ["vscode", "description-missing", described("x"), described(" \n"), "/description", "error"],
  ["vscode", "description-missing", described("x"), described(undefined), "/description", "error"],
  ["gemini", "description-missing", described("x"), described(""), "/description", "warning"],
  ["openai", "description-length", described(x(1_024)), described(x(1_025)), "/description", "info"],
  ["claude", "description-length", described(x(2_048)), described(x(2_049)), "/description", "warning"],
  ["all", "description-length", described(x(4_096)), described(x(4_097)), "/description", "error"],
  ["all", "tool-size", described(x(8_000)), described(x(9_000)), "", "info"],
];

const ANNOTATIONS: Row[] = [
  ["all", "annotation-type", hinted({}), hinted([]), "/annotations", "error"],
  [
    "all",
    "annotation-type",
    hinted({ idempotentHint: true }),
    hinted({ idempotentHint: "yes" }),
    "/annotations/idempotentHint",
    "error",
  ],
  [
    "all",
    "readonly-destructive",
    hinted({ readOnlyHint: false, destructiveHint: true }),
    hinted({ readOnlyHint: true, destructiveHint: true }),
    "/annotations/destructiveHint",
    "warning",
  ],
  ["all", "hint-missing", hinted({ readOnlyHint: true }), hinted(undefined), "/annotations/readOnlyHint", "info"],
  [
    "all",
    "hint-missing",
    hinted({ readOnlyHint: false, destructiveHint: false }),
    hinted({ readOnlyHint: false }),
    "/annotations/destructiveHint",
    "info",
  ],
  [
    "claude",
    "directory-title",
    { ...QUIET, title: undefined, annotations: { title: "A" } },
    { ...QUIET, title: undefined },
    "/annotations/title",
    "info",
  ],
  ["openai", "directory-hints", QUIET, hinted({ readOnlyHint: true }), "/annotations", "info"],
];

const ROOTS: Row[] = [
  ["all", "input-schema", QUIET, { ...QUIET, inputSchema: null }, "/inputSchema", "error"],
  ["all", "input-schema", QUIET, { ...QUIET, inputSchema: undefined }, "/inputSchema", "error"],
  ["all", "root-type", QUIET, withInput({ type: undefined }), "/inputSchema/type", "error"],
  ["all", "root-type", QUIET, withInput({ type: ["object"] }), "/inputSchema/type", "error"],
  ["all", "root-properties", withProperty({}), withProperty(true), PATH, "error"],
  ["all", "root-required", QUIET, withInput({ required: {} }), "/inputSchema/required", "error"],
  [
    "claude",
    "root-combinator",
    withProperty({ anyOf: [{ type: "string" }] }),
    withInput({ anyOf: [{}] }),
    "/inputSchema/anyOf",
    "error",
  ],
  ["claude", "root-combinator", QUIET, withInput({ allOf: [{}] }), "/inputSchema/allOf", "error"],
  ["claude", "root-combinator", QUIET, withInput({ oneOf: [{}] }), "/inputSchema/oneOf", "error"],
  ["openai", "root-combinator", withProperty({ not: {} }), withInput({ not: {} }), "/inputSchema/not", "error"],
  ["openai", "root-combinator", withProperty({ enum: ["a"] }), withInput({ enum: [{}] }), "/inputSchema/enum", "error"],
  [
    "openai",
    "root-properties",
    withInput({ properties: {} }),
    withInput({ properties: undefined }),
    "/inputSchema/properties",
    "error",
  ],
  [
    "vscode",
    "root-properties",
    withInput({ properties: {} }),
    withInput({ properties: undefined }),
    "/inputSchema/properties",
    "error",
  ],
  [
    "claude",
    "property-name",
    withProperty({}, x(64)),
    withProperty({}, x(65)),
    `/inputSchema/properties/${x(65)}`,
    "error",
  ],
  [
    "claude",
    "property-name",
    withProperty({}, "a.b-c"),
    withProperty({}, "a/~b"),
    "/inputSchema/properties/a~1~0b",
    "error",
  ],
  [
    "claude",
    "property-name",
    withProperty({ type: "object", properties: { "a[]": {} } }),
    withProperty({}, "a[]"),
    "/inputSchema/properties/a[]",
    "error",
  ],
];

const KEYWORDS: Row[] = [
  [
    "claude",
    "older-draft",
    withProperty({ exclusiveMinimum: 1 }),
    withProperty({ exclusiveMinimum: true }),
    `${PATH}/exclusiveMinimum`,
    "error",
  ],
  [
    "claude",
    "older-draft",
    withProperty({ exclusiveMaximum: 1 }),
    withProperty({ exclusiveMaximum: false }),
    `${PATH}/exclusiveMaximum`,
    "error",
  ],
  [
    "claude",
    "older-draft",
    withProperty({ prefixItems: [{}] }),
    withProperty({ items: [{}] }),
    `${PATH}/items`,
    "error",
  ],
  [
    "claude",
    "older-draft",
    withProperty({ type: ["string", "null"] }),
    withProperty({ type: "any" }),
    `${PATH}/type`,
    "error",
  ],
  ["claude", "older-draft", withProperty({ type: "integer" }), withProperty({ type: [] }), `${PATH}/type`, "error"],
  ["claude", "reference", QUIET, withProperty({ $ref: "#/$defs/a" }), `${PATH}/$ref`, "warning"],
  ["cursor", "reference", QUIET, withProperty({ $ref: "#/$defs/a" }), `${PATH}/$ref`, "warning"],
  [
    "openai",
    "array-items",
    withProperty({ type: "array", items: {} }),
    withProperty({ type: "array" }),
    `${PATH}/items`,
    "error",
  ],
  [
    "vscode",
    "array-items",
    withProperty({ type: "array", items: {} }),
    withProperty({ type: ["array", "null"] }),
    `${PATH}/items`,
    "error",
  ],
  [
    "gemini",
    "array-items",
    withProperty({ type: "array", items: {} }),
    withProperty({ type: "array" }),
    `${PATH}/items`,
    "warning",
  ],
  [
    "openai",
    "pattern-lookaround",
    withProperty({ pattern: "(?:a|b)(?<n>c)" }),
    withProperty({ pattern: "^(?!a)" }),
    `${PATH}/pattern`,
    "error",
  ],
  ["openai", "pattern-lookaround", QUIET, withProperty({ pattern: "(?<=a)b" }), `${PATH}/pattern`, "error"],
  [
    "gemini",
    "type-list",
    withProperty({ type: "string" }),
    withProperty({ type: ["string", "null"] }),
    `${PATH}/type`,
    "warning",
  ],
  [
    "cursor",
    "type-list",
    withProperty({ type: "string" }),
    withProperty({ type: ["string", "null"] }),
    `${PATH}/type`,
    "warning",
  ],
  [
    "gemini",
    "enum-type",
    withProperty({ type: "string", enum: ["1"] }),
    withProperty({ type: "integer", enum: [1] }),
    `${PATH}/enum`,
    "warning",
  ],
  ["gemini", "enum-type", QUIET, withProperty({ enum: ["a"] }), `${PATH}/enum`, "warning"],
  [
    "gemini",
    "string-format",
    withProperty({ type: "string", format: "date-time" }),
    withProperty({ type: "string", format: "uri" }),
    `${PATH}/format`,
    "warning",
  ],
  [
    "gemini",
    "string-format",
    withProperty({ type: "integer", format: "int32" }),
    withProperty({ type: "string", format: "date" }),
    `${PATH}/format`,
    "warning",
  ],
  [
    "gemini",
    "required-undefined",
    QUIET,
    withInput({ required: ["text", "nothing"] }),
    "/inputSchema/required/1",
    "warning",
  ],
  [
    "gemini",
    "reference-siblings",
    withProperty({ $ref: "#/$defs/a", description: "A", default: 1 }),
    withProperty({ $ref: "#/$defs/a", title: "A" }),
    `${PATH}/$ref`,
    "error",
  ],
  [
    "vscode",
    "dialect",
    withInput({ $schema: "http://json-schema.org/draft-07/schema#" }),
    withInput({ $schema: "https://json-schema.org/draft/2020-12/schema" }),
    "/inputSchema/$schema",
    "warning",
  ],
  [
    "all",
    "output-type",
    { ...QUIET, outputSchema: { type: "object" } },
    { ...QUIET, outputSchema: { type: "array" } },
    "/outputSchema/type",
    "info",
  ],
  ["all", "output-schema", QUIET, { ...QUIET, outputSchema: true }, "/outputSchema", "error"],
  ...(
    "$schema $ref $defs additionalProperties patternProperties propertyNames const exclusiveMinimum exclusiveMaximum prefixItems " +
    "multipleOf uniqueItems contains allOf not if then else dependentRequired unevaluatedProperties"
  )
    .split(" ")
    .map((keyword): Row => [
      "gemini",
      "unknown-keyword",
      withProperty({ type: "string", minLength: 1 }),
      withProperty({ [keyword]: 1 }),
      `${PATH}/${keyword}`,
      "warning",
    ]),
];

const STRICT: Row[] = [
  ["openai", "strict-optional", QUIET, withInput({ required: [] }), "/inputSchema/properties/text", "info"],
  [
    "openai",
    "strict-additional",
    withInput({ additionalProperties: false }),
    QUIET,
    "/inputSchema/additionalProperties",
    "info",
  ],
  ["openai", "strict-keyword", QUIET, withProperty({ allOf: [] }), `${PATH}/allOf`, "info"],
  [
    "openai",
    "strict-depth",
    { ...QUIET, inputSchema: nested(10) },
    { ...QUIET, inputSchema: nested(11) },
    `/inputSchema${"/properties/o".repeat(10)}`,
    "info",
  ],
  [
    "openai",
    "strict-enum",
    withProperty({ enum: letters(250).map((v) => v + x(60)) }),
    withProperty({ enum: letters(251).map((v) => v + x(60)) }),
    `${PATH}/enum`,
    "info",
  ],
  [
    "openai",
    "strict-enum",
    withProperty({ enum: numbers(251).map(() => x(59)) }),
    withProperty({ enum: numbers(251).map(() => x(60)) }),
    `${PATH}/enum`,
    "info",
  ],
  [
    "openai",
    "strict-total",
    withProperty({ enum: numbers(1_000) }),
    withProperty({ enum: numbers(1_001) }),
    "/inputSchema",
    "info",
  ],
  [
    "openai",
    "strict-total",
    withInput({ properties: Object.fromEntries(letters(5_000).map((name) => [name, {}])) }),
    withInput({ properties: Object.fromEntries(letters(5_001).map((name) => [name, {}])) }),
    "/inputSchema",
    "info",
  ],
];

export const ROWS: Row[] = [...NAMES, ...DESCRIPTIONS, ...ANNOTATIONS, ...ROOTS, ...KEYWORDS, ...STRICT, ...HEADERS];
