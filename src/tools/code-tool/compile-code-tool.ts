// A code tool's source as a function: arguments in, one call of its isolate, a result out. What comes back is judged as a
// stranger's; what a call knows of secrets is taken out of all that it gives back.

import { findExcess } from "../../lib/json-value.ts";
import { LIMITS } from "../../lib/limits.ts";
import { randomText } from "../../lib/random.ts";
import { createRedactor, type Redactor } from "../../sanitize/secrets.ts";
import type { ToolResult } from "../content.ts";
import type { ToolContext } from "../context.ts";
import { readSecrets } from "../read-secrets.ts";
import { ToolError } from "../tool-error.ts";
import { RESULT_TOO_LARGE, toResult } from "../tool-result.ts";
import type { StoredCode } from "../tool-record.ts";
import { createCallHost, type CallHost } from "./call-host.ts";
import { toModuleError, withoutSecrets } from "./module-error.ts";
import { missingCode, NO_LOADER, workerCode, workerId } from "./worker-code.ts";

export interface CodeToolOptions {
  /** `env.LOADER`; without it every call fails. */
  loader: WorkerLoader | undefined;
  /** A module by its hash; asked for where no isolate has it yet. */
  readModule: (hash: string) => Promise<string | undefined>;
}

export type RunCodeTool = (args: unknown, ctx: ToolContext) => Promise<ToolResult>;

type RunIsolate = (text: string, host: CallHost["answer"]) => Promise<unknown>;

/** Makes the function; `name` is the tool's. Nothing is loaded before the first call. */
export function compileCodeTool(name: string, source: StoredCode, options: CodeToolOptions): RunCodeTool {
  const runIsolate = createRunner(name, source, options);
  // As `URL.host` has them.
  const hosts = (source.egress ?? []).map((host) => host.replace(/:443$/, ""));
  return async (args, ctx) => {
    const secrets = await readSecrets(source.secrets ?? [], ctx.readSecret);
    const redactor = createRedactor([...secrets.values()]);
    const host = createCallHost(ctx, { toolName: name, hosts, redactor });
    const given = { args, secrets: Object.fromEntries(secrets), caller: ctx.caller };
    try {
      return toResult(redactor.json(readAnswer(await runIsolate(JSON.stringify(given), host.answer), redactor)), true);
    } catch (error) {
      throw withoutSecrets(error, redactor);
    } finally {
      host.end();
    }
  };
}

/**
 * Runs calls in the isolate of a source. Where its module could not be had when it was made, another takes its place: at
 * once when that was an earlier call's misfortune, else for the next call.
 */
function createRunner(name: string, source: StoredCode, { loader, readModule }: CodeToolOptions): RunIsolate {
  let id: string | undefined;
  let misses = 0;
  let reason = "it says that it is not there";
  const miss = (why: string): WorkerLoaderWorkerCode => {
    misses++;
    reason = why;
    return missingCode();
  };
  const load = async (): Promise<WorkerLoaderWorkerCode> => {
    try {
      const module = await readModule(source.hash);
      return module === undefined ? miss("the registry has no such module") : workerCode(module);
    } catch (error) {
      return miss(error instanceof Error ? error.message : String(error));
    }
  };
  return async (text, host) => {
    if (!loader) throw new Error(NO_LOADER);
    id ??= await workerId(name, source);
    for (let isRetry = false; ; isRetry = true) {
      const missed = misses;
      const isolate = loader.get(id, load).getEntrypoint() as unknown as { run: RunIsolate };
      const answer = await isolate.run(text, host);
      if (!isMissing(answer)) return answer;
      id = `${await workerId(name, source)}~${randomText(8)}`;
      // A module may answer so itself: it is believed once.
      if (isRetry || misses > missed) throw new Error(`the module can't be loaded: ${reason}`);
    }
  };
}

const isMissing = (answer: unknown): boolean => (Object(answer) as Record<string, unknown>)["missing"] === true;

/** What the module returned. Throws `ToolError` or `ModuleError` where it threw. */
function readAnswer(answer: unknown, redactor: Redactor): unknown {
  const { result, error, tooLarge, busy } = Object(answer) as Record<string, unknown>;
  if (busy === true) throw new ToolError("This tool is busy: try again in a while.");
  if (tooLarge === true || (typeof result === "string" && result.length > LIMITS.resultBytes)) {
    throw new ToolError(RESULT_TOO_LARGE);
  }
  if (typeof result !== "string") throw toModuleError(error, redactor);
  const excess = findExcess(result, Infinity);
  if (excess !== undefined) throw new ToolError(`Tool failed: its result has ${excess}`);
  return JSON.parse(result) as unknown;
}
