// Owns that one local server at a time has a state directory: two runtimes on its databases would lose what either wrote.
// The file names its holder, so that what a killed server left behind stops nobody.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CliError } from "./cli-error.ts";

const LOCK_FILE = "server.lock";
/** A killed server's runtime ends within half a second of it (`end-with-parent.ts`). */
const RUNTIME_GONE_MS = 1_500;

/** Takes the directory until this process ends, however it does; throws `CliError` while another server has it. */
export async function lockState(stateDir: string): Promise<void> {
  mkdirSync(stateDir, { recursive: true });
  const path = join(stateDir, LOCK_FILE);
  const own = nameProcess(process.pid);
  const left = readLock(path);
  if (left !== undefined) {
    if (isRunning(left)) throw heldBy(left, stateDir);
    await delay(RUNTIME_GONE_MS);
    removeLeft(path, left);
  }
  try {
    writeFileSync(path, own, { flag: "wx" });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw heldBy(readLock(path) ?? "", stateDir);
    }
    throw error;
  }
  process.on("exit", () => {
    if (readLock(path) === own) rmSync(path, { force: true });
  });
}

function heldBy(holder: string, stateDir: string): CliError {
  const [pid = ""] = holder.split(" ");
  return new CliError(
    `Another toolgate server (process ${pid || "unknown"}) runs on the state in ${stateDir}.\n` +
      `End it, or give this one a state of its own:  STATE_DIR=${stateDir}-2 npm start`,
  );
}

/** Another server may have taken its place by now, which then is put back. */
function removeLeft(path: string, left: string): void {
  const aside = `${path}.${process.pid}.left`;
  try {
    renameSync(path, aside);
    if (readLock(aside) === left) rmSync(aside);
    else renameSync(aside, path);
  } catch {
    // It is gone, or there is one again: taking the lock tells.
  }
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}

const isRunning = (holder: string): boolean => {
  const pid = Number(holder.split(" ")[0]);
  return pid > 0 && isAlive(pid) && nameProcess(pid) === holder;
};

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** A process by its id and, as ids are given out again, where the system tells it the time of its start. */
function nameProcess(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // After the name, which may hold blanks and parentheses, the start is the twentieth field (proc_pid_stat(5)).
    return `${pid} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}`;
  } catch {
    return String(pid);
  }
}
