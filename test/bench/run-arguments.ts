// How `npm run faults`, `soak` and `fuzz` read their command lines: options with a number, a text or nothing, each with a
// default, and anything else a usage error.

import { parseArgs, type ParseArgsConfig } from "node:util";
import { UsageError } from "../../src/cli/cli-error.ts";
import { joinNegatives } from "../../src/cli/join-negatives.ts";
import { optionFault } from "../../src/cli/option-fault.ts";

/** A number unless `kind` says otherwise. `shown` is what the help says of a default that differs from run to run. */
export type RunOption = { help: string; shown?: string } & (
  | { kind?: undefined; preset: number; least: number; most: number; isWhole: boolean }
  | { kind: "text"; preset: string }
  | { kind: "flag" }
);

type Values<Options> = {
  [Name in keyof Options]: Options[Name] extends { kind: "flag" }
    ? boolean
    : Options[Name] extends { kind: "text" }
      ? string
      : number;
};

/** The options' values, or the help where it is asked for; throws `UsageError` of one line. */
export function readRunArguments<const Options extends Record<string, RunOption>>(
  command: string,
  options: Options,
  args: readonly string[],
): { help: string } | { values: Values<Options> } {
  const given = parse(command, options, args);
  if (given["help"] === true) return { help: helpText(command, options) };
  const values = Object.entries(options).map(([name, option]) => [name, readValue(name, option, given[name])]);
  return { values: Object.fromEntries(values) as Values<Options> };
}

function parse(command: string, options: Record<string, RunOption>, args: readonly string[]): Record<string, unknown> {
  const config: NonNullable<ParseArgsConfig["options"]> = Object.fromEntries(
    Object.entries(options).map(([name, { kind }]) => [name, { type: kind === "flag" ? "boolean" : "string" }]),
  );
  try {
    return parseArgs({ args: joinNegatives(args), options: { ...config, help: { type: "boolean" } } }).values;
  } catch (error) {
    throw new UsageError(`${command}: ${optionFault(error, Object.keys(options))} See --help.`);
  }
}

function readValue(name: string, option: RunOption, given: unknown): boolean | number | string {
  if (option.kind === "flag") return given === true;
  if (given === undefined) return option.preset;
  const text = String(given);
  if (option.kind === "text") {
    if (text !== "") return text;
    throw new UsageError(`--${name}: expected a text, received none.`);
  }
  const { least, most, isWhole } = option;
  const value = (isWhole ? /^\d{1,12}$/ : /^\d{1,12}(?:\.\d{1,6})?$/).test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  const kind = isWhole ? "whole number" : "number";
  throw new UsageError(`--${name}: expected a ${kind} from ${least} to ${most}, received ${JSON.stringify(text)}.`);
}

function helpText(command: string, options: Record<string, RunOption>): string {
  const rows = Object.entries(options).map(([name, option]): [string, string] => {
    if (option.kind === "flag") return [`--${name}`, option.help];
    const value = option.kind === "text" ? "FILE" : "N";
    return [`--${name} ${value}`, `${option.help} (default: ${option.shown ?? option.preset})`];
  });
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`);
  return [`Usage: npm run ${command} -- [options]`, "", ...lines].join("\n");
}

/** What a run works with, from this process's command line; ends the process for help (0) and usage errors (2). */
export function runArguments<const Options extends Record<string, RunOption>>(
  command: string,
  options: Options,
): Values<Options> {
  try {
    const read = readRunArguments(command, options, process.argv.slice(2));
    if ("values" in read) return read.values;
    console.log(read.help);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`error: ${error.message}`);
    process.exit(2);
  }
}

/** Such as `1 round` and `2 rounds`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
