import { readFileSync } from "node:fs";
import { callAdmin, isObject, type AdminServer, type JsonObject } from "./admin-api.ts";
import { CliError } from "./cli-error.ts";
import { oneValue, wholeNumber, type Answer, type Command, type Input, type Option } from "./command.ts";
import { countOf } from "./count-of.ts";
import { lintText } from "./lint-text.ts";
import { cell } from "./text-cell.ts";
import { textTable } from "./text-table.ts";

const glob = (help: string): Option => ({ value: "GLOB", multiple: true, help: `${help}; may be repeated` });

// Operations of one reason, and names of one kind, that text names one by one; --json has all.
const MAX_NAMED = 3;

export const IMPORT_COMMANDS: Command[] = [
  {
    name: "import openapi",
    operands: ["FILE"],
    summary: "make tools of an OpenAPI 3 document in JSON or YAML; - reads it from stdin",
    options: {
      "dry-run": { help: "say what would change and change nothing" },
      api: { value: "NAME", help: "whose tools these are, the same at each import; its title by default" },
      "include-tag": glob("operations with such a tag"),
      "exclude-tag": glob("no operations with such a tag"),
      "include-path": glob("operations of such paths"),
      "exclude-path": glob("no operations of such paths"),
      "include-operation": glob("operations with such an operationId"),
      "exclude-operation": glob("no operations with such an operationId"),
      prefix: { value: "TEXT", help: "put before each tool's name" },
      server: { value: "URL", help: "where requests go, instead of the document's servers" },
      header: { value: "NAME:TEXT", multiple: true, help: "a header of every request; may be repeated" },
      "max-tools": { value: "N", help: "make no more tools than this" },
      deprecated: { help: "import deprecated operations as well" },
      "output-schemas": { help: "declare what the document says of answers; others then fail" },
      "remove-gone": { help: "remove tools of earlier imports that are not in this one" },
    },
    prepare: importDocument,
  },
];

function importDocument(input: Input) {
  const query = toQuery(input);
  const file = input.operands[0] ?? "-";
  return async (server: AdminServer): Promise<Answer> => {
    const document = await readDocument(file);
    const json = await callAdmin(server, "POST", `/imports/openapi?${query.toString()}`, document);
    return { json, text: describeImport(json) };
  };
}

/** Options of the command line as parameters of the call. */
function toQuery(input: Input): URLSearchParams {
  const query = new URLSearchParams();
  for (const kind of ["include", "exclude"]) {
    for (const [what, parameter] of [
      ["tag", "Tags"],
      ["path", "Paths"],
      ["operation", "Operations"],
    ] as const) {
      for (const value of input.options.get(`${kind}-${what}`) ?? []) query.append(`${kind}${parameter}`, value);
    }
  }
  for (const name of ["api", "prefix", "server"]) {
    const value = oneValue(input, name);
    if (value !== undefined) query.append(name, value);
  }
  for (const header of input.options.get("header") ?? []) query.append("headers", header);
  const maxTools = wholeNumber(input, "max-tools");
  if (maxTools !== undefined) query.append("maxTools", String(maxTools));
  if (input.options.has("deprecated")) query.append("deprecated", "true");
  if (input.options.has("output-schemas")) query.append("outputSchemas", "on");
  if (input.options.has("dry-run")) query.append("dryRun", "true");
  if (input.options.has("remove-gone")) query.append("removeGone", "true");
  return query;
}

/** A JSON or YAML file, or stdin for `-`, as the object that it holds. */
async function readDocument(file: string): Promise<JsonObject> {
  const text = readText(file);
  const document = /^\s*\{/.test(text) ? parseJson(file, text) : await parseYaml(file, text);
  if (isObject(document)) return document;
  throw new CliError(`${file}: expected an OpenAPI document, received no object.`);
}

function readText(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    throw new CliError(`${file} can't be read (${error instanceof Error && "code" in error ? error.code : error}).`);
  }
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(`${file}: expected JSON (${error instanceof Error ? error.message : error}).`);
  }
}

/** The parser is loaded only when there is YAML: it is larger than all the rest. */
async function parseYaml(file: string, text: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(text);
  } catch (error) {
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw new CliError(`${file}: expected JSON or YAML (${reason.replace(/:$/, "")}).`);
  }
}

function describeImport(json: JsonObject): string {
  const tools = objectsIn(json["tools"]);
  const gone = namesIn(json["gone"]);
  const removed = namesIn(json["removed"]);
  const conflicts = tools.filter(({ change }) => change === "conflict").map(({ name }) => cell(name));
  const rows = tools.map(({ name, change, operation }) => [cell(name), CHANGES[cell(change)] ?? "", cell(operation)]);
  const blocks = [
    headline(json, tools),
    rows.length > 0 ? textTable(["name", "change", "operation"], rows) : "",
    gone.length > 0 ? `No longer in the document: ${gone.join(", ")}\n--remove-gone removes them.` : "",
    removed.length > 0 ? `Removed: ${removed.join(", ")}` : "",
    conflicts.length > 0 ? `Names of other tools, which stay as they are: ${conflicts.join(", ")}` : "",
    groupText("Skipped operations", objectsIn(json["skipped"]), "reason"),
    groupText("Notes", objectsIn(json["notes"]), "note"),
    secretsText(objectsIn(json["secrets"])),
    lintText(objectsIn(json["warnings"])),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

const CHANGES: Record<string, string> = {
  create: "new",
  update: "changed",
  unchanged: "unchanged",
  conflict: "name is taken",
};

function headline(json: JsonObject, tools: JsonObject[]): string {
  const counts = Object.entries(CHANGES).map(([change, word]) => [
    tools.filter((tool) => tool["change"] === change).length,
    word,
  ]);
  const parts = counts.filter(([count]) => count !== 0).map(([count, word]) => `${count} ${word}`);
  const made = `${cell(json["api"])}: ${countOf(tools.length, "tool")}${parts.length > 0 ? ` (${parts.join(", ")})` : ""}`;
  return json["dryRun"] === true
    ? `${made}. Nothing was changed.`
    : `${made}. Catalogue version ${cell(json["version"])}`;
}

/** One line a reason, with how many operations it has and the first of them. */
function groupText(title: string, entries: JsonObject[], field: string): string {
  const groups = Map.groupBy(entries, (entry) => cell(entry[field]));
  if (groups.size === 0) return "";
  const lines = [...groups].map(([reason, group]) => {
    const names = group.map(({ operation }) => cell(operation)).filter((name) => name !== "");
    const more = names.length > MAX_NAMED ? `, … (${names.length})` : "";
    return names.length === 0 ? `  ${reason}` : `  ${reason}: ${names.slice(0, MAX_NAMED).join(", ")}${more}`;
  });
  return `${title}:\n${lines.join("\n")}`;
}

function secretsText(secrets: JsonObject[]): string {
  if (secrets.length === 0) return "";
  const rows = secrets.map((slot) => [
    cell(slot["name"]),
    cell(slot["expects"]),
    `${cell(slot["in"])} ${cell(slot["field"])}`.trim(),
    slot["set"] === true ? "yes" : "no",
  ]);
  const title = secrets.some((slot) => slot["set"] !== true)
    ? "Set these secrets, where they are not (secrets set NAME):"
    : "Secrets, all of them set:";
  return `${title}\n${textTable(["name", "value", "sent in", "set"], rows).replaceAll(/^/gm, "  ")}`;
}

const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const namesIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(cell) : []);
