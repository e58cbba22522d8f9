// Tools that come as data: put, deleted, and what they were before.

import { callAdmin, isObject, type AdminServer, type JsonObject } from "./admin-api.ts";
import { UsageError } from "./cli-error.ts";
import { oneValue, wholeNumber, type Answer, type Command, type Input } from "./command.ts";
import { readRecordText } from "./record-file.ts";
import { cell, timeCell } from "./text-cell.ts";
import { textTable } from "./text-table.ts";

const IF_VERSION = { "if-version": { value: "N", help: "only when the catalogue is at this version still" } };

export const TOOL_RECORD_COMMANDS: Command[] = [
  {
    name: "tools put",
    operands: ["NAME", "FILE"],
    summary: "make or replace a tool from its record, a JSON file (- for standard input)",
    options: {
      module: { value: "FILE", help: "the module of a code tool, a JavaScript file" },
      "dry-run": { help: "check the record, say what would change, and store nothing" },
      ...IF_VERSION,
    },
    prepare: putTool,
  },
  {
    name: "tools delete",
    operands: ["NAME"],
    summary: "delete a tool that was put",
    options: IF_VERSION,
    prepare: deleteTool,
  },
  {
    name: "tools history",
    operands: ["NAME"],
    summary: "list the versions of a tool and who made them",
    options: { version: { value: "N", help: "print that version's record alone, such as tools put takes it" } },
    prepare: showHistory,
  },
];

function putTool(input: Input) {
  const [name = "", file = ""] = input.operands;
  const record = readRecordText(file, oneValue(input, "module"));
  const headers = ifMatch(input);
  if (input.options.has("dry-run")) {
    if (!input.options.has("if-version")) return (server: AdminServer) => checkPut(server, name, record);
    throw new UsageError("tools put: expected --dry-run or --if-version, received both.");
  }
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "PUT", toolPath(name), record, headers);
    const state = json["unchanged"] === true ? "unchanged" : "in the catalogue";
    const lines = [
      `${name} is ${state}${disabledText(json, record)}. Version ${cell(json["version"])}`,
      ...warningLines(json),
    ];
    return { json, text: lines.join("\n") };
  };
}

/** What putting the record would come to. */
async function checkPut(server: AdminServer, name: string, record: string): Promise<Answer> {
  const json = await callAdmin(server, "PUT", `${toolPath(name)}?dryRun=true`, record);
  const faults = Array.isArray(json["faults"]) ? json["faults"].filter(isObject) : [];
  const failed = faults.length > 0;
  const lines = [
    `${name} ${failed ? "would be refused" : changeText(json) + disabledText(json, record)}. Nothing was stored.`,
    ...faults.map(({ path, message }) => `  ${cell(path)}: ${cell(message)}`),
    ...warningLines(json),
  ];
  return { json, text: lines.join("\n"), failed };
}

function changeText({ change, changed }: JsonObject): string {
  if (change === "create") return "would be new";
  const fields = cell(changed);
  return fields === "" ? "would stay as it is" : `would change: ${fields}`;
}

/** That a tool is not served, and who wants it so: the record, or who disabled it before. */
function disabledText({ enabled }: JsonObject, record: string): string {
  if (enabled !== false) return "";
  const sent: unknown = JSON.parse(record);
  return isObject(sent) && sent["enabled"] === false ? "; disabled, as the record says" : "; disabled, as it was";
}

/** What is not right about tools that are put, and for whom. */
export function warningLines({ warnings }: JsonObject, namesTools = false): string[] {
  const told = Array.isArray(warnings) ? warnings.filter(isObject) : [];
  const shown = told.filter(({ level }) => level !== "info");
  const notes = told.length - shown.length;
  return [
    ...shown.map(({ tool, client, path, message }) => {
      const of = namesTools ? `${cell(tool)}: ` : "";
      return `  ${of}${cell(client)} ${cell(path)}: ${cell(message)}`;
    }),
    ...(notes > 0 ? [`Notes, which --json shows: ${notes}.`] : []),
  ];
}

function deleteTool(input: Input) {
  const [name = ""] = input.operands;
  const headers = ifMatch(input);
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "DELETE", toolPath(name), undefined, headers);
    return { json, text: `${name} is deleted. Catalogue version ${cell(json["version"])}` };
  };
}

function showHistory(input: Input) {
  const [name = ""] = input.operands;
  const version = wholeNumber(input, "version");
  if (version !== undefined) return (server: AdminServer) => showVersion(server, name, version);
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "GET", `${toolPath(name)}/history`);
    const versions = Array.isArray(json["versions"]) ? json["versions"].filter(isObject) : [];
    if (versions.length === 0) return { json, text: `${name} is as it is in the server's code.` };
    const rows = versions.map(({ version, at, who, tool }) => [
      cell(version),
      timeCell(at),
      cell(who),
      isObject(tool) ? describe(tool) : "deleted",
    ]);
    return { json, text: textTable(["version", "at", "by", "tool"], rows) };
  };
}

/** A version as a record that can be put again. */
async function showVersion(server: AdminServer, name: string, version: number): Promise<Answer> {
  const json = await callAdmin(server, "GET", `${toolPath(name)}/history/${version}`);
  if (!isObject(json["tool"])) return { json, text: `${name} was deleted with version ${version}.` };
  return { json, text: JSON.stringify(toRecord(json["tool"]), undefined, 2) };
}

/** What the API tells of a tool as a record that it takes. */
export function toRecord(tool: JsonObject): JsonObject {
  const { name: _, version: __, source, ...rest } = tool;
  if (!isObject(source)) return rest;
  const { hash: ___, ...sent } = source;
  return { ...rest, source: sent };
}

/** What was decided about a tool, and the tool itself where it came as data. */
function describe({ enabled, source, title, description, annotations, cost }: JsonObject): string {
  if (!isObject(source)) {
    const hints = isObject(annotations) ? [`annotated ${Object.keys(annotations).join(" ")}`] : [];
    const costs = cost === undefined ? [] : [`cost ${cell(cost)}`];
    return [enabled === false ? "disabled" : "enabled", ...hints, ...costs].join(", ");
  }
  const text = `${cell(source["kind"])}: ${cell(title) || cell(description)}`;
  return `${enabled === false ? "disabled, " : ""}${text}`.slice(0, 80);
}

function ifMatch(input: Input): Record<string, string> {
  const version = wholeNumber(input, "if-version");
  return version === undefined ? {} : { "if-match": `"${version}"` };
}

const toolPath = (name: string): string => `/tools/${encodeURIComponent(name)}`;
