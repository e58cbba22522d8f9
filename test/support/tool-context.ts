import type { ToolContext } from "../../src/tools/context.ts";
import type { Tool } from "../../src/tools/define-tool.ts";
import type { ToolResult } from "../../src/tools/content.ts";

/** A context for a tool under test: no deadline, no network unless the test gives one. */
export const toolContext = (given: Partial<ToolContext> = {}): ToolContext => ({
  signal: new AbortController().signal,
  caller: { keyId: "k1", keyName: "test" },
  fetch: () => Promise.reject(new Error("this test has no network")),
  afterCall: { fetch: () => undefined, refreshUpstream: () => undefined },
  readSecret: () => Promise.reject(new Error("this test has no secrets")),
  noteRemoved: () => undefined,
  reportProgress: () => undefined,
  log: () => undefined,
  requireInput: () => Promise.reject(new Error("this test has no client")),
  canAsk: () => false,
  releaseStream: () => undefined,
  ...given,
});

/** Validates the arguments, runs the tool and checks its structured output: what every call goes through. */
export async function callTool(tool: Tool, args: unknown, ctx: Partial<ToolContext> = {}): Promise<ToolResult> {
  const input = tool.validateInput(args);
  if (!input.ok) throw new Error(`invalid arguments: ${JSON.stringify(input.issues)}`);
  const result = await tool.run(input.value, toolContext(ctx));
  const output = tool.validateOutput?.(result.structuredContent);
  if (output?.ok === false) throw new Error(`invalid output: ${JSON.stringify(output.issues)}`);
  return result;
}
