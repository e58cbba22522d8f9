import { callAdmin, isObject, type AdminServer, type JsonObject } from "./admin-api.ts";
import { oneValue, type Answer, type Command, type Input } from "./command.ts";
import { countOf } from "./count-of.ts";
import { cell, timeCell } from "./text-cell.ts";
import { textTable } from "./text-table.ts";

export const SESSIONS_COMMANDS: Command[] = [
  {
    name: "sessions list",
    operands: [],
    summary: "list who is connected; who has initialized or subscribed hears of changes",
    options: { key: { value: "ID", help: "of one key alone" } },
    prepare: listSessions,
  },
];

function listSessions(input: Input) {
  const key = oneValue(input, "key");
  const path = key === undefined ? "/sessions" : `/sessions?key=${encodeURIComponent(key)}`;
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "GET", path);
    return { json, text: describe(json) };
  };
}

function describe(json: JsonObject): string {
  const [sessions, hubs] = [listOf(json["sessions"]), listOf(json["hubs"])];
  const lost = hubs.filter(({ reached }) => reached !== true).map(({ hub }) => `${cell(hub)} could not be reached.`);
  const total = Number(json["total"]);
  const more = total > sessions.length ? [`${countOf(total - sessions.length, "more is", "more are")} not shown.`] : [];
  const notes = [...more, ...lost];
  if (sessions.length === 0) return ["Nobody is connected.", ...lost].join("\n");
  const rows = sessions.map(({ kind, revision, client, keyId, hub, openedAt }) => [
    cell(kind),
    revision === undefined ? "not initialized" : cell(revision),
    isObject(client) ? `${cell(client["name"])} ${cell(client["version"])}` : "",
    cell(keyId),
    cell(hub),
    timeCell(openedAt),
  ]);
  const table = textTable(["kind", "revision", "client", "key", "hub", "since"], rows);
  return [table, ...(notes.length > 0 ? [notes.join("\n")] : [])].join("\n\n");
}

const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
