// The admin CLI in the tests' own process, which is a hundred times quicker to begin: for what commands send and say. That
// it is all that too as a process, `toolgate.test.ts` shows.

import { Readable } from "node:stream";
import { runCommandLine } from "../../src/cli/run-command-line.ts";
import type { Finished } from "./processes.ts";
import { makeFolder } from "./project-copy.ts";

/** Runs it in a folder, an empty one of the test's own by default; `input` is what it finds on stdin. */
export async function runHere(
  args: string[],
  env: NodeJS.ProcessEnv,
  folder = makeFolder(),
  input = "",
): Promise<Finished> {
  if (args.includes("-")) throw new Error("- is a process's own stdin: run it as one");
  const finished = { stdout: "", stderr: "" };
  const before = process.cwd();
  process.chdir(folder);
  try {
    const code = await runCommandLine(args, {
      env,
      folder,
      stdin: () => Readable.from([Buffer.from(input)]),
      say: (text) => (finished.stdout += `${text}\n`),
      complain: (text) => (finished.stderr += `${String(text)}\n`),
    });
    return { code, ...finished };
  } finally {
    process.chdir(before);
  }
}
