// Node keeps what it compiled for all processes of one run of the tests: the CLI, npm and wrangler are started hundreds of
// times.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-compiled-"));
  process.env["NODE_COMPILE_CACHE"] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
