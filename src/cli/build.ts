// "npm run build": the console in dist/assets/ and the Worker in dist/worker/, as wrangler serves and uploads them, or the one
// that is named. `WORKER_ENTRY` names another file than src/index.ts to make the Worker of, as a recovery does.
// `KEEP_BUILT_SINCE` (milliseconds since 1970) is a running server's: what was built since then goes on being served when the
// sources don't build, for wrangler answers nobody after a build that failed.

import { statSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");

const CONSOLE = join(ROOT, "dist/assets/console");
const WORKER = join(ROOT, "dist/worker");

async function buildConsole(): Promise<void> {
  const { bundleConsole } = await import("./console-bundle.ts");
  await bundleConsole(ROOT, CONSOLE);
}

async function buildWorker(): Promise<void> {
  const { bundleWorker } = await import("./worker-bundle.ts");
  await bundleWorker(resolve(ROOT, process.env["WORKER_ENTRY"] ?? "src/index.ts"), WORKER);
}

function isKept(since: string | undefined): boolean {
  const builtAtMs = statSync(join(WORKER, "index.mjs"), { throwIfNoEntry: false })?.mtimeMs;
  return since !== undefined && builtAtMs !== undefined && builtAtMs >= Number(since);
}

const [only] = process.argv.slice(2);
try {
  if (only !== "worker") await buildConsole();
  if (only !== "console") await buildWorker();
} catch (error) {
  // Where in which file is in the message; the stack is the bundler's.
  console.error(error instanceof Error ? error.message : error);
  if (isKept(process.env["KEEP_BUILT_SINCE"])) console.error("What was built before goes on being served.");
  else process.exitCode = 1;
}
