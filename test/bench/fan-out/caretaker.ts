// Outlives the process that started it by a moment: when that was killed, it ends and removes what was left behind.

import { rmSync } from "node:fs";

const dir = process.argv[2];
let pids: number[] = [];

// A Ctrl-C reaches the whole group, this process too.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);

process.on("message", (alive: number[]) => {
  pids = alive;
});

process.on("disconnect", () => {
  for (const pid of pids) end(pid);
  if (dir !== undefined) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  process.exit();
});

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
