// Owns the child that serves: "wrangler dev" in its own process group, so that it and workerd can be ended together.

import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { LOOPBACK, type StartSettings } from "./start-settings.ts";
import { createLineFilter, faultIn } from "./wrangler-output.ts";

const STOP_GRACE_MS = 5_000;

/** A running `wrangler dev`. */
export interface WranglerProcess {
  /** Settles once wrangler has ended: says how, and of a Worker that could not be loaded why. */
  exited: Promise<{ how: string; fault?: string }>;
  /** Asks wrangler to end, waits for it, then ends whatever is left of its group. */
  stop: () => Promise<void>;
  /** Ends the group at once. */
  kill: () => void;
}

/** Starts `wrangler dev`; the Worker's lines and errors go to this process's stdout and stderr. */
export function startWrangler(settings: StartSettings): WranglerProcess {
  const child = spawn(process.execPath, wranglerArguments(settings), {
    cwd: settings.root,
    env: { ...process.env, ...wranglerEnvironment(settings) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let fault: string | undefined;
  const look = (line: string): void => {
    fault = faultIn(line) ?? fault;
  };
  passOn(child.stdout, process.stdout);
  passOn(child.stderr, process.stderr, look);
  const exited = new Promise<{ how: string; fault?: string }>((done) => {
    child.once("error", (error) => done({ how: error.message }));
    child.once("close", (code, signal) =>
      done({ how: signal ?? `exit code ${code}`, ...(fault !== undefined && { fault }) }),
    );
  });
  return { exited, stop: () => stop(child, exited), kill: () => killGroup(child) };
}

function wranglerArguments(settings: StartSettings): string[] {
  return [
    "--import",
    new URL("end-with-parent.ts", import.meta.url).href,
    settings.wranglerBin,
    "dev",
    `--ip=${LOOPBACK}`,
    `--port=${settings.port}`,
    "--inspector-port=0",
    `--persist-to=${settings.stateDir}`,
    "--show-interactive-dev-session=false",
    ...settings.workerVars.map((pair) => `--var=${pair}`),
  ];
}

function wranglerEnvironment(settings: StartSettings): Record<string, string> {
  return {
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_SEND_ERROR_REPORTS: "false",
    WRANGLER_HIDE_BANNER: "true",
    KEEP_BUILT_SINCE: String(Date.now()),
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    // It would store every URL and header beside the state, keys and all.
    X_LOCAL_OBSERVABILITY: "false",
    // It would let whoever reaches the port read and write every object's tables, with no key.
    X_LOCAL_EXPLORER: "false",
    // Both are in the home directory otherwise, where servers of the same name would meet.
    WRANGLER_LOG_PATH: join(settings.stateDir, "logs"),
    WRANGLER_REGISTRY_PATH: join(settings.stateDir, "registry"),
  };
}

function passOn(from: Readable, to: NodeJS.WriteStream, look?: (line: string) => void): void {
  const filter = createLineFilter(to.isTTY);
  createInterface({ input: from }).on("line", (line) => {
    look?.(line);
    const kept = filter(line);
    if (kept !== undefined) to.write(`${kept}\n`);
  });
}

// The signal goes to the group's leader alone, which hands it on: wrangler takes a second one for impatience.
async function stop(child: ChildProcess, exited: WranglerProcess["exited"]): Promise<void> {
  child.kill("SIGTERM");
  const patience = new AbortController();
  await Promise.race([exited, delay(STOP_GRACE_MS, undefined, { signal: patience.signal }).catch(() => undefined)]);
  patience.abort();
  killGroup(child);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // No such group: everything has ended.
  }
}
