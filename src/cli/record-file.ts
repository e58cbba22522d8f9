// Owns how a tool's record comes in: JSON, its numbers and the order of its members as they stand, and a code tool's module
// from a file of its own.

import { readFileSync } from "node:fs";
import { isObject } from "./admin-api.ts";
import { CliError } from "./cli-error.ts";

/** The JSON text of the record in `file` (- for standard input), with the text of `moduleFile` as its source's module. */
export function readRecordText(file: string, moduleFile: string | undefined): string {
  const text = readText(file);
  const record = parse(file, text, moduleFile);
  if (moduleFile === undefined) {
    if (isObject(record) && lacksModule(record["source"]))
      throw new CliError(`${file}: a code tool needs its module: add --module FILE.`);
    return text;
  }
  if (!isObject(record)) throw new CliError(`${file}: expected a tool's record, an object.`);
  const { source = {} } = record;
  const isCode = isObject(source) && (source["kind"] ?? "code") === "code" && source["module"] === undefined;
  if (!isCode)
    throw new CliError(`${file}: with --module, expected a source of kind "code" without a module, or none.`);
  const whole = JSON.stringify({ kind: "code", ...source, module: readText(moduleFile) });
  // Of a member that is there twice the last counts (ECMA-262, JSON.parse): everything else stays as it is written.
  return text.replace(/\}\s*$/, () => `${Object.keys(record).length === 0 ? "" : ","}"source":${whole}}`);
}

/** The JSON in `file` (- for standard input). */
export const readJsonFile = (file: string): unknown => parse(file, readText(file), undefined);

const lacksModule = (source: unknown): boolean =>
  isObject(source) && source["kind"] === "code" && source["module"] === undefined;

function readText(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new CliError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parse(file: string, text: string, moduleFile: string | undefined): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isModule = moduleFile === undefined && /\.[cm]?[jt]s$/.test(file);
    const advice = isModule ? `\nA module goes beside its record:  tools put NAME RECORD.json --module ${file}` : "";
    throw new CliError(`${file} is not JSON: ${reason}${advice}`);
  }
}
