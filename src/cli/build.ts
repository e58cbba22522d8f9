// "npm run build:worker": the Worker as wrangler serves and uploads it, in dist/worker/.

import { join, resolve } from "node:path";
import { bundleWorker } from "./worker-bundle.ts";

const ROOT = resolve(import.meta.dirname, "../..");

await bundleWorker(join(ROOT, "src/index.ts"), join(ROOT, "dist/worker"));
