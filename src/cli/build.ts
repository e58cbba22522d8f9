// "npm run build:worker": the Worker as wrangler serves and uploads it, in dist/worker/.

import { join, resolve } from "node:path";
import { bundleWorker } from "./worker-bundle.ts";

const ROOT = resolve(import.meta.dirname, "../..");

try {
  await bundleWorker(join(ROOT, "src/index.ts"), join(ROOT, "dist/worker"));
} catch (error) {
  // Where in which file is in the message; the stack is the bundler's.
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
