// The Worker, bundled as it would be for a deploy.

import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { unstable_readConfig } from "wrangler";
import { writeConfig } from "../../journeys/support/config.ts";

export interface Bundle {
  script: string;
  compatibilityDate: string;
  compatibilityFlags: string[];
  vars: Record<string, string>;
  /** Classes of Durable Objects by their binding. */
  objects: Record<string, string>;
}

const ENTRY = "test/bench/fan-out/worker/bench-worker.ts";
const WRANGLER = "node_modules/wrangler/bin/wrangler.js";
const BUNDLE_WITHIN_MS = 60_000;

/** Bundles it into a folder of `dir`, around the deployment's configuration. */
export async function bundleWorker(dir: string): Promise<Bundle> {
  const home = join(dir, "bundle");
  await mkdir(home);
  const configPath = await writeConfig(home, ENTRY);
  const outdir = join(home, "out");
  await promisify(execFile)(
    process.execPath,
    [WRANGLER, "deploy", "--dry-run", `--config=${configPath}`, `--outdir=${outdir}`],
    { env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_LOG_PATH: home }, timeout: BUNDLE_WITHIN_MS },
  );
  const config = unstable_readConfig({ config: configPath });
  const objects: { name: string; class_name: string }[] = config.durable_objects.bindings;
  return {
    script: join(outdir, "bench-worker.js"),
    compatibilityDate: config.compatibility_date ?? "",
    compatibilityFlags: config.compatibility_flags,
    vars: Object.fromEntries(Object.entries(config.vars).map(([name, value]) => [name, String(value)])),
    objects: Object.fromEntries(objects.map(({ name, class_name }) => [name, class_name])),
  };
}
