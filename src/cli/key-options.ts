// How the options of `keys create` and `keys change` become the admin API's body.

import type { JsonObject } from "./admin-api.ts";
import { UsageError } from "./cli-error.ts";
import { oneValue, wholeNumber, type Input, type Option } from "./command.ts";

const RULES: Record<string, Option> = {
  "per-minute": { value: "N", help: "tool calls a minute" },
  burst: { value: "N", help: "tool calls at once; as many as a minute by default" },
  "per-day": { value: "N", help: "tool calls a day, which begins at 00:00 UTC" },
  concurrent: { value: "N", help: "tool calls that run at the same time" },
  streams: { value: "N", help: "sockets and streams that it may hold open; 16 by default" },
  "tool-limit": {
    value: "GLOB=N[/BURST]",
    multiple: true,
    help: "calls a minute of the tools that match; may be repeated",
  },
  allow: { value: "GLOB", multiple: true, help: "tools it may call, all by default; may be repeated" },
  deny: { value: "GLOB", multiple: true, help: "tools it may not call; may be repeated" },
  scope: { value: "SCOPE", multiple: true, help: "mcp (the default), admin or admin:read; may be repeated" },
  "expires-at": { value: "TIME", help: "ISO 8601, such as 2027-01-31T00:00:00Z" },
  discovery: { help: "lists search_tools and call_tool alone, which find and call the others" },
};

export const CREATE_OPTIONS: Record<string, Option> = {
  name: { value: "NAME", required: true, help: "what or whom the key is for" },
  ...RULES,
  "per-minute": { value: "N", help: "tool calls a minute; the five limits that follow go with it" },
  "url-key": { help: "for clients that can't send a header: the key is part of the URL" },
  region: { value: "REGION", help: "where it is used most: wnam, enam, sam, weur, eeur, apac, oc, afr or me" },
};

/** What `--clear` may name, and where that stands in the body. */
const CLEARABLE: Record<string, [string] | [string, string]> = {
  burst: ["limits", "burst"],
  "per-day": ["limits", "perDay"],
  concurrent: ["limits", "concurrent"],
  streams: ["limits", "streams"],
  "tool-limits": ["limits", "tools"],
  allow: ["tools", "allow"],
  deny: ["tools", "deny"],
  "expires-at": ["expiresAt"],
  discovery: ["discovery"],
};

export const CHANGE_OPTIONS: Record<string, Option> = {
  name: { value: "NAME", help: "what or whom the key is for" },
  ...RULES,
  clear: { value: "OPTION", multiple: true, help: `takes back ${Object.keys(CLEARABLE).join(", ")}; may be repeated` },
};

/** The body of `POST /keys`. */
export function readNewKey(input: Input): JsonObject {
  const { options } = input;
  const limits = readLimits(input);
  if (limits && limits["perMinute"] === undefined) {
    const given = Object.keys(CREATE_OPTIONS).filter((name) => LIMIT_OPTIONS.includes(name) && options.has(name));
    throw new UsageError(`keys create: --${given[0] ?? "burst"} needs --per-minute as well, received none.`);
  }
  const region = oneValue(input, "region");
  return {
    ...readRules(input),
    ...(limits && { limits }),
    ...((options.has("allow") || options.has("deny")) && {
      tools: { allow: options.get("allow") ?? ["*"], deny: options.get("deny") ?? [] },
    }),
    ...(options.has("url-key") && { urlKey: true }),
    ...(region !== undefined && { region }),
  };
}

/** The body of `PATCH /keys/{id}`. */
export function readKeyChange(input: Input): JsonObject {
  const { options } = input;
  const limits = { ...readLimits(input) };
  const tools: JsonObject = {};
  for (const name of ["allow", "deny"]) if (options.has(name)) tools[name] = options.get(name);
  const body: JsonObject = { ...readRules(input) };
  for (const name of options.get("clear") ?? []) clear(name, { limits, tools, body });
  if (Object.keys(limits).length > 0) body["limits"] = limits;
  if (Object.keys(tools).length > 0) body["tools"] = tools;
  if (Object.keys(body).length > 0) return body;
  throw new UsageError("keys change: expected at least one option that says what to change, received none.");
}

function clear(name: string, { limits, tools, body }: Record<"limits" | "tools" | "body", JsonObject>): void {
  const [first, second] = CLEARABLE[name] ?? [];
  if (first === undefined) {
    const expected = Object.keys(CLEARABLE).join(", ");
    throw new UsageError(`--clear: expected one of ${expected}, received ${JSON.stringify(name)}.`);
  }
  if (second === undefined) body[first] = null;
  else (first === "limits" ? limits : tools)[second] = null;
}

function readRules(input: Input): JsonObject {
  const name = oneValue(input, "name");
  const expiresAt = oneValue(input, "expires-at");
  return {
    ...(name !== undefined && { name }),
    ...(input.options.has("scope") && { scopes: input.options.get("scope") }),
    ...(expiresAt !== undefined && { expiresAt: parseTime(expiresAt) }),
    ...(input.options.has("discovery") && { discovery: true }),
  };
}

const LIMIT_OPTIONS = ["per-minute", "burst", "per-day", "concurrent", "streams", "tool-limit"];

function readLimits(input: Input): JsonObject | undefined {
  const numbers = {
    "per-minute": "perMinute",
    burst: "burst",
    "per-day": "perDay",
    concurrent: "concurrent",
    streams: "streams",
  };
  const limits: JsonObject = {};
  for (const [option, name] of Object.entries(numbers)) {
    const value = wholeNumber(input, option);
    if (value !== undefined) limits[name] = value;
  }
  const tools = input.options.get("tool-limit")?.map(parseToolLimit);
  if (tools) limits["tools"] = Object.fromEntries(tools);
  return Object.keys(limits).length > 0 ? limits : undefined;
}

function parseToolLimit(text: string): [string, JsonObject] {
  const [, glob, perMinute, burst] = /^(.+)=([1-9]\d{0,14})(?:\/([1-9]\d{0,14}))?$/.exec(text) ?? [];
  if (glob !== undefined) {
    return [glob, { perMinute: Number(perMinute), ...(burst !== undefined && { burst: Number(burst) }) }];
  }
  throw new UsageError(
    `--tool-limit: expected GLOB=N or GLOB=N/BURST, such as "files_*=60", received ${JSON.stringify(text)}.`,
  );
}

function parseTime(text: string): string {
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  const received = JSON.stringify(text);
  throw new UsageError(`--expires-at: expected an ISO 8601 time such as 2027-01-31T00:00:00Z, received ${received}.`);
}
