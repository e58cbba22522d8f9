// A key as the admin API tells it, for people.

import { isObject, type JsonObject } from "./admin-api.ts";

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
    ["url key", key["urlKey"] === true ? "yes" : ""],
    ["region", cell(key["region"])],
    ["created", timeText(key["createdAt"])],
    ["expires", timeText(key["expiresAt"])],
    ["old secret until", timeText(key["previousEndsAt"])],
    ["revoked", timeText(key["revokedAt"])],
  ];
}

/** A value of the API's in one line. */
export function cell(value: unknown): string {
  if (Array.isArray(value)) return value.map(cell).join(", ");
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function limitsText(limits: unknown): string {
  if (!isObject(limits)) return "";
  const { perMinute, burst, perDay, concurrent } = limits;
  const parts = [
    perMinute && `${perMinute} a minute`,
    burst && `burst ${burst}`,
    perDay && `${perDay} a day`,
    concurrent && `${concurrent} at the same time`,
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

const timeText = (time: unknown): string =>
  cell(time)
    .replace("T", " ")
    .replace(/:\d\d(?:\.\d+)?Z$/, " UTC");
