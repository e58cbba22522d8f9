// Tools that come as data: put, deleted, and what they were before.

import { readFileSync } from "node:fs";
import { callAdmin, isObject, type AdminServer } from "./admin-api.ts";
import { CliError } from "./cli-error.ts";
import { wholeNumber, type Answer, type Command, type Input } from "./command.ts";
import { cell, timeCell } from "./text-cell.ts";
import { textTable } from "./text-table.ts";

const IF_VERSION = { "if-version": { value: "N", help: "only when the catalogue is at this version still" } };

export const TOOL_RECORD_COMMANDS: Command[] = [
  {
    name: "tools put",
    operands: ["NAME", "FILE"],
    summary: "make or replace a tool from its record, a JSON file (- for standard input)",
    options: IF_VERSION,
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
    options: {},
    prepare: showHistory,
  },
];

function putTool(input: Input) {
  const [name = "", file = ""] = input.operands;
  const record = readJsonText(file);
  const headers = ifMatch(input);
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "PUT", toolPath(name), record, headers);
    const warnings = Array.isArray(json["warnings"]) ? json["warnings"].filter(isObject) : [];
    const lines = warnings.map(({ client, path, message }) => `  ${cell(client)} ${cell(path)}: ${cell(message)}`);
    const text = [`${name} is in the catalogue. Version ${cell(json["version"])}`, ...lines].join("\n");
    return { json, text };
  };
}

function deleteTool(input: Input) {
  const [name = ""] = input.operands;
  const headers = ifMatch(input);
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "DELETE", toolPath(name), undefined, headers);
    return { json, text: `${name} is deleted. Catalogue version ${cell(json["version"])}` };
  };
}

function showHistory({ operands: [name = ""] }: Input) {
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

function describe({ enabled, source, title, description }: Record<string, unknown>): string {
  const kind = isObject(source) ? `${cell(source["kind"])}: ` : "";
  return `${enabled === false ? "disabled, " : ""}${kind}${cell(title) || cell(description)}`.slice(0, 80);
}

function readJsonText(file: string): string {
  let text: string;
  try {
    text = readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new CliError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    throw new CliError(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function ifMatch(input: Input): Record<string, string> {
  const version = wholeNumber(input, "if-version");
  return version === undefined ? {} : { "if-match": `"${version}"` };
}

const toolPath = (name: string): string => `/tools/${encodeURIComponent(name)}`;
