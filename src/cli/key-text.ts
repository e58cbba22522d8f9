// A key as the admin API tells it, for people.

import { isObject, type JsonObject } from "./admin-api.ts";
import { cell, timeCell } from "./text-cell.ts";
import { countOf } from "./count-of.ts";

/** Titles and values, in the order in which they are shown. */
export function keyFields(key: JsonObject): [string, string][] {
  return [
    ["id", cell(key["id"])],
    ["name", cell(key["name"])],
    ["status", cell(key["status"])],
    ["limits", limitsText(key["limits"])],
    ["tool limits", toolLimitsText(key["limits"])],
    ["used today", cell(key["usedToday"])],
    ["tools", toolsText(key["tools"])],
    ["scopes", cell(key["scopes"])],
    ["discovery", key["discovery"] === true ? "yes" : ""],
    ["url key", key["urlKey"] === true ? "yes" : ""],
    ["region", cell(key["region"])],
    ["created", timeCell(key["createdAt"])],
    ["expires", timeCell(key["expiresAt"])],
    ["old secret until", timeCell(key["previousEndsAt"])],
    ["revoked", timeCell(key["revokedAt"])],
  ];
}

function limitsText(limits: unknown): string {
  if (!isObject(limits)) return "";
  const { perMinute, burst, perDay, concurrent, streams } = limits;
  const parts = [
    perMinute && `${perMinute} a minute`,
    burst && `burst ${burst}`,
    perDay && `${perDay} a day`,
    concurrent && `${concurrent} at the same time`,
    streams && countOf(Number(streams), "stream"),
  ];
  return parts.filter(Boolean).join(", ");
}

function toolLimitsText(limits: unknown): string {
  if (!isObject(limits) || !isObject(limits["tools"])) return "";
  return Object.entries(limits["tools"])
    .map(([glob, rate]) => `${glob}: ${limitsText(rate)}`)
    .join("; ");
}

function toolsText(tools: unknown): string {
  if (!isObject(tools)) return "";
  const allow = cell(tools["allow"]);
  const deny = cell(tools["deny"]);
  return deny === "" ? allow || "*" : `${allow || "*"}; not ${deny}`;
}
