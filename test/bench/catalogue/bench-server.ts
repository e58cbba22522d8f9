// Servers to measure, each a workerd process of its own on a loopback port, and what such a process has used so far.

import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTestHarness } from "wrangler";
import { writeConfig, writeSiblingConfig } from "../../journeys/support/config.ts";

// Else wrangler asks the internet where this machine is, and counts the start.
process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";
process.env["WRANGLER_SEND_METRICS"] = "false";

const CLOCK_TICKS_PER_SECOND = 100;
const MICROSECONDS_PER_TICK = 1_000_000 / CLOCK_TICKS_PER_SECOND;

export interface ServerProcess {
  url: URL;
  /** The same objects behind another isolate. */
  siblingUrl: URL;
  /** CPU time of its process so far. */
  cpuMicroseconds: () => number;
  memoryMiB: () => number;
  close: () => Promise<void>;
}

export interface BenchServer extends ServerProcess {
  adminKey: string;
}

/** Starts the Worker and a sibling; `allow` is where its tools may go. Start one at a time: its process is told by that. */
export async function startBenchServer(dir: string, allow: string): Promise<BenchServer> {
  const adminKey = randomBytes(32).toString("hex");
  const secrets = { SIGNING_SECRET: randomBytes(32).toString("hex"), ADMIN_KEY: adminKey };
  const configPaths = [
    await writeConfig(await mkdtemp(join(dir, "own-"))),
    await writeSiblingConfig(await mkdtemp(join(dir, "sibling-")), "localhost"),
  ];
  const vars = { EGRESS_ALLOW: allow };
  const harness = createTestHarness({ workers: configPaths.map((configPath) => ({ configPath, vars, secrets })) });
  return { ...(await serve(harness)), adminKey };
}

/** Starts a Worker that does nothing: what any of its size costs here. */
export async function startBareServer(dir: string): Promise<ServerProcess> {
  const configPath = join(dir, "bare.toml");
  const main = JSON.stringify(join(import.meta.dirname, "bare-worker.ts"));
  await writeFile(configPath, `name = "bare"\nmain = ${main}\ncompatibility_date = "2026-11-02"\n`);
  return serve(createTestHarness({ workers: [{ configPath }] }));
}

async function serve(harness: ReturnType<typeof createTestHarness>): Promise<ServerProcess> {
  const before = childPids();
  const { url } = await harness.listen();
  const siblingUrl = new URL(url);
  siblingUrl.hostname = "localhost";
  const pids = childPids().filter((pid) => !before.includes(pid) && isWorkerd(pid));
  const sum = (read: (pid: number) => number): number => pids.reduce((total, pid) => total + read(pid), 0);
  return {
    url,
    siblingUrl,
    cpuMicroseconds: () => sum(readCpuTicks) * MICROSECONDS_PER_TICK,
    memoryMiB: () => sum(readMemoryKib) / 1024,
    close: () => harness.close(),
  };
}

/** Processes whose ancestor this one is. */
function childPids(): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const stat = readProc(Number(entry), "stat");
    if (stat) parents.set(Number(entry), Number(fieldsOf(stat)[1]));
  }
  const descends = (pid: number): boolean => {
    for (let at = parents.get(pid); at !== undefined && at > 1; at = parents.get(at)) {
      if (at === process.pid) return true;
    }
    return false;
  };
  return [...parents.keys()].filter(descends);
}

const isWorkerd = (pid: number): boolean => readProc(pid, "cmdline").split("\0")[0]?.endsWith("workerd") ?? false;

const readCpuTicks = (pid: number): number => {
  const fields = fieldsOf(readProc(pid, "stat"));
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
};

const readMemoryKib = (pid: number): number => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readProc(pid, "status"))?.[1] ?? 0);

/** What follows the name of the command, which may hold spaces. */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(")") + 2).split(" ");

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
