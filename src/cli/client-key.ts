// Owns the one client key that "npm start" hands out: kept beside the state, replaced only when the server refuses it.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ApiError, callAdmin, type AdminServer } from "./admin-api.ts";
import { CliError } from "./cli-error.ts";

const PROBE_TIMEOUT_MS = 10_000;
const KEY_PATTERN = /^tg_([A-Za-z0-9-]+)_[A-Za-z0-9_-]+$/;
const LOCAL_KEY = { name: "local", limits: { perMinute: 600, burst: 60 } };

/** Returns the client key kept in `stateDir` if the server still takes it, else one newly minted and kept. */
export async function ensureClientKey(server: AdminServer, stateDir: string): Promise<string> {
  const path = join(stateDir, "client-key");
  const kept = readKept(path);
  if (kept !== undefined && (await isActive(server, kept)) && (await isAccepted(server, kept))) return kept;
  const { key } = await callAdmin(server, "POST", "/keys", LOCAL_KEY);
  if (typeof key !== "string") throw new CliError("POST /admin/v1/keys: expected a key in the answer, received none.");
  writeKept(path, key);
  return key;
}

function readKept(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}

function writeKept(path: string, key: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, `${key}\n`, { mode: 0o600 });
  renameSync(fresh, path);
}

async function isActive(server: AdminServer, key: string): Promise<boolean> {
  const id = KEY_PATTERN.exec(key)?.[1];
  if (id === undefined) return false;
  try {
    return (await callAdmin(server, "GET", `/keys/${id}`))["status"] === "active";
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

// An active record is not enough: with another SIGNING_SECRET the key's own signature no longer holds.
async function isAccepted(server: AdminServer, key: string): Promise<boolean> {
  const response = await fetch(`${server.origin}/mcp`, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
  });
  await response.body?.cancel();
  return response.status !== 401;
}
