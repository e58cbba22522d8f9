// All that the run makes and must not leave behind: one folder, and processes.

import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Workplace {
  readonly dir = mkdtempSync(join(tmpdir(), "toolgate-fan-out-"));
  readonly #children = new Set<ChildProcess>();
  readonly #caretaker: ChildProcess;

  constructor() {
    this.#caretaker = fork(join(import.meta.dirname, "caretaker.ts"), [this.dir], { stdio: "ignore" });
    this.#caretaker.unref();
    this.#caretaker.channel?.unref();
    process.on("exit", () => this.#clear());
  }

  /** From now on the child ends with this process, however that ends. */
  keep(child: ChildProcess): void {
    this.#children.add(child);
    this.#tellCaretaker();
    child.once("exit", () => {
      this.#children.delete(child);
      this.#tellCaretaker();
    });
  }

  #tellCaretaker(): void {
    if (!this.#caretaker.connected) return;
    this.#caretaker.send(Array.from(this.#children, ({ pid }) => pid));
  }

  #clear(): void {
    for (const child of this.#children) child.kill("SIGKILL");
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Ends a child at once and waits until it is gone. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
