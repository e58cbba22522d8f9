// Secrets that are needed and not set: told when a record is put, not at the first call.

import { registryStub, type Env } from "../env.ts";
import { randomText } from "../lib/random.ts";
import type { Verdict } from "../lint/verdict.ts";
import type { ToolEdit } from "../registry/registry-contract.ts";
import { logFailure } from "../telemetry/log.ts";
import { secretsOfSource } from "../tools/record-tool.ts";

/** Those of these names that are not set, in their order. */
export async function findUnset(env: Env, names: readonly string[]): Promise<string[]> {
  const needed = [...new Set(names)];
  if (needed.length === 0) return [];
  const { secrets } = await registryStub(env).readSecrets(needed);
  const set = new Set(secrets.map(({ name }) => name));
  return needed.filter((name) => !set.has(name));
}

/**
 * A warning for each tool that was put and each secret that it needs and that is not set. None where that can't be found
 * out: the change is made, and must not be told as one that failed.
 */
export async function warnOfUnset(env: Env, edits: readonly ToolEdit[]): Promise<(Verdict & { tool: string })[]> {
  const needs = edits.flatMap((edit) =>
    edit.op === "put" && edit.row.record
      ? secretsOfSource(edit.row.record.source).map((secret) => ({ tool: edit.name, secret }))
      : [],
  );
  const names = needs.map(({ secret }) => secret);
  const unset = new Set(
    await findUnset(env, names).catch((error: unknown) => {
      logFailure("secrets_unreadable", randomText(12), error);
      return [];
    }),
  );
  return needs
    .filter(({ secret }) => unset.has(secret))
    .map(({ tool, secret }) => ({
      client: "all",
      path: "/source",
      rule: "secret-unset",
      level: "warning",
      message: `The secret ${secret} is not set: calls fail until it is.`,
      tool,
    }));
}
