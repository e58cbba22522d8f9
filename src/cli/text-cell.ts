import { escapeUnseen } from "./escape-unseen.ts";

/** What a value of the admin API's looks like in a table, on one line; nothing for what is no text or number. */
export function cell(value: unknown): string {
  if (Array.isArray(value)) return value.map(cell).join(", ");
  return typeof value === "string" || typeof value === "number" ? escapeUnseen(String(value)) : "";
}

/** A time of the admin API's to the minute. */
export const timeCell = (time: unknown): string =>
  cell(time)
    .replace("T", " ")
    .replace(/:\d\d(?:\.\d+)?Z$/, " UTC");
