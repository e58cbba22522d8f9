// What a module finds around it, and what it can break: its own calls.

import { describe, expect, it } from "vitest";
import { compile, moduleOf, runBody } from "../../support/code-tool.ts";
import { toolContext } from "../../support/tool-context.ts";

const said = (text: unknown) => ({ content: [{ type: "text", text }] });

/** A caller's context, whose fetch answers once `wait` is over. */
const contextOf = (keyId: string, wait: Promise<void>) =>
  toolContext({
    caller: { keyId, keyName: "" },
    fetch: async () => {
      await wait;
      return {
        url: "https://api.example.com/",
        status: 200,
        statusText: "",
        headers: new Headers(),
        bytes: new Uint8Array(),
      };
    },
  });

describe("around a module there is", () => {
  it("no binding and no variable", async () => {
    const body = `const { env } = await import("cloudflare:workers");
      return JSON.stringify([env, { ...process.env }])`;
    expect(await runBody(body)).toEqual(said("[{},{}]"));
  });

  it("no cache, no evaluation of text, no WebAssembly from bytes", async () => {
    const body = `const told = [typeof caches];
      const wasm = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
      for (const make of [() => eval("1"), () => new Function("1"), () => new WebAssembly.Module(wasm)]) {
        try { make(); told.push("made") } catch (e) { told.push(e.name) }
      }
      return String(told)`;
    expect(await runBody(body)).toEqual(said("undefined,EvalError,EvalError,CompileError"));
  });

  it("nothing of the server's own isolate", async () => {
    Object.assign(globalThis, { serverSide: "a secret" });
    const body = `Object.prototype.polluted = 1; Array.prototype.map = null; return String(globalThis.serverSide)`;
    expect([await runBody(body), ({} as { polluted?: number }).polluted, [1].map(String)]).toEqual([
      said("undefined"),
      undefined,
      ["1"],
    ]);
  });

  it("no way to another tool's isolate", async () => {
    await runBody("Object.prototype.polluted = 1; globalThis.left = 1; return ''");
    expect(await runBody("return String([{}.polluted, globalThis.left])")).toEqual(said(","));
  });

  it("no other call's secret or caller", async () => {
    const gate = Promise.withResolvers<void>();
    const module = moduleOf("await ctx.fetch('https://api.example.com/'); return ctx.caller.keyId");
    const run = await compile(module, { egress: ["api.example.com"] });
    const first = run({}, contextOf("k1", gate.promise));
    const second = await run({}, contextOf("k2", Promise.resolve()));
    gate.resolve();
    expect([await first, second]).toEqual([said("k1"), said("k2")]);
  });
});

describe("a module that", () => {
  it("ends its process fails its call, and the next one runs", async () => {
    const run = await compile(moduleOf("if (args.end) process.exit(1); return 'here'"));
    await expect(run({ end: true }, toolContext())).rejects.toHaveProperty("name", "ModuleError");
    expect(await run({}, toolContext())).toEqual(said("here"));
  });

  it("answers in place of its isolate fails its call", async () => {
    const module = moduleOf("(await import('./main.js')).default.prototype.run = () => args.answer; return ''");
    for (const answer of [{}, null, { result: 5 }, { error: { name: 1 } }]) {
      const run = await compile(module);
      await run({ answer }, toolContext());
      await expect(run({}, toolContext())).rejects.toHaveProperty("name", "ModuleError");
    }
  });

  it("says that it is not there is loaded once more", async () => {
    const module =
      "let calls = 0; export default () => String(++calls); (await import('./main.js')).default.prototype.run = () => ({ missing: true });";
    const run = await compile(module);
    expect([await run({}, toolContext()), await run({}, toolContext())]).toEqual([said("1"), said("1")]);
  });

  it("calls its own entrypoint over and over comes to an end", async () => {
    const self = `(await import("cloudflare:workers")).exports.default`;
    const run = await compile(moduleOf(`await ${self}.run("{}", async () => ({})); return "here"`));
    expect(await run({}, toolContext())).toEqual(said("here"));
  });

  it.each([
    [
      "globals",
      "for (const name of ['Promise', 'JSON', 'Object', 'Error', 'String', 'Response']) globalThis[name] = undefined",
    ],
    ["fetch", "globalThis.fetch = () => Promise.resolve(new Response('forged'))"],
    ["prototypes", "Promise.prototype.then = undefined; Array.prototype[Symbol.iterator] = undefined"],
  ])("overwrites %s spoils its own tool alone", async (_, deed) => {
    await (await compile(moduleOf(`${deed}; return ""`)))({}, toolContext()).catch(() => undefined);
    expect(await runBody("return 'fine'")).toEqual(said("fine"));
  });

  it("leaves a rejection behind answers all the same", async () => {
    const body =
      "Promise.reject(new Error('stray')); queueMicrotask(() => { throw new Error('stray') }); return 'done'";
    expect(await runBody(body)).toEqual(said("done"));
  });
});
