// How many connections fit through one process here.

import { execFileSync } from "node:child_process";
import { LISTENERS_OF_A_KEY } from "./sizes.ts";

/** workerd holds a connection's socket twice: once to serve it, once to watch whether the client is there. */
const FILES_OF_A_CONNECTION = 2;
/** An awake object's database, its log and the log's index. */
const FILES_OF_AN_OBJECT = 3;
/** Everything else that a process holds open. */
const FILES_BESIDES = 200;

/** What a child of this process may have open: Node has raised its own limit as far as it may, and children inherit it. */
export function readFileLimit(): number {
  const limit = execFileSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }).trim();
  return limit === "unlimited" ? Infinity : Number(limit);
}

/** How many of so many listeners connect to the Worker's own process; the others need a door. Throws when that is not enough. */
export function countDirect(listeners: number, limit: number): number {
  const filesOfKeys = Math.ceil(listeners / LISTENERS_OF_A_KEY) * FILES_OF_AN_OBJECT;
  const direct = Math.max(0, Math.floor((limit - FILES_BESIDES - filesOfKeys) / FILES_OF_A_CONNECTION));
  const throughDoor = Math.floor((limit - FILES_BESIDES) / FILES_OF_A_CONNECTION);
  if (direct + throughDoor >= listeners) return Math.min(direct, listeners);
  const needed = Math.ceil((listeners * FILES_OF_A_CONNECTION + filesOfKeys) / 2) + FILES_BESIDES;
  throw new Error(
    `${listeners} listeners: expected a limit of ${needed} open files a process, found ${limit}. ` +
      `Raise it with \`ulimit -n ${needed}\`, or measure less with --quick`,
  );
}
