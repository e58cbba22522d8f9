import { callAdmin, isObject, type AdminServer, type JsonObject } from "./admin-api.ts";
import { UsageError } from "./cli-error.ts";
import { oneValue, wholeNumber, type Answer, type Command, type Input } from "./command.ts";
import { cell, timeCell } from "./text-cell.ts";
import { textFields, textTable } from "./text-table.ts";

// More pages than any server holds: a cursor that leads in circles must not be followed for ever.
const MAX_PAGES = 1_000;

export const KEYS_COMMANDS: Command[] = [
  {
    name: "keys create",
    operands: [],
    summary: "make a key and print it, this once",
    options: {
      name: { value: "NAME", required: true, help: "what or whom the key is for" },
      "per-minute": { value: "N", help: "tool calls a minute" },
      burst: { value: "N", help: "tool calls at once, with --per-minute" },
      allow: { value: "GLOB", multiple: true, help: "tools it may call, all by default; may be repeated" },
      deny: { value: "GLOB", multiple: true, help: "tools it may not call; may be repeated" },
      scope: { value: "SCOPE", multiple: true, help: "mcp (the default), admin or admin:read; may be repeated" },
      "url-key": { help: "for clients that can't send a header: the key is part of the URL" },
      "expires-at": { value: "TIME", help: "ISO 8601, such as 2027-01-31T00:00:00Z" },
    },
    prepare: createKey,
  },
  { name: "keys list", operands: [], summary: "list the keys", options: {}, prepare: () => listKeys },
  { name: "keys show", operands: ["ID"], summary: "show a key's record", options: {}, prepare: showKey },
  { name: "keys revoke", operands: ["ID"], summary: "end a key for good", options: {}, prepare: revokeKey },
];

function createKey(input: Input) {
  const body = readKeyInput(input);
  return async (server: AdminServer) => describeNewKey(await callAdmin(server, "POST", "/keys", body), server.origin);
}

function describeNewKey(json: JsonObject, origin: string): Answer {
  const { key, ...record } = json;
  const shown = [`Key made. It is shown only this once:\n\n  ${cell(key)}`];
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
    const json = await callAdmin(server, "GET", `/keys/${encodeURIComponent(id)}`);
    return { json, text: textFields(keyFields(json)) };
  };
}

function revokeKey({ operands: [id = ""] }: Input) {
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "DELETE", `/keys/${encodeURIComponent(id)}`);
    return { json, text: `Key ${cell(json["id"])} is ${cell(json["status"])}.` };
  };
}

function readKeyInput(input: Input): JsonObject {
  const { options } = input;
  const body: JsonObject = { name: oneValue(input, "name"), ...readLimits(input) };
  if (options.has("allow") || options.has("deny")) {
    body["tools"] = { allow: options.get("allow") ?? ["*"], deny: options.get("deny") ?? [] };
  }
  if (options.has("scope")) body["scopes"] = options.get("scope");
  if (options.has("url-key")) body["urlKey"] = true;
  const expiresAt = oneValue(input, "expires-at");
  return expiresAt === undefined ? body : { ...body, expiresAt: parseTime(expiresAt) };
}

function readLimits(input: Input): JsonObject {
  const perMinute = wholeNumber(input, "per-minute");
  const burst = wholeNumber(input, "burst");
  if (perMinute !== undefined) {
    return { limits: { perMinute, ...(burst && { burst }) } };
  }
  if (burst === undefined) return {};
  throw new UsageError("keys create: --burst needs --per-minute as well, received none.");
}

function parseTime(text: string): string {
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  const received = JSON.stringify(text);
  throw new UsageError(`--expires-at: expected an ISO 8601 time such as 2027-01-31T00:00:00Z, received ${received}.`);
}

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

function keyFields(key: JsonObject): [string, string][] {
  return [
    ["id", cell(key["id"])],
    ["name", cell(key["name"])],
    ["status", cell(key["status"])],
    ["limits", limitsText(key["limits"])],
    ["tools", toolsText(key["tools"])],
    ["scopes", cell(key["scopes"])],
    ["url key", key["urlKey"] === true ? "yes" : ""],
    ["created", timeCell(key["createdAt"])],
    ["expires", timeCell(key["expiresAt"])],
    ["revoked", timeCell(key["revokedAt"])],
  ];
}

function limitsText(limits: unknown): string {
  if (!isObject(limits)) return "";
  const { perMinute, burst } = limits;
  const parts = [perMinute && `${perMinute} a minute`, burst && `burst ${burst}`];
  return parts.filter(Boolean).join(", ");
}

function toolsText(tools: unknown): string {
  if (!isObject(tools)) return "";
  const allow = cell(tools["allow"]);
  const deny = cell(tools["deny"]);
  return deny === "" ? allow || "*" : `${allow || "*"}; not ${deny}`;
}
