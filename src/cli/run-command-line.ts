// Owns one command line of the admin CLI, from its words to its exit code. Each command is one or a few calls of the admin
// API. What it reads and writes besides files is the terminal's.

import { findAdminServer } from "./admin-server.ts";
import { reportError, UsageError } from "./cli-error.ts";
import { AUDIT_COMMANDS } from "./audit-commands.ts";
import { CATALOGUE_COMMANDS } from "./catalogue-commands.ts";
import { commandHelp, overviewHelp } from "./command-help.ts";
import { findWords, oneValue, readInput, type OpenStdin } from "./command.ts";
import { IMPORT_COMMANDS } from "./import-commands.ts";
import { KEYS_COMMANDS } from "./keys-commands.ts";
import { LINT_COMMANDS } from "./lint-commands.ts";
import { REGISTRY_COMMANDS } from "./registry-commands.ts";
import { SECRETS_COMMANDS } from "./secrets-commands.ts";
import { SESSIONS_COMMANDS } from "./sessions-commands.ts";
import { STATS_COMMANDS } from "./stats-commands.ts";
import { TOOL_RECORD_COMMANDS } from "./tool-record-commands.ts";
import { TOOLS_COMMANDS } from "./tools-commands.ts";
import { addNearestName } from "./nearest-name.ts";
import { escapeUnseen } from "./escape-unseen.ts";
import { explainUnknown } from "./unknown-command.ts";
import { UPSTREAMS_COMMANDS } from "./upstreams-commands.ts";

const COMMANDS = [
  ...KEYS_COMMANDS,
  ...TOOLS_COMMANDS,
  ...TOOL_RECORD_COMMANDS,
  ...CATALOGUE_COMMANDS,
  ...IMPORT_COMMANDS,
  ...UPSTREAMS_COMMANDS,
  ...LINT_COMMANDS,
  ...SECRETS_COMMANDS,
  ...SESSIONS_COMMANDS,
  ...AUDIT_COMMANDS,
  ...STATS_COMMANDS,
  ...REGISTRY_COMMANDS,
];

/** What a command line is run at. */
export interface Terminal {
  env: NodeJS.ProcessEnv;
  /** The project's, where `.dev.vars` is. */
  folder: string;
  stdin: OpenStdin;
  /** Print a text with a line end, to stdout and to stderr. */
  say: (text: string) => void;
  complain: (text: unknown) => void;
}

/** Runs a command line and answers with its exit code. */
export async function runCommandLine(args: string[], terminal: Terminal): Promise<number> {
  try {
    const { text, failed } = await run(args, terminal);
    // Upstreams, documents and clients wrote parts of it. In JSON an escaped character is the same one.
    terminal.say(escapeUnseen(text, true));
    return failed ? 1 : 0;
  } catch (error) {
    return reportError(error, terminal.complain);
  }
}

async function run(
  args: string[],
  { env, folder, stdin }: Terminal,
): Promise<{ text: string; failed?: boolean | undefined }> {
  const { words, help } = findWords(args, COMMANDS);
  const command = COMMANDS.find(({ name }) => name === words.slice(0, 2).join(" "));
  if (command === undefined) return { text: explain(words, help) };
  if (help) return { text: commandHelp(command) };
  const input = readInput(args, command, stdin);
  const work = command.prepare(input);
  const server = findAdminServer(oneValue(input, "url"), env, folder);
  const { json, text, failed } = await work(server).catch(async (error: unknown) => {
    throw await addNearestName(error, command, input, server);
  });
  return { text: input.options.has("json") ? JSON.stringify(json, undefined, 2) : text, failed };
}

function explain(words: string[], help: boolean): string {
  const ofNoun = COMMANDS.filter(({ name }) => name.startsWith(`${words[0]} `));
  if (help && words.length === 0) return overviewHelp(COMMANDS);
  if (help && words.length === 1 && ofNoun.length > 0) return overviewHelp(ofNoun);
  throw new UsageError(explainUnknown(words, COMMANDS));
}
