// Real processes for the tests of the CLI: run to the end, or started and watched, with every wait bounded.

import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";

const RUN_TIMEOUT_MS = 20_000;
const READY_TIMEOUT_MS = 40_000;
const GONE_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

type Environment = Record<string, string>;

/** Runs a program to its end; `input` is what it finds on stdin. */
export function run(file: string, args: string[], cwd: string, env: Environment = {}, input = ""): Promise<Finished> {
  const child = spawn(file, args, { cwd, env: cleanEnvironment(env), timeout: RUN_TIMEOUT_MS });
  // A program that ends without reading it is no failure of the test.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const output = collect(child);
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => done({ code, ...output }));
  });
}

/** A running `npm start`, ready. */
export interface Started {
  npm: ChildProcess;
  output: string;
  /** Settles once npm has ended: its exit code and all that went to stderr. */
  ended: Promise<{ code: number | null; stderr: string }>;
  /** Every process below npm, npm included, as it was when it became ready. */
  pids: number[];
}

/** Runs `npm start` in `cwd` until it prints `ready`. The test ends it with SIGTERM to npm, and fails if that leaves a process. */
export async function startProject(cwd: string, port: number, env: Environment = {}): Promise<Started> {
  const npm = spawn("npm", ["start"], { cwd, env: cleanEnvironment({ PORT: String(port), ...env }), detached: true });
  const output = collect(npm);
  const ended = new Promise<{ code: number | null; stderr: string }>((done) => {
    npm.once("close", (code) => done({ code, stderr: output.stderr }));
  });
  onTestFinished(() => endAll(npm));
  await until(READY_TIMEOUT_MS, () => npm.exitCode !== null || /^ready$/m.test(output.stdout));
  if (npm.exitCode !== null) throw new Error(`npm start ended:\n${output.stdout}\n${output.stderr}`);
  return { npm, ended, output: output.stdout, pids: descendants(npm) };
}

/** Sends a signal and waits until none of the processes is left; returns those that are. */
export async function endWith(signal: NodeJS.Signals, pid: number, pids: number[]): Promise<number[]> {
  process.kill(pid, signal);
  await until(GONE_TIMEOUT_MS, () => !pids.some(isRunning));
  return pids.filter(isRunning);
}

/** The command line of a process. */
export const commandLine = (pid: number): string => readProc(pid, "cmdline").replaceAll("\0", " ");

/** A port that nothing listens on just now. */
export function findFreePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once("error", fail);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => (address === null || typeof address === "string" ? fail(address) : done(address.port)));
    });
  });
}

// npm hands its own settings to what it runs; a nested npm must find those of its own folder.
function cleanEnvironment(extra: Environment): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|TOOLGATE_|PORT$|STATE_DIR$|NODE_OPTIONS$)/.test(name),
  );
  return { ...Object.fromEntries(kept), ...extra };
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  return output;
}

async function endAll(npm: ChildProcess): Promise<void> {
  const pids = descendants(npm);
  npm.kill("SIGTERM");
  await until(GONE_TIMEOUT_MS, () => !pids.some(isRunning));
  const left = pids.filter(isRunning).map(commandLine);
  if (left.length > 0) throw new Error(`SIGTERM to npm start has left:\n${left.join("\n")}`);
}

async function until(timeoutMs: number, done: () => boolean): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!done() && performance.now() < deadline) await delay(POLL_MS);
}

function descendants({ pid }: ChildProcess): number[] {
  if (pid === undefined) return [];
  const all = readdirSync("/proc").map(Number).filter(Number.isInteger);
  const found = [pid];
  // The list grows while it is walked: children of children are found on the way.
  for (const parent of found) found.push(...all.filter((candidate) => statOf(candidate).parent === parent));
  return found.filter(isRunning);
}

function isRunning(pid: number): boolean {
  return !["", "Z", "X"].includes(statOf(pid).state);
}

function statOf(pid: number): { state: string; parent: number } {
  const [, state = "", parent = ""] = /\) (\S) (\d+)/.exec(readProc(pid, "stat")) ?? [];
  return { state, parent: Number(parent) };
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}
