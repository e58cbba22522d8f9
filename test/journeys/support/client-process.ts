// Clients that are programs: run as their users do, with a home folder of their own that a test can look into.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { within } from "./within.ts";

const ENDS_WITHIN_MS = 20_000;

/** Folders that stand in for a user's. Nothing that a program finds in the environment leads out of them. */
export interface Home {
  dir: string;
  env: Record<string, string>;
  /** Every file in it. */
  files: () => Promise<string[]>;
}

export async function makeHome(): Promise<Home> {
  const dir = await mkdtemp(join(tmpdir(), "toolgate-home-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const files = async (): Promise<string[]> => {
    const entries = await readdir(dir, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  };
  // With no PATH and no display there is no browser to open.
  return { dir, files, env: { HOME: dir, USERPROFILE: dir, TMPDIR: dir, PATH: "", NODE_ENV: "production" } };
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a Node program to its end. */
export async function runProgram(program: string, args: string[], { env, dir }: Home): Promise<Ended> {
  const child = spawn(process.execPath, [join(process.cwd(), program), ...args], {
    cwd: dir,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close") as Promise<[number | null]>;
  const [stdout, stderr, [code]] = await within(
    ENDS_WITHIN_MS,
    `end of ${program}`,
    Promise.all([readAll(child.stdout), readAll(child.stderr), ended]),
  );
  return { code, stdout, stderr };
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
