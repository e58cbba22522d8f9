// A tool's record while it is edited in a form: every field as text, JSON among them, so that nothing is lost half-typed.

import type { ToolView } from "../../api/tools-api.ts";
import { hintsOf, toAnnotations, type Hints } from "./hint-fields.tsx";
import { asSchema, type Schema } from "../../schema/json-schema.ts";

/** A name and its value, in the order of rows; a row without a name counts for nothing. */
export interface Pair {
  name: string;
  value: string;
}

export interface ToolDraft {
  kind: "http" | "code";
  name: string;
  title: string;
  description: string;
  inputSchema: string;
  outputSchema: string;
  timeoutMs: string;
  cost: string;
  hints: Hints;
  method: string;
  url: string;
  query: readonly Pair[];
  headers: readonly Pair[];
  body: string;
  result: string;
  module: string;
  egress: string;
  secrets: string;
  /** What the form has no field for, kept as it came. */
  rest: Record<string, unknown>;
}

type JsonRecord = Record<string, unknown>;

const EXAMPLE_MODULE = `export default async (args, ctx) => {
  return \`Hello, \${args.name}!\`;
};
`;

const print = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** A draft to begin with. */
export function newDraft(kind: ToolDraft["kind"]): ToolDraft {
  const properties = kind === "code" ? { name: { type: "string", description: "Whom to greet." } } : {};
  const inputSchema = {
    type: "object",
    properties,
    ...(kind === "code" && { required: ["name"] }),
    additionalProperties: false,
  };
  return {
    kind,
    name: "",
    title: "",
    description: "",
    inputSchema: print(inputSchema),
    outputSchema: "",
    timeoutMs: "",
    cost: "",
    hints: hintsOf(kind === "http" ? { readOnlyHint: true } : {}),
    method: "GET",
    url: "https://",
    query: [],
    headers: [],
    body: "",
    result: "",
    module: EXAMPLE_MODULE,
    egress: "",
    secrets: "",
    rest: {},
  };
}

/** A tool as the API shows it → the record that would put it. */
export function toRecord(tool: Partial<ToolView> & { version?: number }): JsonRecord {
  const { name: _, version: __, source, ...rest } = tool as Partial<ToolView> & JsonRecord;
  if (source?.kind !== "code") return { ...rest, source };
  const { hash: ___, ...code } = source;
  return { ...rest, source: code };
}

/** A record → a draft; throws where it is no record that a form could show. */
export function toDraft(name: string, record: JsonRecord): ToolDraft {
  const { title, description, inputSchema, outputSchema, timeoutMs, cost, annotations, source, ...rest } = record;
  if (typeof source !== "object" || source === null) throw new Error('source: expected an object with "kind"');
  const { kind, method, url, query, headers, body, result, module, egress, secrets } = source as JsonRecord;
  if (kind !== "http" && kind !== "code") throw new Error('source.kind: expected "http" or "code"');
  const hints = hintsOf(annotations as JsonRecord | undefined);
  const otherAnnotations = Object.entries({ ...(annotations as JsonRecord | undefined) }).filter(
    ([name]) => !(name in hints),
  );
  return {
    ...newDraft(kind),
    name,
    title: textOf(title),
    description: textOf(description),
    inputSchema: print(inputSchema),
    outputSchema: outputSchema === undefined ? "" : print(outputSchema),
    timeoutMs: textOf(timeoutMs),
    cost: textOf(cost),
    hints,
    method: textOf(method) || "GET",
    url: textOf(url),
    query: toPairs(query),
    headers: toPairs(headers),
    body: body === undefined ? "" : print(body),
    result: textOf(result),
    module: textOf(module),
    egress: listText(egress),
    secrets: listText(secrets),
    rest: { ...rest, ...(otherAnnotations.length > 0 && { annotations: Object.fromEntries(otherAnnotations) }) },
  };
}

