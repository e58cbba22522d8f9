// Outlives the process that started it by a moment: ends and removes what that one left behind when it was killed itself.

import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { killGroup } from "./kill-group.ts";

/** A process that was just killed may still be about to write. */
const SETTLE_MS = 100;

const dir = process.argv[2];
let pids: number[] = [];

process.on("message", (alive: number[]) => {
  pids = alive;
});

process.on("disconnect", async () => {
  for (const pid of pids) killGroup(pid);
  await delay(SETTLE_MS);
  if (dir !== undefined) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});
