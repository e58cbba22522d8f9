// What an operator is told of a module before it is kept.

import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { checkModule } from "../../../src/tools/code-tool/check-module.ts";
import { testEnv } from "../../support/counting-env.ts";

const check = (module: string) => checkModule(module, testEnv.LOADER);

describe("a module is fit to be a tool", () => {
  it.each([
    ["an async function", "export default async (args, ctx) => 'x'"],
    ["a function declared later", "export { tool as default }; function tool() {}"],
    [
      "one that imports ToolError",
      "import { ToolError } from 'toolgate'; export default () => { throw new ToolError('x') }",
    ],
    ["one that awaits while it loads", "const a = await Promise.resolve(1); export default () => a"],
    ["one as long as may be", `export default () => "${"x".repeat(LIMITS.moduleChars - 24)}";`],
  ])("%s", async (_, module) => {
    expect([module.length <= LIMITS.moduleChars, await check(module)]).toEqual([true, undefined]);
  });
});

describe("a module is refused", () => {
  it.each([
    [
      "with a syntax error",
      "export default async () => {\n  const x = ;\n}",
      "line 2: SyntaxError: Unexpected token ';'",
    ],
    [
      "that fails to start",
      "\n\nnull.x; export default 1",
      "line 3: TypeError: Cannot read properties of null (reading 'x')",
    ],
    ["that throws text", "throw 'boo'", "string: boo"],
    ["without a default export", "export const a = 1", "expected a function as default export, received none"],
    [
      "with another default export",
      "export default { fetch() {} }",
      "expected a function as default export, received object",
    ],
    ["that is empty", "", "expected a function as default export, received none"],
    [
      "that imports what is not there",
      "import './nope.js'",
      'Error: No such module "nope.js". imported from "tool.js"',
    ],
    [
      "that imports a package",
      "import x from 'lodash'; export default x",
      'Error: No such module "lodash". imported from "tool.js"',
    ],
    [
      "that never loads",
      "await new Promise(() => {}); export default () => 1",
      "Error: Top-level await in module is unsettled.",
    ],
    [
      "that fetches while it loads",
      "await fetch('https://api.example.com/'); export default () => 1",
      "line 1: Error: fetch: there is no call that it could be for",
    ],
    [
      "that waits while it loads",
      "await new Promise((r) => setTimeout(r, 9)); export default () => 1",
      expect.stringContaining("Error: Disallowed operation called within global scope."),
    ],
  ])("%s", async (_, module, fault) => {
    expect(await check(module)).toEqual(fault);
  });

  it("in words of bounded length and of one line", async () => {
    const fault = await check(`throw new Error("a\\n\\u0000b" + "x".repeat(${LIMITS.moduleFaultChars}))`);
    expect(fault).toMatch(new RegExp(`^line 1: Error: a b(x+)…$`));
    expect(fault).toHaveLength(LIMITS.moduleFaultChars + 1);
  });

  it("on a server that has no loader", async () => {
    expect(await checkModule("export default () => 1", undefined)).toEqual(
      "this server can't run code: it has no LOADER binding ([[worker_loaders]] in wrangler.toml)",
    );
  });

  it("when loading takes too long", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const asked = Promise.withResolvers<void>();
    const describe = (): Promise<never> => {
      asked.resolve();
      return new Promise(() => undefined);
    };
    const loader = { get: () => ({ getEntrypoint: () => ({ describe }) }) } as unknown as WorkerLoader;
    const told = vi.fn();
    const checked = checkModule("export default () => 1", loader).then(told);
    await asked.promise;
    await vi.advanceTimersByTimeAsync(LIMITS.moduleCheckMs - 1);
    expect(told).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await checked;
    expect(told).toHaveBeenCalledWith(`loading takes longer than ${LIMITS.moduleCheckMs} ms`);
  });
});
