// Code tools before the test Worker's own loader, each with an isolate of its own.

import { sha256Hex } from "../../src/lib/signing.ts";
import {
  compileCodeTool,
  type CodeToolOptions,
  type RunCodeTool,
} from "../../src/tools/code-tool/compile-code-tool.ts";
import type { ToolContext } from "../../src/tools/context.ts";
import type { Tool } from "../../src/tools/define-tool.ts";
import type { ToolResult } from "../../src/tools/content.ts";
import { testEnv } from "./counting-env.ts";
import { toolContext } from "./tool-context.ts";

export interface CodeSetup extends Partial<CodeToolOptions> {
  name?: string;
  egress?: string[];
  secrets?: Record<string, string>;
  readSecret?: ToolContext["readSecret"];
}

/** `module` as a tool's function; without a name it shares its isolate with no other. */
export async function compile(module: string, setup: CodeSetup = {}): Promise<RunCodeTool> {
  const { name = `tool_${crypto.randomUUID()}`, egress, secrets, ...options } = setup;
  const hash = await sha256Hex(module);
  const source = {
    kind: "code" as const,
    hash,
    ...(egress && { egress }),
    ...(secrets && { secrets: Object.keys(secrets) }),
  };
  const run = compileCodeTool(name, source, {
    loader: testEnv.LOADER,
    readModule: (asked) => Promise.resolve(asked === hash ? module : undefined),
    ...options,
  });
  const readSecret = options.readSecret ?? ((secret: string) => Promise.resolve(secrets?.[secret] ?? ""));
  return (args, ctx) => run(args, { ...ctx, readSecret });
}

/** A module whose tool is a function with this body. */
export const moduleOf = (body: string): string => `export default async (args, ctx) => { ${body} };`;

/** Runs a function's body as a code tool. */
export async function runBody(
  body: string,
  { args = {}, ctx = {}, ...setup }: CodeSetup & { args?: unknown; ctx?: Partial<ToolContext> } = {},
): Promise<ToolResult> {
  return (await compile(moduleOf(body), setup))(args, toolContext(ctx));
}

/** The same as a tool that a server can serve. */
export async function codeTool(module: string, setup: CodeSetup & { timeoutMs?: number } = {}): Promise<Tool> {
  const { name = "code", timeoutMs = 10_000, ...rest } = setup;
  return {
    name,
    timeoutMs,
    definition: { name, description: "Runs a module.", inputSchema: { type: "object" } },
    validateInput: (value) => ({ ok: true, value }),
    run: await compile(module, { name, ...rest }),
  };
}
