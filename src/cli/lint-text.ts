import type { JsonObject } from "./admin-api.ts";
import { countOf } from "./count-of.ts";
import { cell } from "./text-cell.ts";

/** Tools that text names one by one; --json has all. */
const MAX_NAMED = 3;

/** What lint has against tools that came together, notes aside, in a line that says where to read on; "" for nothing. */
export function lintText(verdicts: JsonObject[]): string {
  const warned = verdicts.filter(({ level }) => level !== "info");
  if (warned.length === 0) return "";
  const names = [...new Set(warned.map(({ tool }) => cell(tool)))];
  const more = names.length > MAX_NAMED ? `, … (${countOf(names.length, "tool")})` : "";
  const told = `${names.slice(0, MAX_NAMED).join(", ")}${more}`;
  return `Lint has ${countOf(warned.length, "warning")} on ${told}: see  tools lint NAME`;
}
