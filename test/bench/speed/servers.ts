// Who is measured, and how each is bundled: as it would be deployed, minified.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { unstable_readConfig } from "wrangler";
import { bundleWorker } from "../../../src/cli/worker-bundle.ts";

export type Era = "modern" | "legacy";

export interface Server {
  name: string;
  entry: string;
  era: Era;
  /** Answers everything with the same, so that only calls and lists make sense. */
  isFloor?: true;
  isToolgate?: true;
}

export const FLOOR: Server = { name: "floor", entry: "speed/worker/floor.ts", era: "modern", isFloor: true };
export const TOOLGATE: Server = {
  name: "toolgate",
  entry: "speed/worker/toolgate.ts",
  era: "modern",
  isToolgate: true,
};

export const SERVERS: readonly Server[] = [
  FLOOR,
  { name: "bare Hono", entry: "speed/worker/hono.ts", era: "modern", isFloor: true },
  { name: "mcp-lite", entry: "peers/worker/mcp-lite.ts", era: "legacy" },
  { name: "tmcp", entry: "peers/worker/tmcp.ts", era: "modern" },
  { name: "SDK v2", entry: "peers/worker/sdk-v2.ts", era: "modern" },
  { name: "agents", entry: "peers/worker/agents.ts", era: "modern" },
  TOOLGATE,
];

export interface BuiltWorker {
  dir: string;
  main: string;
  compatibilityDate: string;
  compatibilityFlags: string[];
  vars: Record<string, string>;
  /** Classes of Durable Objects by their binding. */
  objects: Record<string, string>;
  /** Of what is loaded before the first request, and of all that is uploaded. */
  gzipBytes: { first: number; all: number };
}

const ROOT = resolve(import.meta.dirname, "../../..");
const BENCH = resolve(import.meta.dirname, "..");
const DEPLOYMENT = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
const compatibilityDate = DEPLOYMENT.compatibility_date ?? "";

/** Bundles a server with so many tools into `dir`. */
export async function buildServer(server: Server, tools: number, dir: string): Promise<BuiltWorker> {
  const entry = join(BENCH, server.entry);
  if (!server.isToolgate) return buildByWrangler(entry, tools, dir);
  const { modules } = await bundleWorker(entry, dir, { TOOLS: String(tools) });
  const sum = (some: typeof modules): number => some.reduce((bytes, { gzipBytes }) => bytes + gzipBytes, 0);
  return {
    ...deployment(dir),
    gzipBytes: { first: sum(modules.filter(({ startsUp }) => startsUp)), all: sum(modules) },
  };
}

/** What the deployment's own configuration says: nothing is left out for the bench. */
export function deployment(dir: string): Omit<BuiltWorker, "gzipBytes"> {
  const bindings: { name: string; class_name: string }[] = DEPLOYMENT.durable_objects.bindings;
  return {
    dir,
    main: "index.mjs",
    compatibilityDate,
    compatibilityFlags: DEPLOYMENT.compatibility_flags,
    vars: Object.fromEntries(Object.entries(DEPLOYMENT.vars).map(([name, value]) => [name, String(value)])),
    objects: Object.fromEntries(bindings.map(({ name, class_name }) => [name, class_name])),
  };
}

function buildByWrangler(entry: string, tools: number, dir: string): BuiltWorker {
  const config = `${dir}.json`;
  writeFileSync(config, JSON.stringify({ name: "bench", main: entry, compatibility_date: compatibilityDate }));
  const args = ["deploy", "--dry-run", "--minify", `--config=${config}`, `--outdir=${dir}`, `--define=TOOLS:${tools}`];
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [join(ROOT, "node_modules/wrangler/bin/wrangler.js"), ...args],
    {
      encoding: "utf8",
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_LOG_PATH: `${dir}-logs` },
    },
  );
  if (status !== 0) throw new Error(`${entry} could not be bundled: run \`npm run bench\`\n${stdout}${stderr}`);
  const scripts = readdirSync(dir).filter((file) => /\.m?js$/.test(file));
  const all = scripts.reduce((sum, file) => sum + gzipSync(readFileSync(join(dir, file)), { level: 9 }).byteLength, 0);
  const main = scripts.find((file) => !/^[0-9a-f]{40}-/.test(file)) ?? "";
  return {
    dir,
    main,
    compatibilityDate,
    compatibilityFlags: [],
    vars: {},
    objects: {},
    gzipBytes: { first: all, all },
  };
}
