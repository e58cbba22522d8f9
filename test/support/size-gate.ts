// Fails when what a cold isolate loads to answer calls outgrows its budget, minified and gzipped, or falls into pieces; what
// tools add is told and left to them.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bundleWorker, type WorkerModule } from "../../src/cli/worker-bundle.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const START_UP_MODULES = 3;

const WORKERS = [
  { what: "the server with one tool", entry: "test/support/one-tool-worker.ts", budgetKiB: 50 },
  { what: "with the built-in tools", entry: "src/index.ts", budgetKiB: undefined },
];

const gzippedKiB = (modules: readonly WorkerModule[]): number =>
  modules.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0) / 1024;

const dir = await mkdtemp(join(tmpdir(), "toolgate-size-"));
try {
  for (const { what, entry, budgetKiB } of WORKERS) {
    const { modules } = await bundleWorker(join(ROOT, entry), join(dir, "worker"));
    const first = modules.filter(({ startsUp }) => startsUp);
    const sizeKiB = gzippedKiB(first);
    const budget = budgetKiB === undefined ? "" : `, budget ${budgetKiB} KiB`;
    const whole = `${gzippedKiB(modules).toFixed(1)} KiB in ${modules.length} modules altogether`;
    console.log(`${what}: ${sizeKiB.toFixed(1)} KiB in ${first.length} modules at start-up${budget}; ${whole}`);
    if (budgetKiB !== undefined && sizeKiB > budgetKiB) process.exitCode = 1;
    if (first.length > START_UP_MODULES) process.exitCode = 1;
  }
} finally {
  await rm(dir, { recursive: true, force: true });
}
