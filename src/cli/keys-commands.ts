import { callAdmin, isObject, type AdminServer, type JsonObject } from "./admin-api.ts";
import { UsageError } from "./cli-error.ts";
import { oneValue, type Answer, type Command, type Input } from "./command.ts";
import { durationText, parseDuration } from "./duration.ts";
import { CHANGE_OPTIONS, CREATE_OPTIONS, readKeyChange, readNewKey } from "./key-options.ts";
import { keyFields } from "./key-text.ts";
import { cell } from "./text-cell.ts";
import { textFields, textTable } from "./text-table.ts";

// More pages than any server holds: a cursor that leads in circles must not be followed for ever.
const MAX_PAGES = 1_000;

export const KEYS_COMMANDS: Command[] = [
  {
    name: "keys create",
    operands: [],
    summary: "make a key and print it, this once",
    options: CREATE_OPTIONS,
    prepare: createKey,
  },
  { name: "keys list", operands: [], summary: "list the keys", options: {}, prepare: () => listKeys },
  { name: "keys show", operands: ["ID"], summary: "show a key's record", options: {}, prepare: showKey },
  {
    name: "keys change",
    operands: ["ID"],
    summary: "change what a key may do; what is not named stays",
    options: CHANGE_OPTIONS,
    prepare: changeKey,
  },
  {
    name: "keys rotate",
    operands: ["ID"],
    summary: "give a key another secret and print it, this once",
    options: {
      overlap: {
        value: "TIME",
        help: "how long the old one works too, such as 90s, 10m or 1h (the default); 0 ends it now",
      },
      "overlap-seconds": { value: "N", help: "the same as a number of seconds" },
    },
    prepare: rotateKey,
  },
  { name: "keys revoke", operands: ["ID"], summary: "end a key for good", options: {}, prepare: revokeKey },
];

function createKey(input: Input) {
  const body = readNewKey(input);
  return async (server: AdminServer) =>
    describeNewKey("Key made.", await callAdmin(server, "POST", "/keys", body), server.origin);
}

function describeNewKey(news: string, json: JsonObject, origin: string): Answer {
  const { key, ...record } = json;
  const shown = [`${news} It is shown only this once:\n\n  ${cell(key)}`];
  if (record["urlKey"] === true) shown.push(`It works only in this URL:\n\n  ${origin}/k/${cell(key)}/mcp`);
  return { json, text: [...shown, textFields(keyFields(record))].join("\n\n") };
}

async function listKeys(server: AdminServer): Promise<Answer> {
  const json = await readAllKeys(server);
  const keys = Array.isArray(json["keys"]) ? json["keys"].filter(isObject) : [];
  if (keys.length === 0) return { json, text: "No keys yet. Make one with:  keys create --name NAME" };
  const rows = keys.map((key) => keyFields(key).map(([, value]) => value));
  return {
    json,
    text: textTable(
      keyFields({}).map(([title]) => title),
      rows,
    ),
  };
}

function showKey({ operands: [id = ""] }: Input) {
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "GET", keyPath(id));
    return { json, text: textFields(keyFields(json)) };
  };
}

function changeKey(input: Input) {
  const {
    operands: [id = ""],
  } = input;
  const body = readKeyChange(input);
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "PATCH", keyPath(id), body);
    return { json, text: textFields(keyFields(json)) };
  };
}

function rotateKey(input: Input) {
  const {
    operands: [id = ""],
  } = input;
  const overlapSeconds = readOverlap(input);
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "POST", `${keyPath(id)}/rotate`, { overlapSeconds });
    const { text } = describeNewKey("Secret made.", json, server.origin);
    return { json, text: `${text}\n\n${overlapText(overlapSeconds, json["previousEndsAt"])}` };
  };
}

function overlapText(seconds: number, endsAt: unknown): string {
  if (typeof endsAt !== "string") return "Earlier secrets have ended.";
  return `The old secret works for ${durationText(seconds)} more, until ${cell(endsAt)}.`;
}

function readOverlap(input: Input): number {
  const [overlap, text] = [oneValue(input, "overlap"), oneValue(input, "overlap-seconds")];
  if (overlap !== undefined && text !== undefined) {
    throw new UsageError("keys rotate: expected --overlap or --overlap-seconds, received both.");
  }
  if (text === undefined) {
    const seconds = parseDuration(overlap ?? "1h");
    if (seconds !== undefined) return seconds;
    throw new UsageError(
      `--overlap: expected a time such as 90s, 10m or 1h, or 0, received ${JSON.stringify(overlap)}.`,
    );
  }
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`--overlap-seconds: expected a whole number of at least 0, received ${JSON.stringify(text)}.`);
}

function revokeKey({ operands: [id = ""] }: Input) {
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "DELETE", keyPath(id));
    return { json, text: `Key ${cell(json["id"])} is ${cell(json["status"])}.` };
  };
}

const keyPath = (id: string): string => `/keys/${encodeURIComponent(id)}`;

async function readAllKeys(server: AdminServer): Promise<JsonObject> {
  let page = await callAdmin(server, "GET", "/keys");
  const keys = keysOf(page);
  for (let pages = 1; typeof page["nextCursor"] === "string" && pages < MAX_PAGES; pages++) {
    page = await callAdmin(server, "GET", `/keys?cursor=${encodeURIComponent(page["nextCursor"])}`);
    keys.push(...keysOf(page));
  }
  return { ...page, keys };
}

function keysOf(page: JsonObject): unknown[] {
  return Array.isArray(page["keys"]) ? page["keys"] : [];
}
