import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { callAdmin, isObject, openLines, type AdminServer, type JsonObject } from "./admin-api.ts";
import { CliError, UsageError } from "./cli-error.ts";
import { oneValue, wholeNumber, type Answer, type Command, type Input } from "./command.ts";
import { countOf } from "./count-of.ts";
import { checkNewFile, FORCE } from "./new-file.ts";
import { cell } from "./text-cell.ts";
import { textTable } from "./text-table.ts";
import { checkRows, linkOf, parseChain, type Chain, type ChainLink } from "./verify-chain.ts";

// More pages than any server holds: a cursor that leads in circles must not be followed for ever.
const MAX_PAGES = 100_000;
const PAGE_ROWS = 500;

const FILTERS = {
  kind: { value: "KIND", help: "call or admin, both by default" },
  key: { value: "ID", help: "of this key" },
  tool: { value: "NAME", help: "of this tool" },
  outcome: {
    value: "OUTCOME",
    help: "such as ok, tool_error, limited, changed; a wrong one is answered with the list",
  },
  since: { value: "TIME", help: "at this time or later: ISO 8601, such as 2026-01-31T00:00:00Z" },
  until: { value: "TIME", help: "before this time" },
};

export const AUDIT_COMMANDS: Command[] = [
  {
    name: "audit",
    operands: [],
    summary: "show the newest tool calls and admin actions",
    options: {
      ...FILTERS,
      limit: { value: "N", help: "rows, 100 by default, 500 at most" },
      cursor: { value: "CURSOR", help: "go on where an earlier answer left off" },
    },
    prepare: showAudit,
  },
  {
    name: "audit export",
    operands: ["FILE"],
    summary: "write the whole trail to a file, a JSON object a line",
    options: { ...FILTERS, ...FORCE },
    prepare: exportAudit,
  },
  {
    name: "audit verify",
    operands: [],
    summary: "check that no admin action was changed, taken out or moved",
    options: { expect: { value: "SEQ:HASH", help: "a row that an earlier check told, which must still be there" } },
    prepare: verifyAudit,
  },
];

function showAudit(input: Input) {
  const limit = wholeNumber(input, "limit");
  const query = queryOf(input, { ...(limit !== undefined && { limit: String(limit) }) });
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "GET", `/audit${query}`);
    const rows = rowsOf(json);
    const table = rows.length === 0 ? "Nothing yet." : textTable(HEADING, rows.map(cellsOf));
    const more = typeof json["nextCursor"] === "string" ? `More with:  --cursor ${json["nextCursor"]}` : "";
    return { json, text: [table, lostText(json["lost"]), more].filter((text) => text !== "").join("\n\n") };
  };
}

const HEADING = ["time", "who", "what", "outcome", "took", "by", "client"];

function cellsOf(row: JsonObject): string[] {
  const time = cell(row["at"]).replace("T", " ").replace(/Z$/, "");
  if (row["kind"] === "admin") {
    return [time, cell(row["who"]), describeAction(row), cell(row["outcome"]), "", "", ""];
  }
  const client = isObject(row["client"]) ? `${cell(row["client"]["name"])} ${cell(row["client"]["version"])}` : "";
  const took = `${cell(row["durationMs"])} ms`;
  return [time, cell(row["key"]), cell(row["tool"]), cell(row["outcome"]), took, cell(row["transport"]), client];
}

/** What may be said of an action's detail besides whether something is enabled: that it was about this, not what it was. */
const TOUCHED: Record<string, string[]> = {
  "tool.change": ["cost", "annotations"],
  "key.change": ["name", "tools", "limits", "expiresAt", "scopes", "discovery"],
};

/** Such as `tool.change tone: disabled, cost`. */
function describeAction({ action, target, detail }: JsonObject): string {
  const what = `${cell(action)} ${cell(target)}`.trimEnd();
  if (!isObject(detail)) return what;
  const { enabled } = detail;
  const state = typeof enabled === "boolean" ? [enabled ? "enabled" : "disabled"] : [];
  const touched = (TOUCHED[cell(action)] ?? []).filter((name) => Object.hasOwn(detail, name));
  const words = [...state, ...touched];
  return words.length > 0 ? `${what}: ${words.join(", ")}` : what;
}

function exportAudit(input: Input) {
  const query = queryOf(input, { format: "ndjson" });
  const {
    operands: [file = ""],
  } = input;
  for (const written of [file, `${file}.part`]) checkNewFile("audit export", written, input);
  return async (server: AdminServer): Promise<Answer> => {
    const part = `${file}.part`;
    const told: Told = { rows: 0, lost: undefined };
    try {
      await pipeline(exportLines(server, query, told), createWriteStream(part, { mode: 0o600 }));
      await rename(part, file);
    } catch (error) {
      await rm(part, { force: true });
      throw error instanceof CliError ? error : new CliError(`${file}: ${describe(error)}`);
    }
    const text = [`${countOf(told.rows, "row")} in ${file}`, lostText(told.lost)]
      .filter((line) => line !== "")
      .join("\n");
    return { json: { file, rows: told.rows, lost: told.lost }, text };
  };
}

