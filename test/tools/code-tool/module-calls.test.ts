// Calls of code tools as clients make them: what they are told of failures, deadlines and cancellations.

import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallCancelled, runTool, type CallScope } from "../../../src/tools/run-tool.ts";
import { openCaller, resultOf } from "../../support/app.ts";
import { codeTool, moduleOf } from "../../support/code-tool.ts";
import { toolContext } from "../../support/tool-context.ts";

const logged: string[] = [];

beforeEach(() => {
  logged.length = 0;
  vi.spyOn(console, "error").mockImplementation((line: string) => void logged.push(line));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const call = async (body: string, setup: Parameters<typeof codeTool>[1] = {}) => {
  const tool = await codeTool(`import { ToolError } from "toolgate";\n${moduleOf(body)}`, setup);
  const caller = await openCaller([tool]);
  return (await caller.ask("2025-11-25", "tools/call", { name: tool.name, arguments: {} })).body;
};
const failedWith = (text: unknown) => resultOf({ content: [{ type: "text", text }], isError: true });

describe("a client is told", () => {
  it("what a ToolError says", async () => {
    expect(await call("throw new ToolError('Say when.')")).toEqual(failedWith("Say when."));
  });

  it("a reference for all else, and the log its cause", async () => {
    const body = await call("throw new Error('pg://u:s3cret@10.0.0.5')");
    expect(body).toEqual(failedWith(expect.stringMatching(/^Tool failed \(ref [a-z2-7]{12}\)$/)));
    const [ref] = /[a-z2-7]{12}/.exec(JSON.stringify(body)) ?? [];
    expect(logged.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        event: "tool_failed",
        ref,
        tool: "code",
        error: "ModuleError: Error: pg://u:s3cret@10.0.0.5",
        stack: expect.stringMatching(/^at tool\.js:2:\d+$/),
      }),
    ]);
  });

  it("that the server itself is no destination", async () => {
    const body = await call("await fetch('https://gate.example/mcp')", { egress: ["gate.example"] });
    expect(body).toEqual(failedWith(expect.stringMatching(/^Destination not allowed: it is this server itself\./)));
  });

  it("that an endless wait was cut", async () => {
    expect(await call("await new Promise(() => {})", { timeoutMs: 100 })).toEqual(
      failedWith("Tool code took longer than 100 ms and was stopped"),
    );
  });

  it("the same when the isolate is gone, and the next call runs", async () => {
    const body = `if (args.end) (await import("cloudflare:workers")).abortIsolate("bye"); return "here"`;
    const tool = await codeTool(moduleOf(body), { timeoutMs: 500 });
    const caller = await openCaller([tool]);
    const ask = async (args: object) =>
      (await caller.ask("2025-11-25", "tools/call", { name: tool.name, arguments: args })).body;
    expect([await ask({ end: true }), await ask({})]).toEqual([
      failedWith(expect.stringMatching(/^Tool (failed|code took)/)),
      resultOf({ content: [{ type: "text", text: "here" }] }),
    ]);
  });
});

// Counts for as long as it runs; the next call sees whether it still does.
const TICKING = `let ticks = 0; let fired;
  export default async (args, ctx) => {
    if (args.look) {
      const before = ticks;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return JSON.stringify([before > 0, ticks === before, fired]);
    }
    ctx.signal.addEventListener("abort", () => { fired = ctx.signal.reason.name });
    setInterval(() => { if (++ticks === 3) ctx.progress(1) }, 1);
    await new Promise(() => {});
  };`;
const look = async (tool: Awaited<ReturnType<typeof codeTool>>) =>
  (await tool.run({ look: true }, toolContext())).content;
const STOPPED = [{ type: "text", text: '[true,true,"AbortError"]' }];

const scopeOf = (signal: AbortSignal, reportProgress: () => void): CallScope => ({
  caller: { keyId: "k1", keyName: "test" },
  peer: { cancelled: signal },
  egress: () => Promise.reject(new Error("this test has no network")),
  readSecret: () => Promise.reject(new Error("this test has no secrets")),
  client: { ...toolContext(), reportProgress },
  afterCall: toolContext().afterCall,
});

describe("a call that ends early", () => {
  it("by its deadline fires the signal and stops the module", async () => {
    const tool = await codeTool(TICKING, { name: "ticking", timeoutMs: 200 });
    const end = await runTool(
      tool,
      {},
      scopeOf(new AbortController().signal, () => undefined),
    );
    expect([end.outcome, await look(tool)]).toEqual(["timeout", STOPPED]);
  });

  it("by its client fires the signal and stops the module", async () => {
    const tool = await codeTool(TICKING, { name: "ticking2" });
    const client = new AbortController();
    await expect(
      runTool(
        tool,
        {},
        scopeOf(client.signal, () => client.abort()),
      ),
    ).rejects.toBeInstanceOf(CallCancelled);
    expect(await look(tool)).toEqual(STOPPED);
  });
});
