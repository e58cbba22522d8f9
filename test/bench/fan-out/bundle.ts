// The Worker, bundled as it would be for a deploy.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { writeConfig } from "../../journeys/support/config.ts";
import { kill, type Workplace } from "./workplace.ts";

export interface Bundle {
  script: string;
  compatibilityDate: string;
  compatibilityFlags: string[];
  vars: Record<string, string>;
  /** Classes of Durable Objects by their binding. */
  objects: Record<string, string>;
}

/** An entry file, and the objects that it exports besides those that the deployment binds. */
export interface Entry {
  path: string;
  objects: Record<string, string>;
}

const BENCH: Entry = { path: "test/bench/fan-out/worker/bench-worker.ts", objects: { BARE_HUB: "BareHub" } };
const WRANGLER = "node_modules/wrangler/bin/wrangler.js";
const BUNDLE_WITHIN_MS = 60_000;

/** Bundles it around the deployment's configuration. */
export async function bundleWorker(workplace: Workplace, entry: Entry = BENCH): Promise<Bundle> {
  const home = join(workplace.dir, "bundle");
  await mkdir(home);
  const configPath = await writeConfig(home, entry.path);
  const outdir = join(home, "out");
  await runWrangler(workplace, ["deploy", "--dry-run", `--config=${configPath}`, `--outdir=${outdir}`], home);
  // Takes longer to load than a wrong command line to be refused, which comes first.
  const { unstable_readConfig } = await import("wrangler");
  const config = unstable_readConfig({ config: configPath });
  const objects: { name: string; class_name: string }[] = config.durable_objects.bindings;
  return {
    script: join(outdir, `${basename(entry.path, ".ts")}.js`),
    compatibilityDate: config.compatibility_date ?? "",
    compatibilityFlags: config.compatibility_flags,
    vars: Object.fromEntries(Object.entries(config.vars).map(([name, value]) => [name, String(value)])),
    objects: { ...Object.fromEntries(objects.map(({ name, class_name }) => [name, class_name])), ...entry.objects },
  };
}

async function runWrangler(workplace: Workplace, args: string[], logs: string): Promise<void> {
  const child = spawn(process.execPath, [WRANGLER, ...args], {
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_LOG_PATH: logs },
  });
  workplace.keep(child);
  const timer = setTimeout(() => void kill(child), BUNDLE_WITHIN_MS);
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => (complaints += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  if (code !== 0) throw new Error(`wrangler could not bundle the Worker:\n${complaints}`);
}
