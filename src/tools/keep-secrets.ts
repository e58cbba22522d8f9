// A tool in the code reads secrets by name: what it was given of them is taken out of what it gives back, says and throws,
// as it is for tools that came as data.

import { createRedactor, type Redactor } from "../sanitize/secrets.ts";
import type { ToolResult } from "./content.ts";
import type { ToolContext } from "./context.ts";
import { toResult } from "./tool-result.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** Runs a tool's function. Throws what it throws, without secrets. */
export async function keepSecrets(ctx: ToolContext, run: (ctx: ToolContext) => unknown): Promise<ToolResult> {
  const values: string[] = [];
  let redactor: Redactor | undefined;
  const { caller, fetch, afterCall, traceparent, requireInput, canAsk, releaseStream, log, reportProgress } = ctx;
  const own: ToolContext = {
    // Not copied: a signal is made when it is asked for, and costs as much as all else here.
    get signal() {
      return ctx.signal;
    },
    caller,
    fetch,
    afterCall,
    traceparent,
    requireInput,
    canAsk,
    releaseStream,
    readSecret: async (name) => {
      const value = await ctx.readSecret(name);
      values.push(value);
      redactor = createRedactor(values);
      return value;
    },
    log: (level, data, logger) => log(level, redactor ? redactData(data, redactor) : data, logger),
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

/** As JSON has it; nothing where that can't be had, as it could not be sent. */
function redactData(data: unknown, redactor: Redactor): unknown {
  try {
    return redactor.json(JSON.parse(JSON.stringify(data)));
  } catch {
    return undefined;
  }
}
