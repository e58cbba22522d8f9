// Owns what "npm start" reads from its environment, and the checks that need no server.

import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { CliError } from "./cli-error.ts";

export const LOOPBACK = "127.0.0.1";
export const DEFAULT_PORT = "8787";
const MAX_PORT = 65_535;
const PASSED_ON = [
  "ALLOWED_ORIGINS",
  "ALLOWED_HOSTS",
  "EGRESS_ALLOW",
  "URL_KEYS",
  "PUBLIC_TOOL_LIST",
  "OTLP_ENDPOINT",
  "OTLP_SAMPLE",
  "AUDIT_ARGUMENTS",
  "AUDIT_DAYS",
  "AUDIT_FLUSH_MS",
];
// Against DNS rebinding: a page elsewhere can point its own name at this machine, but not borrow one of these.
const LOOPBACK_HOSTS = `${LOOPBACK},localhost,[::1]`;

/** Where and how the local server runs. */
export interface StartSettings {
  root: string;
  port: number;
  origin: string;
  stateDir: string;
  /** Configuration for the Worker, each as `NAME:value`. */
  workerVars: string[];
  wranglerBin: string;
}

/** Reads the settings for a project in `root`. */
export function readStartSettings(env: NodeJS.ProcessEnv, root: string): StartSettings {
  const port = parsePort(env["PORT"]);
  checkEgressAllow(env["EGRESS_ALLOW"]);
  return {
    root,
    port,
    origin: `http://${LOOPBACK}:${port}`,
    stateDir: resolve(root, env["STATE_DIR"] || ".wrangler/state"),
    workerVars: workerVars({ ALLOWED_HOSTS: LOOPBACK_HOSTS, ...env }),
    wranglerBin: findWrangler(root),
  };
}

const workerVars = (env: NodeJS.ProcessEnv): string[] =>
  PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [`${name}:${env[name]}`]));

/** What the server can't read it would only tell at the first request that needs it. */
function checkEgressAllow(text = ""): void {
  const wrong = text.split(/[\s,]+/).find((entry) => entry !== "" && !/^[^/@?#]+:\d+$/.test(entry));
  if (wrong === undefined) return;
  throw new CliError(
    `EGRESS_ALLOW: expected host:port, such as 127.0.0.1:8991, apart by commas, received ${JSON.stringify(wrong)}.`,
  );
}

/** Parses `PORT`; unset or empty means the default. */
export function parsePort(text: string | undefined): number {
  const given = text || DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(given) ? Number(given) : 0;
  if (port >= 1 && port <= MAX_PORT) return port;
  throw new CliError(`PORT: expected a whole number from 1 to ${MAX_PORT}, received ${JSON.stringify(given)}.`);
}

/** Refuses a port that another process listens on. */
export async function checkPortFree(port: number): Promise<void> {
  const code = await listenOnce(port);
  if (code === undefined) return;
  if (code !== "EADDRINUSE") throw new CliError(`Port ${port} on ${LOOPBACK} can't be used (${code}).`);
  const other = port === MAX_PORT ? port - 1 : port + 1;
  throw new CliError(
    `Port ${port} on ${LOOPBACK} is taken by another process.\n` +
      `End that process, or choose another port:  PORT=${other} npm start\n` +
      `If it is this same project that runs there, give the second one its own STATE_DIR as well.`,
  );
}

function listenOnce(port: number): Promise<string | undefined> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    probe.listen(port, LOOPBACK, () => probe.close(() => done(undefined)));
  });
}

function findWrangler(root: string): string {
  const bin = join(root, "node_modules/wrangler/bin/wrangler.js");
  if (existsSync(bin)) return bin;
  throw new CliError(`wrangler is not installed in ${join(root, "node_modules")}.\nRun:  npm ci`);
}
