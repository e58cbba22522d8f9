// The isolate of a module: what is in it, and by what name the platform keeps it. It has no network and no bindings; what
// a call may do comes with the call, and ends with it.

import type { StoredCode } from "../tool-record.ts";
import { LIMITS } from "../../lib/limits.ts";
import { sha256Hex } from "../../lib/signing.ts";
import { ISOLATE_MODULES, MAIN_MODULE, MISSING_MODULES, TOOL_MODULE } from "./isolate-modules.ts";

/** What is wrong with a Worker that is to run code tools without the binding. */
export const NO_LOADER = "this server can't run code: it has no LOADER binding ([[worker_loaders]] in wrangler.toml)";

const COMPATIBILITY_DATE = "2026-11-02";

/** The code of an isolate for a module. */
export const workerCode = (module: string): WorkerLoaderWorkerCode => ({
  compatibilityDate: COMPATIBILITY_DATE,
  mainModule: MAIN_MODULE,
  modules: { ...ISOLATE_MODULES, [TOOL_MODULE]: { js: module } },
  env: {},
  globalOutbound: null,
  limits: { cpuMs: LIMITS.moduleCpuMs, subRequests: LIMITS.moduleSubrequests },
});

/** The code of an isolate whose module could not be had. It only says so: the platform would keep a failure to load. */
export const missingCode = (): WorkerLoaderWorkerCode => ({
  ...workerCode(""),
  modules: { ...MISSING_MODULES },
});

/**
 * The name of an isolate, `<tool>@<hash of the module>.<hash of the rest>`. What a module keeps between calls, two that
 * differ in anything don't share: a tool with other secrets or hosts starts afresh.
 */
export async function workerId(owner: string, { hash, egress = [], secrets = [] }: StoredIdentity): Promise<string> {
  const { modules, ...settings } = workerCode("");
  const rest = await sha256Hex(JSON.stringify([modules, settings, egress, secrets]));
  return `${owner}@${hash}.${rest.slice(0, 16)}`;
}

type StoredIdentity = Pick<StoredCode, "hash" | "egress" | "secrets">;
