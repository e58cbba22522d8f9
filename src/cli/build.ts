// "npm run build:worker": the Worker as wrangler serves and uploads it, in dist/worker/. `WORKER_ENTRY` names another file than
// src/index.ts to make it of, as a recovery does. `KEEP_BUILT_SINCE` (milliseconds since 1970) is a running server's: what was
// built since then goes on being served when the sources don't build, for wrangler answers nobody after a build that failed.

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundleWorker } from "./worker-bundle.ts";

const ROOT = resolve(import.meta.dirname, "../..");

const OUT = join(ROOT, "dist/worker");

function isKept(since: string | undefined): boolean {
  const builtAtMs = statSync(join(OUT, "index.mjs"), { throwIfNoEntry: false })?.mtimeMs;
  return since !== undefined && builtAtMs !== undefined && builtAtMs >= Number(since);
}

try {
  await bundleWorker(resolve(ROOT, process.env["WORKER_ENTRY"] ?? "src/index.ts"), OUT);
} catch (error) {
  // Where in which file is in the message; the stack is the bundler's.
  console.error(error instanceof Error ? error.message : error);
  if (isKept(process.env["KEEP_BUILT_SINCE"])) console.error("What was built before goes on being served.");
  else process.exitCode = 1;
}
