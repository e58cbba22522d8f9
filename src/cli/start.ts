// "npm start": secrets, the local server, one client key, and everything ended again when it is told to.

import { setTimeout as delay } from "node:timers/promises";
import { CliError, reportError } from "./cli-error.ts";
import { ensureClientKey } from "./client-key.ts";
import { connectText } from "./connect-text.ts";
import { DEV_VARS_FILE, ensureDevVars } from "./dev-vars.ts";
import { endRequested } from "./end-request.ts";
import { checkPortFree, readStartSettings, type StartSettings } from "./start-settings.ts";
import { lockState } from "./state-lock.ts";
import { startWrangler } from "./wrangler-process.ts";

const SETTINGS_HINT = "What it is to heed is set in the environment, such as:  PORT=9000 npm start";
const READY_TIMEOUT_MS = 60_000;
const HEALTH_POLL_MS = 50;
const HEALTH_TIMEOUT_MS = 5_000;

async function start(): Promise<void> {
  const [word] = process.argv.slice(2);
  if (word !== undefined) throw new CliError(`Takes no words, received ${JSON.stringify(word)}. ${SETTINGS_HINT}`);
  const settings = readStartSettings(process.env, process.cwd());
  const { vars, made } = ensureDevVars(settings.root);
  await checkPortFree(settings.port);
  await lockState(settings.stateDir);
  const notes = made ? [`Secrets    made in ${DEV_VARS_FILE}, for this machine only`] : [];
  await serve(settings, vars.ADMIN_KEY, notes);
}

async function serve(settings: StartSettings, adminKey: string, notes: string[]): Promise<void> {
  console.log(`Starting toolgate on ${settings.origin} …\n`);
  const asked = endRequested();
  const wrangler = startWrangler(settings);
  process.on("exit", wrangler.kill);
  const ended = Promise.race([asked, wrangler.exited.then(failEnded)]);
  try {
    await Promise.race([ended, announce(settings, adminKey, notes)]);
    await ended;
    console.log("\nStopping.");
  } finally {
    await wrangler.stop();
  }
}

async function announce({ origin, stateDir }: StartSettings, adminKey: string, notes: string[]): Promise<void> {
  await waitForHealth(origin);
  const key = await ensureClientKey({ origin, adminKey }, stateDir);
  console.log(connectText(origin, key, notes));
  console.log("ready");
}

function failEnded({ how, fault }: { how: string; fault?: string }): never {
  if (fault !== undefined) throw new CliError(`The Worker's code can't be loaded. ${fault}\nMend it, and start again.`);
  throw new CliError(`The server ended by itself (wrangler: ${how}). What it wrote is above.`);
}

async function waitForHealth(origin: string): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  let last = "no answer";
  while (performance.now() < deadline) {
    last = await readHealth(origin);
    if (last === "status 200") return;
    await delay(HEALTH_POLL_MS);
  }
  throw new CliError(`${origin}/healthz: expected status 200 within ${READY_TIMEOUT_MS / 1000} s, received ${last}.`);
}

async function readHealth(origin: string): Promise<string> {
  try {
    const response = await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    await response.body?.cancel();
    return `status ${response.status}`;
  } catch {
    return "no answer";
  }
}

// A reader that has gone away must not take the server with it.
process.stdout.on("error", () => undefined);
process.stderr.on("error", () => undefined);

try {
  await start();
  process.exit(0);
} catch (error) {
  process.exit(reportError(error));
}
