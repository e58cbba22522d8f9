import { callAdmin, isObject, type AdminServer, type JsonObject } from "./admin-api.ts";
import { lostText } from "./audit-commands.ts";
import { oneValue, type Answer, type Command, type Input } from "./command.ts";
import { cell } from "./text-cell.ts";
import { textTable } from "./text-table.ts";

export const STATS_COMMANDS: Command[] = [
  {
    name: "stats",
    operands: [],
    summary: "count calls, errors, denials and latency of the last hour",
    options: {
      window: { value: "WINDOW", help: "hour (the default) or day" },
      key: { value: "ID", help: "of this key alone" },
      tool: { value: "NAME", help: "of this tool alone" },
    },
    prepare: showStats,
  },
];

function showStats(input: Input) {
  const given = ["window", "key", "tool"].flatMap((name): [string, string][] => {
    const value = oneValue(input, name);
    return value === undefined ? [] : [[name, value]];
  });
  const query = given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "GET", `/stats${query}`);
    const total = isObject(json["total"]) ? [["all", ...numbersOf(json["total"])]] : [];
    const blocks = [
      textTable(["", ...NUMBERS], total),
      ...(["tool", "key"] as const).map((name) => tableOf(name, json[`${name}s`])),
      lostText(json["lost"]),
    ];
    return { json, text: blocks.filter((block) => block !== "").join("\n\n") };
  };
}

const NUMBERS = ["calls", "errors", "denied", "p50", "p90", "p99"];

function tableOf(name: "tool" | "key", items: unknown): string {
  const rows = Array.isArray(items) ? items.filter(isObject) : [];
  if (rows.length === 0) return "";
  return textTable(
    [name, ...NUMBERS],
    rows.map((row) => [cell(row[name]), ...numbersOf(row)]),
  );
}

function numbersOf(stats: JsonObject): string[] {
  const latency = isObject(stats["latencyMs"]) ? stats["latencyMs"] : {};
  const quantiles = ["p50", "p90", "p99"].map((name) => latencyText(latency[name]));
  return [cell(stats["calls"]), cell(stats["errors"]), cell(stats["denied"]), ...quantiles];
}

/** A bucket's upper bound. */
const latencyText = (value: unknown): string => (typeof value === "number" ? `≤ ${value} ms` : "");
