// "npm run toolgate": the admin CLI at the process's own terminal.

import { enableCompileCache } from "node:module";
import { join } from "node:path";

// Most of what a command takes is compiling the code of all of them. It is kept within the project: what lies in a folder
// that others write to would be run. The environment's own NODE_COMPILE_CACHE goes first.
enableCompileCache(join(import.meta.dirname, "../../.wrangler/compiled"));
const { runCommandLine } = await import("./run-command-line.ts");

// A reader that wants no more, such as head, is no failure.
process.stdout.on("error", () => process.exit(0));

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  folder: process.cwd(),
  stdin: () => process.stdin,
  say: console.log,
  complain: console.error,
});
