import { withDeadline } from "../lib/deadline.ts";
import type { JsonObject } from "../lib/json-value.ts";
import { LIMITS } from "../lib/limits.ts";
import { ToolError } from "../tools/tool-error.ts";

/** A client's response to a question, within `LIMITS.inputTimeoutMs`. Throws a `ToolError` without one, or once `signal` fires. */
export async function waitForClient(
  response: Promise<JsonObject>,
  method: string,
  signal: AbortSignal,
): Promise<JsonObject> {
  const gone = new Promise<never>((_, reject) => {
    const leave = (): void => reject(new ToolError(`Nobody waits for ${method} any more`));
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  });
  try {
    return await withDeadline(Promise.race([response, gone]), LIMITS.inputTimeoutMs, method);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError(`The client did not answer ${method} within ${LIMITS.inputTimeoutMs} ms`);
  }
}
