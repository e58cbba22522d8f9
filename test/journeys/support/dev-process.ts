// `wrangler dev` as a process of its own that can be killed like a machine that loses power.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { createAdmin, type Admin } from "./admin.ts";
import { writeConfig } from "./config.ts";
import { endpointsAt, mintSecret, type Endpoints } from "./server.ts";
import { within } from "./within.ts";

const READY_WITHIN_MS = 30_000;
const GONE_WITHIN_MS = 5_000;
const WRANGLER = "node_modules/wrangler/bin/wrangler.js";
// Ends the group when the test run itself is killed.
const END_WITH_PARENT = new URL("../../../src/cli/end-with-parent.ts", import.meta.url).href;

/** What outlives a process: stored state, secrets, and the port. */
export interface Machine {
  dir: string;
  port: number;
  adminKey: string;
  vars: Record<string, string>;
  atEnd: AtEnd;
}

/** When what was started ends: with the test, or with its file (`afterAll`). */
type AtEnd = (end: () => void | Promise<void>) => void;

export interface MachineOptions {
  /** Another entry file than the deployed one. */
  main?: string;
  /** Override those of `wrangler.toml`. */
  vars?: Record<string, string>;
  atEnd?: AtEnd;
}

export interface DevProcess extends Admin, Endpoints {
  /** All that the runtime wrote so far, but for wrangler's own lines on requests and reloads. */
  output: () => string;
  /** Sends SIGKILL to wrangler and workerd at once, and waits until the port is dead. */
  kill: () => Promise<void>;
}

export async function prepareMachine({
  main,
  vars = {},
  atEnd = onTestFinished,
}: MachineOptions = {}): Promise<Machine> {
  const dir = await mkdtemp(join(tmpdir(), "toolgate-journey-"));
  atEnd(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const adminKey = mintSecret();
  const secrets = { SIGNING_SECRET: mintSecret(), SECRETS_KEY: mintSecret(), ADMIN_KEY: adminKey };
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(dir, "secrets.env"), lines.join(""), { mode: 0o600 });
  // What a killed wrangler leaves behind lies beside its configuration, and goes with the directory.
  await writeConfig(dir, main);
  return { dir, port: await findFreePort(), adminKey, vars, atEnd };
}

/** Starts the server on a machine's state and waits until it answers. */
export async function startDevProcess({ dir, port, adminKey, vars, atEnd }: Machine): Promise<DevProcess> {
  const child = spawn(process.execPath, wranglerArguments(dir, port, vars), {
    // A group of its own: wrangler and the workerd that it starts are killed by one signal.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...wranglerEnvironment(dir) },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("wrangler could not be started");
  const exited = once(child, "exit");
  let written = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (written += String(chunk)));
  const url = new URL(`http://127.0.0.1:${port}/`);
  const kill = async (): Promise<void> => {
    killGroup(pid);
    await within(GONE_WITHIN_MS, "exit of wrangler", exited);
    await vi.waitFor(() => checkGone(url), { timeout: GONE_WITHIN_MS, interval: 10 });
  };
  atEnd(() => killGroup(pid));
  await vi.waitFor(() => checkHealthy(url), { timeout: READY_WITHIN_MS, interval: 50 });
  const output = (): string => written.replace(/^.*\[wrangler:info\].*$/gm, "");
  return { ...createAdmin(url, adminKey), ...endpointsAt(url), kill, output };
}

const wranglerArguments = (dir: string, port: number, vars: Record<string, string>): string[] => [
  "--import",
  END_WITH_PARENT,
  WRANGLER,
  "dev",
  `--config=${join(dir, "wrangler.toml")}`,
  "--ip=127.0.0.1",
  `--port=${port}`,
  "--inspector-port=0",
  `--persist-to=${join(dir, "state")}`,
  `--env-file=${join(dir, "secrets.env")}`,
  "--show-interactive-dev-session=false",
  ...Object.entries(vars).map(([name, value]) => `--var=${name}:${value}`),
];

const wranglerEnvironment = (dir: string): Record<string, string> => ({
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_LOG_PATH: join(dir, "logs"),
  WRANGLER_REGISTRY_PATH: join(dir, "registry"),
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  // As "npm start" does: it would store every URL and header.
  X_LOCAL_OBSERVABILITY: "false",
  X_LOCAL_EXPLORER: "false",
});

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // No such group: everything has ended.
  }
}

async function checkHealthy(url: URL): Promise<void> {
  const { status } = await fetch(new URL("/healthz", url));
  if (status !== 200) throw new Error(`healthz: status ${status}`);
}

async function checkGone(url: URL): Promise<void> {
  const answer = await fetch(url).catch(() => undefined);
  if (answer) throw new Error("something still answers on the port");
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
