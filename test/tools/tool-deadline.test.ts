import * as v from "valibot";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { defineTool } from "../../src/tools/define-tool.ts";
import { listRoots } from "../../src/tools/input-request.ts";
import { runTool, type ClientLink } from "../../src/tools/run-tool.ts";
import { toolContext } from "../support/tool-context.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const passMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Works, asks a client that takes `askMs`, and works again, with 1000 ms for the work. */
async function run({ workMs, askMs }: { workMs: number; askMs: number }) {
  const tool = defineTool({
    name: "asking",
    description: "Asks.",
    input: v.object({}),
    timeoutMs: 1_000,
    run: async (_, ctx) => {
      await passMs(workMs);
      await ctx.requireInput({ roots: listRoots() });
      await passMs(workMs);
      return "done";
    },
  });
  const requireInput = (async () => {
    await passMs(askMs);
    return { roots: { roots: [] } };
  }) as unknown as ClientLink["requireInput"];
  const { signal, caller, fetch, readSecret, afterCall, ...link } = toolContext({ requireInput });
  const result = runTool(
    tool,
    {},
    { peer: { cancelled: signal }, caller, egress: fetch, readSecret, afterCall, client: link },
  );
  await vi.advanceTimersByTimeAsync(2 * workMs + askMs);
  return (await result).result;
}

it("does not count what the client takes to answer", async () => {
  expect(await run({ workMs: 499, askMs: 60_000 })).toEqual({ content: [{ type: "text", text: "done" }] });
});

it("counts the work before and after together", async () => {
  expect(await run({ workMs: 501, askMs: 60_000 })).toEqual({
    content: [{ type: "text", text: "Tool asking took longer than 1000 ms and was stopped" }],
    isError: true,
  });
});
