import { GLOBAL_OPTIONS, type Command, type Option } from "./command.ts";
import { DEFAULT_PORT } from "./start-settings.ts";
import { textFields } from "./text-table.ts";

const ENVIRONMENT: [string, string][] = [
  ["TOOLGATE_URL", "the server, such as https://toolgate.example.workers.dev"],
  ["TOOLGATE_ADMIN_KEY", "its admin key; the local server's is read from .dev.vars"],
  ["PORT", `the local server's port, without TOOLGATE_URL; ${DEFAULT_PORT} by default`],
];

/** Help for all commands, or for those of one noun. */
export function overviewHelp(commands: Command[]): string {
  return [
    "Usage: npm run -s toolgate -- COMMAND [options]",
    commandLines(commands),
    section("Options of all commands", optionLines(GLOBAL_OPTIONS)),
    section("Environment", ENVIRONMENT),
    "COMMAND --help tells a command's own options.",
  ].join("\n\n");
}

/** Commands and what they do, a line each. */
export const commandLines = (commands: Command[]): string =>
  section(
    "Commands",
    commands.map((command): [string, string] => [usageOf(command), command.summary]),
  );

/** Help for one command. */
export function commandHelp(command: Command): string {
  const own = optionLines(command.options);
  return [
    `Usage: npm run -s toolgate -- ${usageOf(command)}${own.length > 0 ? " [options]" : ""}`,
    sentence(command.summary),
    ...(own.length > 0 ? [section("Options", own)] : []),
    section("Options of all commands", optionLines(GLOBAL_OPTIONS)),
  ].join("\n\n");
}

function usageOf({ name, operands, options }: Command): string {
  const required = Object.entries(options).filter(([, option]) => option.required);
  return [name, ...operands, ...required.map(([option, { value }]) => `--${option} ${value}`)].join(" ");
}

function optionLines(options: Record<string, Option>): [string, string][] {
  return Object.entries(options).map(([name, { value, help }]) => [`--${name} ${value ?? ""}`.trimEnd(), help]);
}

const section = (title: string, lines: [string, string][]): string =>
  `${title}:\n${textFields(lines).replaceAll(/^/gm, "  ")}`;

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
