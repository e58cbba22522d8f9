// Calls under an idempotency key, of a tool that counts its runs, and what they are answered with.

import { expect } from "vitest";
import * as v from "valibot";
import { text } from "../../src/tools/content.ts";
import type { ToolContext } from "../../src/tools/context.ts";
import { defineTool, type Tool } from "../../src/tools/define-tool.ts";
import {
  errorOf,
  META,
  MODERN,
  modernHeaders,
  request,
  resultOf,
  type Answer,
  type Caller,
  type RevisionName,
} from "./app.ts";

export const KEY = "io.toolgate/idempotencyKey";
/** What marks an answer that was given before. */
export const REPLAYED = { "io.toolgate/idempotentReplay": true };
export const LEGACY_REVISION = "2025-11-25";

export interface CountedTool {
  tool: Tool;
  runs: () => number;
}

/** A tool `order` that counts its runs. */
export function counted(
  run: (input: Record<string, unknown>, ctx: ToolContext, runs: number) => unknown,
  more: { name?: string; timeoutMs?: number } = {},
): CountedTool {
  let runs = 0;
  const tool = defineTool({
    name: "order",
    description: "Orders something.",
    input: v.object({ dish: v.optional(v.string()), count: v.optional(v.number()) }),
    timeoutMs: 5_000,
    ...more,
    run: ((input: Record<string, unknown>, ctx: ToolContext) => run(input, ctx, ++runs)) as never,
  });
  return { tool, runs: () => runs };
}

/** One whose every run gives another answer. */
export const numbered = (more?: { name?: string }): CountedTool =>
  counted((_input, _ctx, runs) => `order ${runs}`, more);

/** A call under a key. */
export const order = (key: string, more: object = {}): Record<string, unknown> => ({
  name: "order",
  arguments: { dish: "soup", count: 2 },
  ...more,
  _meta: { [KEY]: key },
});

/** Calls as a client of the revision does; in 2026-07-28 with all that `_meta` must have. */
export function ask(
  caller: Caller,
  revision: RevisionName,
  params: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  if (revision !== MODERN) return caller.ask(revision, "tools/call", params, headers);
  const body = request("tools/call", { ...params, _meta: { ...META, ...(params["_meta"] as object) } });
  return caller.post(body, { ...modernHeaders("tools/call", params), ...headers });
}

export const told = (value: string): Answer => ({ status: 200, body: resultOf({ content: [text(value)] }) });
export const toldAgain = (value: string): Answer => ({
  status: 200,
  body: resultOf({ content: [text(value)], _meta: REPLAYED }),
});

export const refused = (status: number, data: object): Answer => ({
  status,
  body: errorOf(status, 1, expect.any(String), data),
});
export const UNKNOWN = refused(409, { idempotency: "unknown" });
export const MISMATCH = refused(422, { idempotency: "mismatch" });
export const COMPLETED = refused(409, { idempotency: "completed" });
export const RUNNING = refused(409, { idempotency: "running", retryAfterSeconds: 1 });
