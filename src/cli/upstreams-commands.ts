// Other MCP servers whose tools are served: added, listed, refreshed, removed.

import { callAdmin, isObject, type AdminServer, type JsonObject } from "./admin-api.ts";
import { UsageError } from "./cli-error.ts";
import { wholeNumber, type Answer, type Command, type Input } from "./command.ts";
import { countOf } from "./count-of.ts";
import { lintText } from "./lint-text.ts";
import { cell, timeCell } from "./text-cell.ts";
import { textTable } from "./text-table.ts";

export const UPSTREAMS_COMMANDS: Command[] = [
  {
    name: "upstreams add",
    operands: ["NAME", "URL"],
    summary: "serve the tools of an MCP server (Streamable HTTP) as NAME_tool, or replace what was said of it",
    options: {
      header: {
        value: "NAME:TEXT",
        multiple: true,
        help: "sent with every request, such as 'authorization: Bearer {{secret:TOKEN}}'; may be repeated",
      },
      include: { value: "GLOB", multiple: true, help: "only tools with such a name; may be repeated" },
      exclude: { value: "GLOB", multiple: true, help: "no tools with such a name; may be repeated" },
      "timeout-ms": { value: "N", help: "how long a call may take" },
      "trace-context": { help: "tell it in traceparent which trace a call is part of" },
      off: { help: "keep it, but serve none of its tools" },
    },
    prepare: addUpstream,
  },
  {
    name: "upstreams list",
    operands: [],
    summary: "list upstreams and how they are",
    options: {},
    prepare: () => listUpstreams,
  },
  {
    name: "upstreams refresh",
    operands: ["NAME"],
    summary: "list an upstream's tools now, and say which are not served and why",
    options: {},
    prepare: refreshUpstream,
  },
  {
    name: "upstreams remove",
    operands: ["NAME"],
    summary: "take an upstream away, and all its tools",
    options: {},
    prepare: removeUpstream,
  },
];

function addUpstream(input: Input) {
  const [name = "", url = ""] = input.operands;
  const record = toRecord(input, url);
  return async (server: AdminServer): Promise<Answer> =>
    describeUpstream(await callAdmin(server, "PUT", upstreamPath(name), record), true);
}

function toRecord(input: Input, url: string): JsonObject {
  const { options } = input;
  const timeoutMs = wholeNumber(input, "timeout-ms");
  return {
    url,
    ...(options.has("header") && { headers: Object.fromEntries((options.get("header") ?? []).map(splitHeader)) }),
    ...(options.has("include") && { include: options.get("include") }),
    ...(options.has("exclude") && { exclude: options.get("exclude") }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(options.has("trace-context") && { traceContext: true }),
    ...(options.has("off") && { enabled: false }),
  };
}

function splitHeader(line: string): [name: string, value: string] {
  const at = line.indexOf(":");
  if (at > 0) return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  // The value may be a secret that was meant to be stored.
  throw new UsageError("upstreams add: expected --header NAME:TEXT, received none with a colon.");
}

async function listUpstreams(server: AdminServer): Promise<Answer> {
  const json = await callAdmin(server, "GET", "/upstreams");
  const upstreams = objectsIn(json["upstreams"]);
  if (upstreams.length === 0) return { json, text: "No upstreams yet. Add one with:  upstreams add NAME URL" };
  const rows = upstreams.map((upstream) => {
    const status = statusOf(upstream);
    const skipped = objectsIn(status["skipped"]).length;
    const excluded = namesIn(status["excluded"]).length;
    return [
      cell(upstream["name"]),
      cell(status["state"]),
      cell(status["tools"]),
      skipped === 0 ? "" : String(skipped),
      excluded === 0 ? "" : String(excluded),
      timeCell(status["refreshedAt"]),
      cell(upstream["url"]),
      cell(status["reason"]),
    ];
  });
  return { json, text: textTable(["name", "state", "tools", "skipped", "excluded", "listed", "url", "reason"], rows) };
}

function refreshUpstream({ operands: [name = ""] }: Input) {
  return async (server: AdminServer): Promise<Answer> =>
    describeUpstream(await callAdmin(server, "POST", `${upstreamPath(name)}/refresh`));
}

function removeUpstream({ operands: [name = ""] }: Input) {
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "DELETE", upstreamPath(name));
    return { json, text: `${name} and its tools are gone. Catalogue version ${cell(json["version"])}` };
  };
}

function describeUpstream(json: JsonObject, isAdded = false): Answer {
  const status = statusOf(json);
  const failed = status["state"] === "failing";
  const skipped = objectsIn(status["skipped"]).map(({ tool, reason }) => `  ${cell(tool)}: ${cell(reason)}`);
  const lint = lintText(objectsIn(status["warnings"]));
  const excluded = namesIn(status["excluded"]);
  const unset = cell(json["unsetSecrets"]);
  const lines = [
    failed
      ? `${cell(json["name"])} is ${isAdded ? "added, but " : ""}failing: ${cell(status["reason"])}`
      : `${cell(json["name"])}: ${countOf(Number(status["tools"]), "tool is", "tools are")} served. Catalogue version ${cell(json["version"])}`,
    ...(skipped.length > 0 ? ["Not served:", ...skipped] : []),
    ...(excluded.length > 0 ? [`Excluded: ${excluded.join(", ")}`] : []),
    ...(unset === "" ? [] : [`Set these secrets (secrets set NAME): ${unset}`]),
    ...(lint === "" ? [] : [lint]),
  ];
  return { json, text: lines.join("\n"), failed };
}

const statusOf = ({ status }: JsonObject): JsonObject => (isObject(status) ? status : {});

const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const namesIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(cell) : []);

const upstreamPath = (name: string): string => `/upstreams/${encodeURIComponent(name)}`;
