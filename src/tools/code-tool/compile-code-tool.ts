// A code tool's source as a function: arguments in, one call of its isolate, a result out. What comes back is judged as a
// stranger's; what a call knows of secrets is taken out of all that it gives back.

import { findExcess } from "../../lib/json-value.ts";
import { LIMITS } from "../../lib/limits.ts";
import type { StoredCode } from "../../registry/registry-contract.ts";
import { createRedactor } from "../../sanitize/secrets.ts";
import type { ToolResult } from "../content.ts";
import type { ToolContext } from "../context.ts";
import { readSecrets } from "../read-secrets.ts";
import { ToolError } from "../tool-error.ts";
import { toResult } from "../tool-result.ts";
import { createCallHost, type CallHost } from "./call-host.ts";
import { toModuleError, withoutSecrets } from "./module-error.ts";
import { NO_LOADER, workerCode, workerId } from "./worker-code.ts";

export interface CodeToolOptions {
  /** `env.LOADER`; without it every call fails. */
  loader: WorkerLoader | undefined;
  /** A module by its hash; asked for where no isolate has it yet. */
  readModule: (hash: string) => Promise<string | undefined>;
  /** The value of a secret, at every call. Throws when there is none. */
  readSecret: (name: string) => Promise<string>;
}

export type RunCodeTool = (args: unknown, ctx: ToolContext) => Promise<ToolResult>;

interface ToolIsolate {
  run(text: string, host: CallHost["answer"]): Promise<unknown>;
}

/** Makes the function; `name` is the tool's. Nothing is loaded before the first call. */
export function compileCodeTool(name: string, source: StoredCode, options: CodeToolOptions): RunCodeTool {
  const isolateOf = createIsolates(name, source, options);
  // As `URL.host` has them.
  const hosts = (source.egress ?? []).map((host) => host.replace(/:443$/, ""));
  return async (args, ctx) => {
    const secrets = await readSecrets(source.secrets ?? [], options.readSecret);
    const redactor = createRedactor([...secrets.values()]);
    const host = createCallHost(ctx, { toolName: name, hosts, redactor });
    try {
      const isolate = await isolateOf();
      const answer = await isolate.run(
        JSON.stringify({ args, secrets: Object.fromEntries(secrets), caller: ctx.caller }),
        host.answer,
      );
      return toResult(redactor.json(readAnswer(answer)));
    } catch (error) {
      throw withoutSecrets(error, redactor);
    } finally {
      host.end();
    }
  };
}

function createIsolates(name: string, source: StoredCode, { loader, readModule }: CodeToolOptions) {
  let id: string | undefined;
  // The platform keeps a failure to load under the isolate's name: after one that was ours, the next has another.
  let failures = 0;
  return async (): Promise<ToolIsolate> => {
    if (!loader) throw new Error(NO_LOADER);
    id ??= await workerId(name, source);
    const current = failures;
    const load = async (): Promise<WorkerLoaderWorkerCode> => {
      try {
        const module = await readModule(source.hash);
        if (module === undefined) throw new Error("the registry has no such module");
        return workerCode(module);
      } catch (error) {
        failures = current + 1;
        throw error;
      }
    };
    const stub = loader.get(current === 0 ? id : `${id}~${current}`, load);
    return stub.getEntrypoint() as unknown as ToolIsolate;
  };
}

/** What the module returned. Throws `ToolError` or `ModuleError` where it threw. */
function readAnswer(answer: unknown): unknown {
  const { result, error, tooLarge, busy } = Object(answer) as Record<string, unknown>;
  if (busy === true) throw new ToolError("This tool is busy: try again in a while.");
  if (tooLarge === true || (typeof result === "string" && result.length > LIMITS.resultBytes)) {
    throw new ToolError(`Tool failed: its result is larger than ${LIMITS.resultBytes} bytes`);
  }
  if (typeof result !== "string") throw toModuleError(error);
  const excess = findExcess(result, Infinity);
  if (excess !== undefined) throw new ToolError(`Tool failed: its result has ${excess}`);
  return JSON.parse(result) as unknown;
}
