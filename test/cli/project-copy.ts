// A project folder of a test's own: the real one's .dev.vars and state stay untouched.

import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";

const PROJECT = resolve(import.meta.dirname, "../..");

/** The Node that npm scripts run, whatever runs the tests. */
export const NODE = join(PROJECT, "node_modules/.bin/node");

/** A script of the CLI where it is, which works on the folder that it is started in: so Node compiles it once. */
export const scriptPath = (name: string): string => join(PROJECT, "src/cli", name);

/** An empty folder that goes with the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy of the project that goes with the test. */
export function copyProject(): string {
  const folder = makeFolder();
  for (const name of ["src", "package.json", "wrangler.toml"]) {
    cpSync(join(PROJECT, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(PROJECT, "node_modules"), join(folder, "node_modules"));
  return folder;
}
