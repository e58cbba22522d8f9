import { logEvent } from "../telemetry/log.ts";
import { ToolError } from "./tool-error.ts";

/**
 * The values of secrets by their names. Throws `ToolError` when there is one that can't be had: which it is concerns the
 * operator, who finds it in the log; the model is told only that it can do nothing about it.
 */
export async function readSecrets(
  names: readonly string[],
  read: (name: string) => Promise<string>,
): Promise<ReadonlyMap<string, string>> {
  return new Map(await Promise.all(names.map(async (name) => [name, await readSecret(name, read)] as const)));
}

async function readSecret(name: string, read: (name: string) => Promise<string>): Promise<string> {
  try {
    return await read(name);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "no reason";
    logEvent("error", "secret_unavailable", { secret: name, reason });
    throw new ToolError("This tool can't be used now: a secret that it needs is not available. Tell its operator.");
  }
}
