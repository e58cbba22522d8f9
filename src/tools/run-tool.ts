// Runs one call: arguments checked, a deadline, one outcome. Whatever a tool does, its caller gets one result.

import { LIMITS } from "../lib/limits.ts";
import { randomText } from "../lib/random.ts";
import { logFailure } from "../telemetry/log.ts";
import { text, type ToolResult } from "./content.ts";
import type { Caller, EgressInit, EgressResponse, ToolContext } from "./context.ts";
import type { Tool, ValidationIssue } from "./define-tool.ts";
import { ToolError } from "./tool-error.ts";

export interface CallScope {
  caller: Caller;
  /** Fires when the client goes away. */
  signal: AbortSignal;
  egress: (url: string, init: EgressInit | undefined, signal: AbortSignal) => Promise<EgressResponse>;
}

/** A tool's result; every failure is an `isError` result that says what the model can do about it, or a reference. */
export async function runTool(tool: Tool, args: unknown, scope: CallScope): Promise<ToolResult> {
  try {
    const input = tool.validateInput(args);
    if (!input.ok) return failure(describeIssues(`Invalid arguments for tool ${tool.name}`, input.issues));
    return checkOutput(tool, await runToDeadline(tool, input.value, scope));
  } catch (error) {
    if (error instanceof ToolError) return failure(error.message || "Tool failed");
    // Nobody reads this answer; what the tool threw on its way out is no fault of the server's.
    if (scope.signal.aborted) return failure("The call was cancelled");
    const ref = randomText(12);
    logFailure("tool_failed", ref, error, { tool: tool.name, key: scope.caller.keyId });
    return failure(`Tool failed (ref ${ref})`);
  }
}

export const failure = (message: string): ToolResult => ({
  content: [text(message.length > LIMITS.errorChars ? `${message.slice(0, LIMITS.errorChars)}…` : message)],
  isError: true,
});

async function runToDeadline(tool: Tool, input: unknown, scope: CallScope): Promise<ToolResult> {
  const deadline = new AbortController();
  const signal = AbortSignal.any([scope.signal, deadline.signal]);
  let timer: ReturnType<typeof setTimeout> | null = null;
  // What loses the race is dropped: a late result finds nobody, a late rejection is already handled by the race.
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new ToolError(`Tool ${tool.name} took longer than ${tool.timeoutMs} ms and was stopped`);
      deadline.abort(error);
      reject(error);
    }, tool.timeoutMs);
  });
  try {
    return await Promise.race([tool.run(input, contextOf(scope, signal)), expired]);
  } finally {
    clearTimeout(timer);
    deadline.abort();
  }
}

const contextOf = ({ caller, egress }: CallScope, signal: AbortSignal): ToolContext => ({
  signal,
  caller,
  fetch: (url, init) => egress(url, init, signal),
});

/** 2026-07-28, server/tools: with an output schema, structured results MUST conform to it. An error result need not. */
function checkOutput(tool: Tool, result: ToolResult): ToolResult {
  if (!tool.validateOutput || result.isError) return result;
  const output = tool.validateOutput(result.structuredContent);
  if (output.ok) return result;
  throw new TypeError(describeIssues("structuredContent does not conform to the output schema", output.issues));
}

const describeIssues = (what: string, issues: readonly ValidationIssue[]): string =>
  `${what}: ${issues.map(({ path, rule, message }) => `${path === "" ? "the whole" : path} (${rule}): ${message}`).join("; ")}`;
