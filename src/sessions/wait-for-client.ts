import type { JsonObject } from "../lib/json-value.ts";
import { withDeadline } from "../lib/deadline.ts";
import { LIMITS } from "../lib/limits.ts";
import { ToolError } from "../tools/tool-error.ts";

/** A client's response to a question, within `LIMITS.inputTimeoutMs`. Throws a `ToolError` that names the question. */
export async function waitForClient(response: Promise<JsonObject>, method: string): Promise<JsonObject> {
  try {
    return await withDeadline(response, LIMITS.inputTimeoutMs, method);
  } catch {
    throw new ToolError(`The client did not answer ${method} within ${LIMITS.inputTimeoutMs} ms`);
  }
}
