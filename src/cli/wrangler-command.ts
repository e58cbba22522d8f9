// Owns running one wrangler command to its end, as `npm run deploy` needs it. Secrets go in by stdin alone: a command line
// is there for every process to see.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliError } from "./cli-error.ts";

/** How a command ended, and the lines that it wrote for machines (`WRANGLER_OUTPUT_FILE_PATH`). */
export interface WranglerEnd {
  code: number;
  stdout: string;
  stderr: string;
  records: Record<string, unknown>[];
}

/** Runs `wrangler <args>`, with `input` on stdin. */
export type RunWrangler = (args: string[], input?: string) => Promise<WranglerEnd>;

/** The wrangler on PATH, where npm puts the project's own first. */
export const runWrangler: RunWrangler = async (args, input) => {
  const dir = mkdtempSync(join(tmpdir(), "toolgate-deploy-"));
  try {
    const recordsFile = join(dir, "records.ndjson");
    const end = await spawnWrangler(args, input, recordsFile);
    return { ...end, records: readRecords(recordsFile) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

function spawnWrangler(args: string[], input: string | undefined, recordsFile: string) {
  const child = spawn("wrangler", args, {
    env: {
      ...process.env,
      WRANGLER_OUTPUT_FILE_PATH: recordsFile,
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_HIDE_BANNER: "true",
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  // A command that ends without reading it says so by its exit code.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input ?? "");
  return new Promise<{ code: number; stdout: string; stderr: string }>((done, fail) => {
    child.once("error", () =>
      fail(new CliError('wrangler is not on PATH. Start this with "npm run deploy", after "npm ci".')),
    );
    child.once("close", (code) => done({ code: code ?? 1, ...output }));
  });
}

function readRecords(path: string): Record<string, unknown>[] {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as Record<string, unknown>);
  } catch {
    return [];
  }
}
