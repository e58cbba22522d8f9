// "npm run toolgate": the admin CLI. Each command is one or a few calls of the admin API.

import { findAdminServer } from "./admin-server.ts";
import { reportError, UsageError } from "./cli-error.ts";
import { AUDIT_COMMANDS } from "./audit-commands.ts";
import { CATALOGUE_COMMANDS } from "./catalogue-commands.ts";
import { commandHelp, overviewHelp } from "./command-help.ts";
import { findWords, oneValue, readInput } from "./command.ts";
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

async function run(args: string[]): Promise<string> {
  const { words, help } = findWords(args, COMMANDS);
  const command = COMMANDS.find(({ name }) => name === words.slice(0, 2).join(" "));
  if (command === undefined) return explain(words, help);
  if (help) return commandHelp(command);
  const input = readInput(args, command);
  const work = command.prepare(input);
  const server = findAdminServer(oneValue(input, "url"), process.env, process.cwd());
  const { json, text, failed } = await work(server).catch(async (error: unknown) => {
    throw await addNearestName(error, command, input, server);
  });
  if (failed) process.exitCode = 1;
  return input.options.has("json") ? JSON.stringify(json, undefined, 2) : text;
}

function explain(words: string[], help: boolean): string {
  const ofNoun = COMMANDS.filter(({ name }) => name.startsWith(`${words[0]} `));
  if (help && words.length === 0) return overviewHelp(COMMANDS);
  if (help && words.length === 1 && ofNoun.length > 0) return overviewHelp(ofNoun);
  throw new UsageError(explainUnknown(words, COMMANDS));
}

// A reader that wants no more, such as head, is no failure.
process.stdout.on("error", () => process.exit(0));

try {
  // Upstreams, documents and clients wrote parts of it. In JSON an escaped character is the same one.
  console.log(escapeUnseen(await run(process.argv.slice(2)), true));
} catch (error) {
  process.exitCode = reportError(error);
}
