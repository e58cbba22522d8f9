// A tool in the code reads secrets by name: what it was given of them is taken out of what it gives back, says and throws,
// as it is for tools that came as data.

import { LIMITS } from "../lib/limits.ts";
import { createRedactor, type Redactor } from "../sanitize/secrets.ts";
import type { ToolResult } from "./content.ts";
import type { ToolContext } from "./context.ts";
import type { InputRequest } from "./input-request.ts";
import { toResult } from "./tool-result.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** Runs a tool's function. Throws what it throws, without secrets. */
export async function keepSecrets(ctx: ToolContext, run: (ctx: ToolContext) => unknown): Promise<ToolResult> {
  const values: string[] = [];
  let redactor: Redactor | undefined;
  const { caller, fetch, afterCall, traceparent, canAsk, releaseStream, noteRemoved } = ctx;
  const { log, reportProgress, requireInput } = ctx;
  const own: ToolContext = {
    // Not copied: a signal is made when it is asked for, and costs as much as all else here.
    get signal() {
      return ctx.signal;
    },
    caller,
    fetch,
    afterCall,
    traceparent,
    canAsk,
    releaseStream,
    noteRemoved,
    readSecret: async (name) => {
      const value = await ctx.readSecret(name);
      values.push(value);
      redactor = createRedactor(values);
      return value;
    },
    log: (level, data, logger) => log(level, redactor ? redactData(data, redactor) : data, logger),
    requireInput: async (requests) => requireInput(redactor ? redactQuestions(requests, redactor) : requests),
    reportProgress: (progress, total, message) =>
      reportProgress(progress, total, typeof message === "string" && redactor ? redactor.text(message) : message),
  };
  try {
    const result = toResult(await run(own));
    // Base64 that is no base64 any more fails: bytes can't be changed without breaking what they are.
    return redactor ? toResult(redactor.json(result), true) : result;
  } catch (error) {
    throw redactor ? withoutSecrets(error, redactor) : error;
  }
}

/** Each question as JSON has it. Throws where one can't be had, or is named by a secret: its answer comes by that name. */
function redactQuestions<R extends Record<string, InputRequest>>(requests: R, redactor: Redactor): R {
  const json = JSON.stringify(requests);
  const plain = Object.entries(JSON.parse(json) as R);
  // Refused for that by whoever would send it.
  if (json.length > LIMITS.inputRequestsChars) return Object.fromEntries(plain) as R;
  if (plain.some(([name]) => redactor.text(name) !== name)) throw new TypeError("requireInput: a name holds a secret");
  return Object.fromEntries(plain.map(([name, request]) => [name, redactor.json(request)])) as R;
}

/** As JSON has it; nothing where that can't be had, as it could not be sent. */
function redactData(data: unknown, redactor: Redactor): unknown {
  try {
    return redactor.json(JSON.parse(JSON.stringify(data)));
  } catch {
    return undefined;
  }
}
