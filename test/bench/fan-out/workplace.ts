// All that the run makes and must not leave behind: one folder, and processes, each in a group of its own so that what it
// starts itself ends with it, and so that Ctrl-C is for this process alone.

import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killGroup } from "./kill-group.ts";

const MEMORY = "/dev/shm";

export class Workplace {
  readonly dir: string;
  readonly #pids = new Set<number>();
  readonly #caretaker: ChildProcess;

  /** `inMemory`: in Linux's own file system for that, where there is one. */
  constructor({ inMemory = false } = {}) {
    this.dir = mkdtempSync(join(inMemory && existsSync(MEMORY) ? MEMORY : tmpdir(), "toolgate-bench-"));
    const caretaker = join(import.meta.dirname, "caretaker.ts");
    this.#caretaker = fork(caretaker, [this.dir], { detached: true, stdio: "ignore" });
    this.#caretaker.unref();
    this.#caretaker.channel?.unref();
    process.on("exit", () => this.#clear());
  }

  /** From now on a child, which must be detached, ends with this process, however that ends. */
  keep(child: ChildProcess): void {
    const { pid } = child;
    if (pid === undefined) return;
    this.#pids.add(pid);
    this.#tellCaretaker();
    child.once("exit", () => {
      this.#pids.delete(pid);
      this.#tellCaretaker();
    });
  }

  #tellCaretaker(): void {
    if (this.#caretaker.connected) this.#caretaker.send([...this.#pids]);
  }

  #clear(): void {
    for (const pid of this.#pids) killGroup(pid);
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Ends a child at once and waits until it is gone. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  killGroup(child.pid);
  await gone;
}
