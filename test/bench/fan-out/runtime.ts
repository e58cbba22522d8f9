// The Worker on workerd itself. What `wrangler dev` and the test harness put in front of it would be measured too, and
// would need twice the open files.

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createAdmin, type Admin } from "../../journeys/support/admin.ts";
import { within } from "../../journeys/support/within.ts";
import type { Bundle } from "./bundle.ts";
import { OBSERVED_PATH, type Observed } from "./worker/observed.ts";
import { kill, type Workplace } from "./workplace.ts";
import { doorText, workerText } from "./workerd-config.ts";

const READY_WITHIN_MS = 10_000;
/** The log's last lines, for when something fails. */
const LOG_LINES = 20;

export interface Runtime extends Admin {
  url: URL;
  adminKey: string;
  /** CPU time that it has used, where the system tells. */
  cpuMs: () => number | undefined;
  observed: () => Promise<Observed>;
  /** What it wrote last. */
  log: () => string[];
  /** Another way in: a process of its own. */
  openDoor: () => Promise<URL>;
  stop: () => Promise<void>;
}

interface Workerd {
  child: ChildProcess;
  ports: Map<string, number>;
  log: string[];
}

/** Starts it on an empty state, with `limits` in place of the product's own; `vars` besides those of `wrangler.toml`. */
export async function startRuntime(
  workplace: Workplace,
  bundle: Bundle,
  limits: object,
  { vars = {}, onLine }: { vars?: Record<string, string>; onLine?: (line: string) => void } = {},
): Promise<Runtime> {
  const adminKey = mintSecret();
  const secrets = { SIGNING_SECRET: mintSecret(), ADMIN_KEY: adminKey, BENCH_LIMITS: JSON.stringify(limits), ...vars };
  const dir = makeDir(workplace, bundle);
  const storage = join(dir, "storage");
  mkdirSync(storage);
  const main = await startWorkerd(workplace, dir, workerText(bundle, secrets, storage), ["http", "debug-port"], onLine);
  const doors: Workerd[] = [];
  const url = urlOf(main);
  return {
    ...createAdmin(url, adminKey),
    url,
    adminKey,
    cpuMs: () => readCpuMs(main.child.pid),
    observed: async () => (await (await fetch(new URL(OBSERVED_PATH, url))).json()) as Observed,
    log: () => main.log,
    openDoor: async () => {
      const leadsTo = `127.0.0.1:${main.ports.get("debug-port")}`;
      const door = await startWorkerd(workplace, makeDir(workplace, bundle), doorText(bundle, leadsTo), ["http"]);
      doors.push(door);
      return urlOf(door);
    },
    stop: async () => {
      await Promise.all([main, ...doors].map(({ child }) => kill(child)));
    },
  };
}

let runtimes = 0;

/** workerd embeds files by a path relative to its configuration. */
function makeDir(workplace: Workplace, { script }: Bundle): string {
  const dir = join(workplace.dir, `runtime-${++runtimes}`);
  mkdirSync(dir);
  cpSync(script, join(dir, "worker.js"));
  return dir;
}

async function startWorkerd(
  workplace: Workplace,
  dir: string,
  config: string,
  sockets: string[],
  onLine: (line: string) => void = () => undefined,
): Promise<Workerd> {
  const path = join(dir, "config.capnp");
  writeFileSync(path, config, { mode: 0o600 });
  const child = spawn(WORKERD, [...ARGUMENTS, path], { detached: true, stdio: ["ignore", "pipe", "pipe", "pipe"] });
  workplace.keep(child);
  const log: string[] = [];
  for (const output of [child.stdout, child.stderr]) if (output) keepLines(output, log, onLine);
  child.once("exit", (code, signal) => {
    log.push(`workerd ended: ${signal ?? code}`);
    onLine(`workerd ended: ${signal ?? code}`);
  });
  const ports = new Map<string, number>();
  const listening = readPorts(child.stdio[3] as Readable, ports, sockets);
  const ended = once(child, "exit").then(() => {
    throw new Error(`workerd ended by itself:\n${log.join("\n")}`);
  });
  await within(READY_WITHIN_MS, "start of workerd", Promise.race([listening, ended]));
  ended.catch(() => undefined);
  return { child, ports, log };
}

const ARGUMENTS = ["serve", "--experimental", "--control-fd=3", "--debug-port=127.0.0.1:0"];

// The very one that wrangler comes with; its package answers the path of the binary.
const WORKERD = (createRequire(createRequire(import.meta.url).resolve("wrangler"))("workerd") as { default: string })
  .default;

export const workerdVersion = (): string => execFileSync(WORKERD, ["--version"], { encoding: "utf8" }).trim();

async function readPorts(control: Readable, ports: Map<string, number>, sockets: string[]): Promise<void> {
  for await (const line of createInterface({ input: control })) {
    const { socket, port } = JSON.parse(line) as { socket: string; port: number };
    ports.set(socket, port);
    if (sockets.every((name) => ports.has(name))) return;
  }
}

function keepLines(output: Readable, log: string[], onLine: (line: string) => void): void {
  createInterface({ input: output }).on("line", (line) => {
    onLine(line);
    log.push(line);
    if (log.length > LOG_LINES) log.shift();
  });
}

/** CPU time of all threads, from Linux's scheduler. */
function readCpuMs(pid: number | undefined): number | undefined {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const times = tasks.map((task) =>
      Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]),
    );
    return times.reduce((sum, ns) => sum + ns, 0) / 1e6;
  } catch {
    return undefined;
  }
}

const urlOf = ({ ports }: Workerd): URL => new URL(`http://127.0.0.1:${ports.get("http")}/`);

const mintSecret = (): string => randomBytes(32).toString("hex");
