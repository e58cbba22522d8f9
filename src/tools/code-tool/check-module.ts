// Whether a module can be a tool: it is loaded once, in an isolate without network, and asked for its default export.

import { markCut } from "../../lib/cut-text.ts";
import { withDeadline, DeadlineError } from "../../lib/deadline.ts";
import { LIMITS } from "../../lib/limits.ts";
import { sha256Hex } from "../../lib/signing.ts";
import { TOOL_MODULE } from "./isolate-modules.ts";
import { readThrown } from "./module-error.ts";
import { NO_LOADER, workerCode, workerId } from "./worker-code.ts";

interface ModuleIsolate {
  describe(): Promise<unknown>;
}

/**
 * What is wrong with a module, with the line where that is known; `undefined` when it can be called. Without `env.LOADER`
 * nothing can. Takes `LIMITS.moduleCheckMs` at most, unless the runtime itself can't stop a loop.
 */
export async function checkModule(module: string, loader: WorkerLoader | undefined): Promise<string | undefined> {
  if (!loader) return NO_LOADER;
  const id = await workerId("check", { hash: await sha256Hex(module) });
  const isolate = loader.get(id, () => workerCode(module)).getEntrypoint() as unknown as ModuleIsolate;
  try {
    return faultOf(await withDeadline(isolate.describe(), LIMITS.moduleCheckMs, "loading"));
  } catch (error) {
    if (error instanceof DeadlineError) return `loading takes longer than ${LIMITS.moduleCheckMs} ms`;
    return describeFailure(error instanceof Error ? error.message : String(error));
  }
}

function faultOf(answer: unknown): string | undefined {
  const { type, error } = Object(answer) as Record<string, unknown>;
  if (type === "function") return undefined;
  if (typeof type === "string") {
    return cut(`expected a function as default export, received ${type === "undefined" ? "none" : type}`);
  }
  const thrown = readThrown(error);
  if (!thrown) return "loading failed";
  return describeFailure(`${thrown.name}: ${thrown.message}${thrown.at === undefined ? "" : ` at ${thrown.at}`}`);
}

/** The runtime's words with the line in front, where they have one: `line 2: SyntaxError: Unexpected token ';'`. */
function describeFailure(text: string): string {
  const line = LINE.exec(text)?.[1];
  const reason = text
    .replace(/^Failed to start Worker:\s*/, "")
    .replace(/^Uncaught /, "")
    .replace(LINE, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return cut(line === undefined ? reason : `line ${line}: ${reason}`);
}

const LINE = new RegExp(`\\s+at ${TOOL_MODULE.replace(".", "\\.")}:(\\d+):\\d+`);

const cut = (text: string): string => markCut(text, LIMITS.moduleFaultChars);
