// The catalogue as a file: its tools that came as data, whole, and which tools of the code are disabled. Upstreams' tools are
// those upstreams'.

import { writeFileSync } from "node:fs";
import { callAdmin, isObject, type AdminServer, type JsonObject } from "./admin-api.ts";
import { CliError } from "./cli-error.ts";
import type { Answer, Command, Input } from "./command.ts";
import { countOf } from "./count-of.ts";
import { checkNewFile, FORCE } from "./new-file.ts";
import { readJsonFile } from "./record-file.ts";
import { toRecord, warningLines } from "./tool-record-commands.ts";
import { cell } from "./text-cell.ts";

// Below what one request of the admin API may have.
const MAX_CHANGES = 500;
const MAX_CHARS = 500_000;

export const CATALOGUE_COMMANDS: Command[] = [
  {
    name: "tools save",
    operands: ["FILE"],
    summary: "write the records of all tools that came as data, modules included, and what is disabled to a file",
    options: FORCE,
    prepare: saveTools,
  },
  {
    name: "tools restore",
    operands: ["FILE"],
    summary: "put what tools save wrote; other tools stay",
    options: {},
    prepare: restoreTools,
  },
];

function saveTools(input: Input) {
  const [file = ""] = input.operands;
  checkNewFile("tools save", file, input);
  return async (server: AdminServer): Promise<Answer> => {
    const { tools, version } = await callAdmin(server, "GET", "/tools");
    const changes: JsonObject[] = [];
    for (const tool of objectsIn(tools)) changes.push(...(await toChange(server, tool)));
    writeFileSync(file, `${JSON.stringify({ changes }, undefined, 2)}\n`, { mode: 0o600 });
    return { json: { file, version, tools: changes.length }, text: `${describe(changes)} in ${file}` };
  };
}

async function toChange(server: AdminServer, tool: JsonObject): Promise<JsonObject[]> {
  const { name, enabled, source } = tool;
  const kind = isObject(source) ? source["kind"] : undefined;
  if (kind === "builtin") return enabled === false ? [{ op: "patch", name, patch: { enabled } }] : [];
  if (kind === "http") return [{ op: "put", name, record: toRecord(tool) }];
  // Lists have code tools without their modules.
  if (kind !== "code") return [];
  return [
    { op: "put", name, record: toRecord(await callAdmin(server, "GET", `/tools/${encodeURIComponent(cell(name))}`)) },
  ];
}

function restoreTools(input: Input) {
  const [file = ""] = input.operands;
  const saved = readJsonFile(file);
  const changes = isObject(saved) ? objectsIn(saved["changes"]) : [];
  if (changes.length === 0) throw new CliError(`${file}: expected what tools save writes, received no changes.`);
  return async (server: AdminServer): Promise<Answer> => {
    const answers: JsonObject[] = [];
    for (const part of inParts(changes)) answers.push(await callAdmin(server, "POST", "/tools", { changes: part }));
    const version = answers.at(-1)?.["version"];
    const warnings = answers.flatMap((answer) => objectsIn(answer["warnings"]));
    const lines = [`${describe(changes)} put. Catalogue version ${cell(version)}`, ...warningLines({ warnings }, true)];
    return { json: { version, warnings }, text: lines.join("\n") };
  };
}

/** As many changes at once as a request may have: each part is one version, all or none of it. */
function inParts(changes: readonly JsonObject[]): JsonObject[][] {
  const parts: JsonObject[][] = [];
  let chars = Infinity;
  for (const change of changes) {
    const length = JSON.stringify(change).length;
    if (chars + length > MAX_CHARS || (parts.at(-1)?.length ?? 0) >= MAX_CHANGES) {
      parts.push([]);
      chars = 0;
    }
    parts.at(-1)?.push(change);
    chars += length;
  }
  return parts;
}

function describe(changes: readonly JsonObject[]): string {
  const records = changes.filter(({ op }) => op === "put").length;
  const others = changes.length - records;
  const disabled = others > 0 ? ` and ${countOf(others, "disabled tool")} of the code` : "";
  return `${countOf(records, "record")}${disabled}`;
}

const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
