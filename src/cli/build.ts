// "npm run build:worker": the Worker as wrangler serves and uploads it, in dist/worker/. `WORKER_ENTRY` names another file than
// src/index.ts to make it of, as a recovery does.

import { join, resolve } from "node:path";
import { bundleWorker } from "./worker-bundle.ts";

const ROOT = resolve(import.meta.dirname, "../..");

try {
  await bundleWorker(resolve(ROOT, process.env["WORKER_ENTRY"] ?? "src/index.ts"), join(ROOT, "dist/worker"));
} catch (error) {
  // Where in which file is in the message; the stack is the bundler's.
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