/** What an export has come to so far. */
interface Told {
  rows: number;
  lost: unknown;
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Every row as a line. The server answers with so many at a time, and each answer says by its last line that it is whole. */
async function* exportLines(server: AdminServer, query: string, told: Told): AsyncGenerator<string> {
  let cursor: string | undefined = "";
  for (let answers = 0; cursor !== undefined && answers < MAX_PAGES; answers++) {
    const body = await openLines(server, `/audit${query}${cursor}`);
    let end: JsonObject | undefined;
    for await (const line of createInterface({ input: Readable.fromWeb(body), crlfDelay: Infinity })) {
      const row: unknown = JSON.parse(line);
      if (isObject(row) && row["kind"] === "end") end = row;
      else {
        told.rows++;
        yield `${line}\n`;
      }
    }
    if (!end) throw new CliError("The export broke off before its end. Try again.");
    told.lost = end["lost"];
    cursor = typeof end["nextCursor"] === "string" ? `&cursor=${encodeURIComponent(end["nextCursor"])}` : undefined;
  }
}

function verifyAudit(input: Input) {
  const expected = parseExpected(oneValue(input, "expect"));
  return async (server: AdminServer): Promise<Answer> => {
    const { rows, chain } = await readChain(server);
    const fault = checkRows(rows, chain) ?? checkExpected(rows, chain, expected);
    if (fault !== undefined) throw new CliError(`The chain of admin actions is broken: ${fault}.`);
    const { anchor, head } = chain;
    const from =
      anchor.seq === 0 ? "from the first on" : `from ${anchor.seq + 1} on, older ones being gone by age or number`;
    return {
      json: { ok: true, rows: rows.length, anchor, head },
      text: `${countOf(rows.length, "admin action")}, unbroken ${from}.\nKeep this to check against later:  --expect ${head.seq}:${head.hash}`,
    };
  };
}

/** All admin actions, newest first. Rows that are added meanwhile are not among them; old ones may go meanwhile. */
async function readChain(server: AdminServer): Promise<{ rows: JsonObject[]; chain: Chain }> {
  const rows: JsonObject[] = [];
  let head: ChainLink | undefined;
  let cursor = "";
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await callAdmin(server, "GET", `/audit?kind=admin&limit=${PAGE_ROWS}${cursor}`);
    const chain = parseChain(page["chain"]);
    if (!chain) throw new CliError("The answer has no chain to check. Is this server older than this command?");
    head ??= chain.head;
    rows.push(...rowsOf(page));
    if (typeof page["nextCursor"] !== "string") {
      const kept = rows.filter((row) => linkOf(row).seq > chain.anchor.seq);
      return { rows: kept, chain: { anchor: chain.anchor, head } };
    }
    cursor = `&cursor=${encodeURIComponent(page["nextCursor"])}`;
  }
  throw new CliError("The chain has no end: the server gave more pages than it can hold.");
}

function checkExpected(
  rows: readonly JsonObject[],
  { anchor }: Chain,
  expected: ChainLink | undefined,
): string | undefined {
  if (!expected || expected.seq < anchor.seq) return undefined;
  const found = [anchor, ...rows.map(linkOf)].find(({ seq }) => seq === expected.seq);
  if (!found) return `row ${expected.seq}, which --expect names, is not there`;
  return found.hash === expected.hash ? undefined : `row ${expected.seq} is not the one that --expect names`;
}

function parseExpected(text: string | undefined): ChainLink | undefined {
  if (text === undefined) return undefined;
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (hash !== undefined) return { seq: Number(seq), hash };
  throw new UsageError(`--expect: expected SEQ:HASH as audit verify prints it, received ${JSON.stringify(text)}.`);
}

function queryOf(input: Input, more: Record<string, string>): string {
  const given = [...Object.keys(FILTERS), "cursor"].flatMap((name): [string, string][] => {
    const value = oneValue(input, name);
    return value === undefined ? [] : [[name, value]];
  });
  const query = new URLSearchParams([...given, ...Object.entries(more)]).toString();
  return query === "" ? "" : `?${query}`;
}

const rowsOf = ({ rows }: JsonObject): JsonObject[] => (Array.isArray(rows) ? rows.filter(isObject) : []);

const LOST: Record<string, string> = {
  full: "because an isolate held too many",
  refused: "for refused calls beyond those that get one",
  unsent: "that no log took in time",
  queue: "that the queue did not take",
  trimmed: "to stay within the logs' size",
};

/** What the trail does not have, and why. */
export function lostText(lost: unknown): string {
  if (!isObject(lost)) return "";
  const counted = Object.entries(LOST).filter(([reason]) => Number(lost[reason]) > 0);
  return counted.map(([reason, why]) => `Rows lost ${why}: ${cell(lost[reason])}`).join("\n");
}
