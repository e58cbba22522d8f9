import { expect, it } from "vitest";
import { compile, moduleOf, runBody } from "../../support/code-tool.ts";
import { toolContext } from "../../support/tool-context.ts";

it("runs", async () => {
  expect(await runBody("return JSON.stringify([args, ctx.caller])", { args: { a: 1 } })).toEqual({
    content: [{ type: "text", text: '[{"a":1},{"keyId":"k1","keyName":"test"}]' }],
  });
});
it("progress", async () => {
  const seen: unknown[] = [];
  await runBody("ctx.progress(1); ctx.progress(2, 3, 'x'); ctx.log('info', {a: 1}); return ''", {
    ctx: { reportProgress: (...a) => void seen.push(a), log: (...a) => void seen.push(a) },
  });
  expect(seen).toEqual([]);
});
it("throws", async () => {
  await runBody("\n\nnull.x").catch((e) => console.log(e.name, e.message, e.stack));
  await (await compile("import { ToolError } from 'toolgate'; " + moduleOf("throw new ToolError('nope')")))({}, toolContext()).catch((e) => console.log(e.name, e.message));
  await (await compile("export const x = 1"))({}, toolContext()).catch((e) => console.log(e.name, e.message));
  await (await compile("export const x = ;"))({}, toolContext()).catch((e) => console.log(e.name, e.message));
});
