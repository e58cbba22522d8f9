// Owns knowing when "npm start" must end: a signal, or the npm process that ran it going away.

import { readFileSync } from "node:fs";

const POLL_MS = 250;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Settles with the reason once this process is asked to end. */
export function endRequested(): Promise<string> {
  return new Promise((done) => {
    for (const signal of SIGNALS) process.on(signal, () => done(signal));
    const ancestry = readAncestry();
    setInterval(() => {
      if (readAncestry() !== ancestry) done("the process that started it is gone");
    }, POLL_MS).unref();
  });
}

// npm runs a script through a shell, and not every shell hands its own process over to the script: when npm is killed
// such a shell stays on as our parent, and only its own parent tells.
function readAncestry(): string {
  const parent = process.ppid;
  if (process.env["npm_lifecycle_event"] === undefined) return String(parent);
  const [name, grandparent] = readProcess(parent);
  return name === undefined || name.startsWith("npm") || name === "node" ? String(parent) : `${parent} ${grandparent}`;
}

function readProcess(pid: number): string[] {
  try {
    const [, name = "", parent = ""] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return [name, parent];
  } catch {
    return [];
  }
}
