// Owns what a command is and how a command line is read: words, operands, options; anything else is a usage error.

import type { Readable } from "node:stream";
import { parseArgs, type ParseArgsConfig } from "node:util";
import type { AdminServer, JsonObject } from "./admin-api.ts";
import { UsageError } from "./cli-error.ts";
import { joinNegatives } from "./join-negatives.ts";
import { optionFault } from "./option-fault.ts";

/** An option: with `value` it takes one, named so in the help; with `multiple` it may be given again. */
export interface Option {
  help: string;
  value?: string;
  multiple?: boolean;
  required?: boolean;
}

/** What a command made of its work: the API's JSON for machines, text for people. */
export interface Answer {
  json: JsonObject | unknown[];
  text: string;
  /** Whether what was asked about is not as it should be: exit code 1, with the answer printed all the same. */
  failed?: boolean;
}

export interface Command {
  /** Noun and verb, such as `keys list`. */
  name: string;
  /** Names of what must follow, such as `ID`, and in brackets of what may, at the end. */
  operands: string[];
  summary: string;
  options: Record<string, Option>;
  /** Reads the input, throwing `UsageError`, and only then says what to do with a server. */
  prepare: (input: Input) => (server: AdminServer) => Promise<Answer>;
}

/** A command line, read: operands in order, option values by name (a flag has none), in the order given. */
export interface Input {
  operands: string[];
  options: Map<string, string[]>;
  stdin: OpenStdin;
}

/** Standard input, which only a command that reads it opens. */
export type OpenStdin = () => Readable & { isTTY?: boolean };

export const GLOBAL_OPTIONS: Record<string, Option> = {
  url: { value: "URL", help: "the server; TOOLGATE_URL, or the local one by default" },
  json: { help: "print the API's JSON instead of text" },
  help: { help: "print this" },
};

/** Splits a command line into the leading words and everything known about options, complaining about nothing. */
export function findWords(args: string[], commands: Command[]): { words: string[]; help: boolean } {
  const known = Object.assign({}, ...commands.map(({ options }) => options), GLOBAL_OPTIONS) as Record<string, Option>;
  const { positionals, values } = parseArgs({ args, options: toConfig(known), allowPositionals: true, strict: false });
  const asked = positionals[0] === "help";
  return { words: asked ? positionals.slice(1) : positionals, help: asked || values["help"] === true };
}

/** Reads a command's own line. Throws `UsageError` saying what was expected and what came. */
export function readInput(args: string[], command: Command, stdin: OpenStdin): Input {
  const known = { ...command.options, ...GLOBAL_OPTIONS };
  const { positionals, values } = parseStrictly(args, command.name, known);
  const operands = positionals.slice(command.name.split(" ").length);
  const required = command.operands.filter((operand) => !operand.startsWith("["));
  if (operands.length < required.length || operands.length > command.operands.length) {
    const expected = command.operands.length === 0 ? "nothing more" : command.operands.join(" ");
    throw new UsageError(`${command.name}: expected ${expected}, received ${quoteAll(operands)}.`);
  }
  const options = new Map(Object.entries(values).map(([name, value]) => [name, toList(value)]));
  for (const [name, option] of Object.entries(known)) checkOption(command.name, name, option, options.get(name));
  return { operands, options, stdin };
}

/** The value of an option that is given once at most. */
export const oneValue = (input: Input, name: string): string | undefined => input.options.get(name)?.[0];

/** The value of an option that is a whole number of at least 1. */
export function wholeNumber(input: Input, name: string): number | undefined {
  const text = oneValue(input, name);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`--${name}: expected a whole number of at least 1, received ${JSON.stringify(text)}.`);
}

type Config = NonNullable<ParseArgsConfig["options"]>;

// All are read as repeatable, so that giving an option twice by mistake is told instead of half ignored.
function toConfig(options: Record<string, Option>): Config {
  const entries = Object.entries(options).map(([name, { value }]): [string, Config[string]] => [
    name,
    value === undefined
      ? { type: "boolean", ...(name === "help" && { short: "h" }) }
      : { type: "string", multiple: true },
  ]);
  return Object.fromEntries(entries);
}

function parseStrictly(args: string[], name: string, options: Record<string, Option>) {
  try {
    return parseArgs({
      args: joinNegatives(args),
      options: toConfig(options),
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    const names = Object.keys(options);
    const expected = names.map((option) => `--${option}`).join(", ");
    throw new UsageError(`${name}: ${optionFault(error, names)} Expected options: ${expected}.`);
  }
}

function checkOption(command: string, name: string, option: Option, values: string[] | undefined): void {
  const wanted = `${command}: expected --${name} ${option.value ?? ""}`.trimEnd();
  if (option.required && values === undefined) throw new UsageError(`${wanted}, received none.`);
  if (values?.includes("") && option.value !== undefined) throw new UsageError(`${wanted}, received an empty value.`);
  if (values !== undefined && values.length > 1 && !option.multiple) {
    throw new UsageError(`${wanted} once, received ${quoteAll(values)}.`);
  }
}

const quoteAll = (texts: string[]): string =>
  texts.length === 0 ? "nothing" : texts.map((text) => JSON.stringify(text)).join(" ");

function toList(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
