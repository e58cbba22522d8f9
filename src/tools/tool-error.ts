/**
 * A failure that the model should read and act on: its text reaches the caller as an `isError` result.
 * Whatever else a tool throws is told as "Tool failed (ref …)", with the cause in the log only.
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
}
