// "npm run build": the Worker in dist/worker/, ready for `wrangler deploy --no-bundle`, and what it weighs.

import { join, resolve } from "node:path";
import { textTable } from "./text-table.ts";
import { bundleWorker } from "./worker-bundle.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const kib = (bytes: number): string => (bytes / 1024).toFixed(1);

const { modules } = await bundleWorker(join(ROOT, "src/index.ts"), join(ROOT, "dist/worker"));
const rows = modules
  .toSorted((a, b) => Number(b.startsUp) - Number(a.startsUp) || b.bytes - a.bytes)
  .map(({ file, bytes, gzipBytes, startsUp }) => [file, kib(bytes), kib(gzipBytes), startsUp ? "at start-up" : ""]);
console.log(textTable(["module", "KiB", "gzip KiB", "loaded"], rows));
