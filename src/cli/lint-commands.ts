import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { callAdminForList, isObject, type AdminServer, type JsonObject } from "./admin-api.ts";
import { CliError, UsageError } from "./cli-error.ts";
import { oneValue, type Answer, type Command, type Input } from "./command.ts";

const CLIENTS = ["claude", "openai", "gemini", "cursor", "vscode"];

export const LINT_COMMANDS: Command[] = [
  {
    name: "tools lint",
    operands: ["[NAME]"],
    summary: "say what clients make of a tool, of a file or of the whole catalogue; exit code 1 when one refuses it",
    options: {
      file: {
        value: "FILE",
        help: "lint a record, a definition, or a list of them, from a JSON file (- for standard input); what has no name is called by NAME, or else by the file's",
      },
      client: { value: "CLIENT", help: `only what matters to ${CLIENTS.join(", ")}` },
    },
    prepare: lintTools,
  },
];

interface Verdict {
  client: string;
  path: string;
  rule: string;
  level: string;
  message: string;
  tool: string;
}

function lintTools(input: Input) {
  const [name] = input.operands;
  const [file, client] = [oneValue(input, "file"), oneValue(input, "client")];
  if (client !== undefined && !CLIENTS.includes(client)) {
    throw new UsageError(`--client: expected ${CLIENTS.join(", ")}, received ${JSON.stringify(client)}.`);
  }
  const { body, notes } = file === undefined ? { body: undefined, notes: [] } : nameAll(readJson(file), file, name);
  const path = name === undefined ? "/lint" : `/tools/${encodeURIComponent(name)}/lint`;
  return async (server: AdminServer): Promise<Answer> => {
    const json = (await callAdminForList(server, "POST", path, body)).filter((verdict) => concerns(verdict, client));
    const called = name ?? (isObject(body) ? textOf(body["name"]) : "");
    const verdicts = json.filter(isObject).map((verdict) => toVerdict(verdict, called));
    return {
      json,
      text: [...notes, toText(verdicts)].join("\n\n"),
      failed: verdicts.some(({ level }) => level === "error"),
    };
  };
}

const concerns = (verdict: unknown, client: string | undefined): boolean =>
  client === undefined || !isObject(verdict) || verdict["client"] === "all" || verdict["client"] === client;

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file === "-" ? 0 : file, "utf8"));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "it is no JSON" : error instanceof Error ? error.message : "";
    throw new CliError(`${file} can't be read: ${reason}`);
  }
}

/** A record has no name until it is put: those of a file are given one, which is told. */
function nameAll(value: unknown, file: string, name: string | undefined): { body: unknown; notes: string[] } {
  const stem = basename(file === "-" ? "tool" : file).replace(/\.[^.]*$/, "");
  const base = stem.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_BASE_CHARS) || "tool";
  if (name !== undefined || !(Array.isArray(value) ? value : [value]).some(isNameless))
    return { body: value, notes: [] };
  if (!Array.isArray(value)) {
    const note = `Linted as ${base}, after its file. Give another name with:  tools lint NAME --file FILE`;
    return { body: { name: base, ...(value as JsonObject) }, notes: [note] };
  }
  const items = value.map((item: unknown, index) =>
    isNameless(item) ? { name: `${base}_${index + 1}`, ...item } : item,
  );
  return { body: items, notes: [`What has no name is linted as ${base}_N, after its file and its place there.`] };
}

const isNameless = (item: unknown): item is JsonObject => isObject(item) && item["name"] === undefined;

/** Leaves room for a number within a name's 64 characters. */
const MAX_BASE_CHARS = 58;

const toVerdict = (verdict: Record<string, unknown>, name: string): Verdict => ({
  client: textOf(verdict["client"]),
  path: textOf(verdict["path"]),
  rule: textOf(verdict["rule"]),
  level: textOf(verdict["level"]),
  message: textOf(verdict["message"]),
  tool: textOf(verdict["tool"]) || name,
});

/** A block for each tool, the list's own first; notes are counted, as they are for reading once. */
function toText(verdicts: Verdict[]): string {
  const tools = [...new Set(verdicts.map(({ tool }) => tool))];
  const blocks = tools.map((tool) =>
    toBlock(
      tool,
      verdicts.filter((verdict) => verdict.tool === tool),
    ),
  );
  return [...blocks.filter((block) => block !== ""), summaryOf(verdicts)].join("\n\n");
}

function toBlock(tool: string, verdicts: Verdict[]): string {
  const shown = verdicts.filter(({ level }) => level !== "info");
  if (shown.length === 0) return "";
  const lines = shown.map(
    ({ client, path, rule, level, message }) =>
      `  ${level.padEnd(7)}  ${client.padEnd(6)}  ${path || "(all)"} (${rule})\n${" ".repeat(19)}${message}`,
  );
  return [...(tool === "" ? [] : [tool]), ...lines].join("\n");
}

function summaryOf(verdicts: Verdict[]): string {
  const count = (level: string): number => verdicts.filter((verdict) => verdict.level === level).length;
  const notes = count("info") === 0 ? "" : ` Notes, which --json shows: ${count("info")}.`;
  return `Errors: ${count("error")}. Warnings: ${count("warning")}.${notes}`;
}

// Nothing that comes from a definition may move the terminal's cursor.
const textOf = (value: unknown): string =>
  typeof value === "string" ? value.replaceAll(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "\uFFFD") : "";
