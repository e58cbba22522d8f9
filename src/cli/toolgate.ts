// "npm run toolgate": the admin CLI at the process's own terminal.

import { runCommandLine } from "./run-command-line.ts";

// A reader that wants no more, such as head, is no failure.
process.stdout.on("error", () => process.exit(0));

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  folder: process.cwd(),
  stdin: () => process.stdin,
  say: console.log,
  complain: console.error,
});
