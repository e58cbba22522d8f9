// The page of limits, made of the record: its names, values and comments, in its order.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AUDIT_LIMITS } from "../../src/lib/audit-limits.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { TOOL_LIMITS } from "../../src/lib/tool-limits.ts";

const ROOT = join(import.meta.dirname, "../..");

export const LIMITS_PAGE = join(ROOT, "docs/limits.md");

const PARTS = [
  { title: "Requests, keys, sessions and changes", file: "src/lib/limits.ts", values: LIMITS },
  { title: "Tools, imports and upstreams", file: "src/lib/tool-limits.ts", values: TOOL_LIMITS },
  { title: "The audit trail", file: "src/lib/audit-limits.ts", values: AUDIT_LIMITS },
];

interface Row {
  name: string;
  value: number;
  meaning: string;
}

/** The whole page. */
export function renderLimits(): string {
  const sections = PARTS.map(({ title, file, values }) => `## ${title}\n\n${toTable(readRows(file, values))}\n`);
  return [HEAD, ...sections].join("\n");
}

const HEAD = `# Limits

Every bound of the server, as it is in the code: [\`limits.ts\`](../src/lib/limits.ts) and its parts. \`npm run docs:limits\` writes
this page. What a key may is said with [each key](keys.md).
`;

/** Each name of a part with its value and the comment before it. */
function readRows(file: string, values: Record<string, number>): Row[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  const entries = source.matchAll(/^ {2}(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2})?([a-zA-Z]+): /gm);
  return Array.from(entries, ([, comment = "", name = ""]) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${file}: ${name} is not in the record`);
    const meaning = comment.replaceAll(/\s*\n\s*\*?\s*/g, " ").trim();
    if (meaning === "") throw new Error(`${file}: ${name} has no comment that says of what it is the limit`);
    return { name, value, meaning };
  });
}

function toTable(rows: Row[]): string {
  const cells = rows.map(({ name, value, meaning }) => [`\`${name}\``, toText(name, value), meaning]);
  const lines = [["limit", "value", "of what"], ...cells];
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const toLine = (line: string[]): string => `| ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [toLine(lines[0] ?? []), rule, ...lines.slice(1).map(toLine)].join("\n");
}

const TIMES: [number, string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
];
const SIZES: [number, string][] = [
  [1_073_741_824, "Gi"],
  [1_048_576, "Mi"],
  [1_024, "Ki"],
];

/** The value with the unit that its name ends in, in the largest that leaves a whole number. */
export function toText(name: string, value: number): string {
  if (name.endsWith("Share") && value < 1) return `${value * 100} %`;
  if (name.endsWith("Seconds")) return toText("Ms", value * 1_000);
  if (name.endsWith("Ms")) return inUnits(value, TIMES) ?? `${count(value)} ms`;
  if (!/(Bytes|Chars)$/.test(name)) return count(value);
  const size = inUnits(value, SIZES) ?? `${count(value)} `;
  return name.endsWith("Bytes") ? `${size}B` : `${size.trimEnd()} characters`;
}

function inUnits(value: number, units: [number, string][]): string | undefined {
  const fitting = units.find(([size]) => value >= size && value % size === 0);
  return fitting && `${count(value / fitting[0])} ${fitting[1]}`;
}

const count = (value: number): string => value.toLocaleString("en-GB");