/** What is wrong with a draft's own texts, by field; else the record's JSON. Schemas stay as they were typed. */
export function toRecordText(draft: ToolDraft): { text: string } | { faults: { path: string; message: string }[] } {
  const faults: { path: string; message: string }[] = [];
  const check = (path: string, text: string): void => {
    try {
      JSON.parse(text);
    } catch (error) {
      faults.push({ path, message: `This is not JSON yet: ${error instanceof Error ? error.message : ""}` });
    }
  };
  check("inputSchema", draft.inputSchema);
  if (draft.outputSchema.trim() !== "") check("outputSchema", draft.outputSchema);
  if (draft.body.trim() !== "" && draft.kind === "http") check("source.body", draft.body);
  if (faults.length > 0) return { faults };
  const { annotations, ...rest } = draft.rest;
  const allHints = { ...(annotations as JsonRecord | undefined), ...toAnnotations(draft.hints) };
  const members = Object.entries({
    ...(draft.title !== "" && { title: draft.title }),
    description: draft.description,
    ...rest,
    ...(Object.keys(allHints).length > 0 && { annotations: allHints }),
    ...numberOf("timeoutMs", draft.timeoutMs),
    ...numberOf("cost", draft.cost),
    source: draft.kind === "http" ? toHttpSource(draft) : toCodeSource(draft),
  }).map(([name, value]) => `  ${JSON.stringify(name)}: ${print(value).replaceAll("\n", "\n  ")}`);
  const schemas = [
    `  "inputSchema": ${draft.inputSchema.trim().replaceAll("\n", "\n  ")}`,
    ...(draft.outputSchema.trim() === ""
      ? []
      : [`  "outputSchema": ${draft.outputSchema.trim().replaceAll("\n", "\n  ")}`]),
  ];
  return { text: `{\n${[...members.slice(0, -1), ...schemas, ...members.slice(-1)].join(",\n")}\n}` };
}

const toHttpSource = ({ method, url, query, headers, body, result }: ToolDraft): JsonRecord => ({
  kind: "http",
  method,
  url,
  ...fromPairs("query", query),
  ...fromPairs("headers", headers),
  ...(body.trim() !== "" && { body: JSON.parse(body) as unknown }),
  ...(result !== "" && { result }),
});

const toCodeSource = ({ module, egress, secrets }: ToolDraft): JsonRecord => ({
  kind: "code",
  module,
  ...(splitList(egress).length > 0 && { egress: splitList(egress) }),
  ...(splitList(secrets).length > 0 && { secrets: splitList(secrets) }),
});

const splitList = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);
const listText = (value: unknown): string => (Array.isArray(value) ? value.join(", ") : "");
const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

const toPairs = (value: unknown): Pair[] =>
  Object.entries((value ?? {}) as Record<string, string>).map(([name, text]) => ({ name, value: text }));

function fromPairs(name: string, pairs: readonly Pair[]): JsonRecord {
  const named = pairs.filter((pair) => pair.name.trim() !== "").map((pair) => [pair.name.trim(), pair.value] as const);
  return named.length > 0 ? { [name]: Object.fromEntries(named) } : {};
}

/** What is no number goes as it is, for the server to say so. */
function numberOf(name: string, text: string): JsonRecord {
  if (text.trim() === "") return {};
  const number = Number(text);
  return { [name]: Number.isFinite(number) ? number : text };
}

/** `{name}`, `{name,}`, `{name|}` and `{name+}`; not `{{` and `}}`, which are braces, nor secrets. */
const SLOT = /\{\{secret:[^}]*\}\}|\{\{|\}\}|\{([^{}]+?)[,|+]?\}/g;

const slotsOf = (text: string): string[] =>
  Array.from(text.matchAll(SLOT), ([, name]) => name).filter((name) => name !== undefined);

/** The arguments that a request has slots for and its schema lacks, as strings; those of the path are required. */
export function withSlots(draft: ToolDraft): string {
  const schema = asSchema(JSON.parse(draft.inputSchema)) as Schema;
  const inPath = slotsOf(draft.url);
  const elsewhere = [...draft.query, ...draft.headers].flatMap(({ value }) => slotsOf(value));
  const names = [...new Set([...inPath, ...elsewhere, ...slotsOf(draft.body)])];
  const missing = names.filter((name) => schema.properties?.[name] === undefined);
  const properties = { ...schema.properties, ...Object.fromEntries(missing.map((name) => [name, { type: "string" }])) };
  const required = [...new Set([...(schema.required ?? []), ...inPath])];
  return print({ ...schema, properties, ...(required.length > 0 && { required }) });
}
