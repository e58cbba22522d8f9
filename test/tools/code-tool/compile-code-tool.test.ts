// A module as a tool: what it is given, what becomes of what it returns, and how long it keeps what it knows.

import { describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../../src/lib/limits.ts";
import { compile, moduleOf, runBody } from "../../support/code-tool.ts";
import { toolContext } from "../../support/tool-context.ts";

const said = (text: unknown) => ({ content: [{ type: "text", text }] });
const toolError = (message: unknown) => expect.objectContaining({ name: "ToolError", message });
const moduleError = (message: unknown) => expect.objectContaining({ name: "ModuleError", message });
const textItem = (text: string) => ({ type: "text", text });

/** Runs a module that answers with a text of its own where its result as JSON should be. */
const runForged = async (text: string) =>
  (await compile(`JSON.stringify = () => ${text}; export default () => 1`))({}, toolContext());

const compileThrowing = (body: string) => compile(`import { ToolError } from "toolgate";\n${moduleOf(body)}`);

describe("a call", () => {
  it("brings the arguments, the caller and nothing else of its own", async () => {
    const body = "return JSON.stringify([args, ctx.caller, ctx.secrets, Object.keys(ctx)])";
    expect(await runBody(body, { args: { a: [1, "é\u2028"] } })).toEqual(
      said(
        JSON.stringify([
          { a: [1, "é\u2028"] },
          { keyId: "k1", keyName: "test" },
          {},
          ["caller", "secrets", "signal", "fetch", "progress", "log"],
        ]),
      ),
    );
  });

  it("leaves names that prototypes have as data", async () => {
    const args: unknown = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}');
    const body = "return JSON.stringify([Object.keys(args), ({}).isAdmin ?? null, ({}).x ?? null])";
    expect(await runBody(body, { args })).toEqual(said('[["__proto__","constructor"],null,null]'));
  });

  it.each<[string, string, unknown]>([
    ["text", "return 'hello'", said("hello")],
    ["content", "return { type: 'text', text: 'a' }", said("a")],
    ["a list", "return [{ type: 'text', text: 'a' }]", said("a")],
    ["a whole result", "return { content: [], isError: true }", { content: [], isError: true }],
    [
      "structured content",
      "return { structuredContent: { n: 1 } }",
      { ...said('{"n":1}'), structuredContent: { n: 1 } },
    ],
    [
      "what JSON makes of it",
      "return { structuredContent: { d: new Date(0), u: undefined } }",
      expect.objectContaining({ structuredContent: { d: "1970-01-01T00:00:00.000Z" } }),
    ],
  ])("answers with %s", async (_, body, expected) => {
    expect(await runBody(body)).toEqual(expected);
  });

  it.each<[string, string, string]>([
    ["nothing", "return", "TypeError: tool result: the whole: expected an object, received null"],
    ["a number", "return 5", "TypeError: tool result: the whole: expected an object, received a number"],
    ["what is no result", "return { a: 1 }", "TypeError: tool result: content: expected a value, received none"],
    [
      "what JSON has no word for",
      "return { structuredContent: 1n }",
      "TypeError: Do not know how to serialize a BigInt",
    ],
    ["a cycle", "const a = {}; a.a = a; return a", "TypeError: Converting circular structure"],
  ])("fails on %s", async (_, body, message) => {
    await expect(runBody(body)).rejects.toEqual(moduleError(expect.stringContaining(message)));
  });

  it.each([
    ["at the limit", LIMITS.resultBytes - 2, true],
    ["above it", LIMITS.resultBytes - 1, false],
  ])("answers with a result %s of its length, quotes included", async (_, chars, passes) => {
    const call = runBody(`return "x".repeat(${chars})`);
    if (passes) expect((await call).content[0]).toHaveProperty("text.length", chars);
    else
      await expect(call).rejects.toEqual(
        toolError(`Tool failed: its result is larger than ${LIMITS.resultBytes} bytes`),
      );
  });

  it("fails on a result that breaks the limits behind its isolate's back", async () => {
    await expect(runForged(`"[".repeat(${LIMITS.jsonDepth + 1})`)).rejects.toEqual(
      toolError(`Tool failed: its result has nesting too deep: at most ${LIMITS.jsonDepth} levels`),
    );
    await expect(runForged("({ length: 0 })")).rejects.toEqual(
      moduleError("the isolate answered something that makes no sense"),
    );
    await expect(runForged("'no JSON'")).rejects.toEqual(moduleError(expect.stringMatching(/^SyntaxError: /)));
    // What the runtime passes on between isolates is 32 MiB.
    await expect(runForged("({ length: 0, big: 'x'.repeat(33 << 20) })")).rejects.toEqual(
      moduleError(expect.stringContaining("32MiB")),
    );
  });
});

describe("what is thrown", () => {
  it("is for the model when it is a ToolError", async () => {
    const run = await compileThrowing("class Mine extends ToolError {} throw new Mine('Say when.')");
    await expect(run({}, toolContext())).rejects.toEqual(toolError("Say when."));
  });

  it("is cut at its limit", async () => {
    const run = await compileThrowing(`throw new ToolError("x".repeat(args.chars))`);
    await expect(run({ chars: LIMITS.errorChars }, toolContext())).rejects.toEqual(
      toolError("x".repeat(LIMITS.errorChars)),
    );
    await expect(run({ chars: LIMITS.errorChars + 1 }, toolContext())).rejects.toEqual(
      toolError(`${"x".repeat(LIMITS.errorChars)}…`),
    );
  });

  it.each<[string, string, string]>([
    ["an Error", "throw new RangeError('boo')", "RangeError: boo"],
    [
      "what only looks like a ToolError",
      "throw Object.assign(new Error('boo'), { name: 'ToolError' })",
      "ToolError: boo",
    ],
    ["text", "throw 'boo'", "string: boo"],
    ["nothing", "throw undefined", "undefined: undefined"],
    ["an object that won't be text", "throw { toString() { throw 1 } }", "Error: something that can't be shown"],
    [
      "an Error that won't be read",
      "throw Object.defineProperty(new Error(), 'message', { get() { throw 1 } })",
      "Error: something that can't be shown",
    ],
    ["a Proxy", "throw new Proxy({}, { getPrototypeOf() { throw 1 } })", "Error: something that can't be shown"],
    [
      "an Error forged behind its isolate's back",
      "String = () => ({ slice: () => 5 }); throw new Error('boo')",
      "the isolate answered something that makes no sense",
    ],
  ])("is for the log when it is %s", async (_, body, message) => {
    await expect((await compileThrowing(body))({}, toolContext())).rejects.toEqual(moduleError(message));
  });

  it("is logged with the line of the module", async () => {
    const run = await compileThrowing("\n  null.x");
    await expect(run({}, toolContext())).rejects.toEqual(expect.objectContaining({ stack: "at tool.js:3:8" }));
  });

  it.each<[string, string, string]>([
    [
      "has a syntax error",
      "export default 1 +;",
      "Error: Failed to start Worker:\nUncaught SyntaxError: Unexpected token ';'\n  at tool.js:1:18",
    ],
    ["fails to start", "throw new Error('boo'); export default 1", "Error: boo"],
    ["has no default export", "export const a = 1", "TypeError: the default export is not a function"],
  ])("includes that the module %s", async (_, module, message) => {
    await expect((await compile(module))({}, toolContext())).rejects.toEqual(moduleError(message));
  });
});

describe("news", () => {
  it("arrive in order, before the answer", async () => {
    const news: unknown[] = [];
    const reportProgress = vi.fn((...report: unknown[]) => void news.push(report));
    const log = vi.fn((...entry: unknown[]) => void news.push(entry));
    const body = "ctx.progress(1); ctx.log('info', { a: 1 }); ctx.progress(2, 3, 'x'); return 'done'";
    await runBody(body, { name: "news", ctx: { reportProgress, log } });
    expect(news).toEqual([
      [1, undefined, undefined],
      ["info", { a: 1 }, "news"],
      [2, 3, "x"],
    ]);
  });

  it("of the wrong shape are dropped", async () => {
    const [reportProgress, log] = [vi.fn(), vi.fn()];
    const deep = `JSON.parse("[".repeat(${LIMITS.jsonDepth}) + "]".repeat(${LIMITS.jsonDepth}))`;
    const body = `ctx.progress('1'); ctx.progress(NaN); ctx.progress(1, '2'); ctx.progress(1, 2, 3); ctx.log('loud', 1);
      ctx.log('info', ${deep}); ctx.progress(7); return ''`;
    await runBody(body, { ctx: { reportProgress, log } });
    expect([reportProgress.mock.calls, log.mock.calls]).toEqual([[[7, undefined, undefined]], []]);
  });

  it("are bounded in number", async () => {
    const reportProgress = vi.fn();
    await runBody(`for (let i = 0; i <= ${LIMITS.callNotifications} + 500; i++) ctx.progress(i); return ''`, {
      ctx: { reportProgress },
    });
    expect(reportProgress).toHaveBeenCalledTimes(LIMITS.callNotifications);
  });

  it("are bounded in size", async () => {
    const log = vi.fn();
    const overhead = '["info",""]'.length;
    const body = `for (const more of [0, 1]) ctx.log('info', 'x'.repeat(${LIMITS.notificationChars - overhead} + more)); return ''`;
    await runBody(body, { ctx: { log } });
    expect(log.mock.calls.map(([, data]) => String(data).length)).toEqual([LIMITS.notificationChars - overhead]);
  });
});

describe("secrets", () => {
  const secrets = { TOKEN: "s3cret-token-1", OTHER: "s3cret-other-2" };

  it("are those that the record names", async () => {
    const body = "return String(Object.keys(ctx.secrets)) + ctx.secrets.TOKEN.length";
    expect(await runBody(body, { secrets: { TOKEN: secrets.TOKEN } })).toEqual(said("TOKEN14"));
  });

  it("are taken out of all that a call gives back", async () => {
    const news: unknown[] = [];
    const ctx = {
      reportProgress: (...report: unknown[]) => void news.push(report),
      log: (...entry: unknown[]) => void news.push(entry),
    };
    const body = `const { TOKEN, OTHER } = ctx.secrets; ctx.progress(1, 2, TOKEN); ctx.log("info", { [TOKEN]: OTHER });
      return { structuredContent: { [TOKEN]: btoa(OTHER) } }`;
    expect([await runBody(body, { name: "leaky", secrets, ctx }), news]).toEqual([
      { ...said('{"[redacted]":"[redacted]"}'), structuredContent: { "[redacted]": "[redacted]" } },
      [
        [1, 2, "[redacted]"],
        ["info", { "[redacted]": "[redacted]" }, "leaky"],
      ],
    ]);
    for (const error of ["ToolError", "Error"]) {
      const module = `import { ToolError } from "toolgate";\n${moduleOf(`throw new ${error}(ctx.secrets.TOKEN)`)}`;
      const failure: unknown = await (await compile(module, { secrets }))({}, toolContext()).catch((e: unknown) => e);
      expect(JSON.stringify([failure, String(failure), (failure as Error).stack])).not.toContain(secrets.TOKEN);
    }
  });

  it("are found as numbers, and in lower case", async () => {
    const news: unknown[] = [];
    const ctx = { reportProgress: (...report: unknown[]) => void news.push(report) };
    const body = `ctx.progress(Number(ctx.secrets.PIN)); ctx.progress(1, Number(ctx.secrets.PIN));
      const { type } = new Blob([], { type: "text/" + ctx.secrets.NAME });
      return { structuredContent: { n: Number(ctx.secrets.PIN), type, m: 7 } }`;
    const clean = { n: "[redacted]", type: "text/[redacted]", m: 7 };
    const told = await runBody(body, { secrets: { PIN: "48213377", NAME: "Some-Secret" }, ctx });
    expect([told, news]).toEqual([{ ...said(JSON.stringify(clean)), structuredContent: clean }, []]);
  });

  it.each(["ToolError", "Error"])("are not told by an %s that is cut inside one", async (kind) => {
    const message = `"x".repeat(${LIMITS.errorChars - 20}) + ctx.secrets.TOKEN.repeat(2)`;
    const module = `import { ToolError } from "toolgate";\n${moduleOf(`throw new ${kind}(${message})`)}`;
    const run = await compile(module, { secrets: { TOKEN: "s3cret-token-1" } });
    const failure: unknown = await run({}, toolContext()).catch((e: unknown) => e);
    expect(String(failure)).toMatch(/x\[redacted\](\[re|…)/);
    expect(`${String(failure)} ${(failure as Error).stack}`).not.toContain("s3c");
  });

  it("that can't be had fail the call before the module runs", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const reportProgress = vi.fn();
    const run = runBody("ctx.progress(1); return ''", {
      secrets,
      readSecret: () => Promise.reject(new Error("it is not set")),
      ctx: { reportProgress },
    });
    await expect(run).rejects.toEqual(toolError(expect.stringMatching(/^This tool can't be used now: a secret/)));
    expect([logged.mock.calls.length, reportProgress.mock.calls]).toEqual([2, []]);
    logged.mockRestore();
  });
});

describe("an isolate", () => {
  const counter = `let calls = 0; export default () => String(++calls)`;
  const count = async (setup: Parameters<typeof compile>[1], module = counter) =>
    (await (await compile(module, setup))({}, toolContext())).content[0];

  it("is shared by the calls of a tool, whoever makes them, and by nobody else", async () => {
    const seen = [
      await count({ name: "counter" }),
      await count({ name: "counter" }),
      await count({ name: "another" }),
      await count({ name: "counter", egress: ["api.example.com"] }),
      await count({ name: "counter", secrets: { TOKEN: "s3cret-token-1" } }),
      await count({ name: "counter" }, `${counter};`),
      await count({ name: "counter" }),
    ];
    expect(seen).toEqual(["1", "2", "1", "1", "1", "1", "3"].map(textItem));
  });

  it("is given its module once", async () => {
    const readModule = vi.fn(() => Promise.resolve(counter));
    const run = await compile(counter, { readModule });
    for (let call = 0; call < 3; call++) await run({}, toolContext());
    expect(readModule).toHaveBeenCalledTimes(1);
  });

  it("comes to be once the registry can be reached", async () => {
    const readModule = vi
      .fn(() => Promise.resolve<string | undefined>(counter))
      .mockRejectedValueOnce(new Error("out of reach"))
      .mockResolvedValueOnce(undefined);
    const run = await compile(counter, { readModule });
    const failure = "Error: the module can't be loaded: ";
    await expect(run({}, toolContext())).rejects.toEqual(moduleError(`${failure}out of reach`));
    await expect(run({}, toolContext())).rejects.toEqual(moduleError(`${failure}the registry has no such module`));
    expect([await run({}, toolContext()), await run({}, toolContext()), readModule.mock.calls.length]).toEqual([
      said("1"),
      said("2"),
      3,
    ]);
  });

  it("comes to be although it could not for a tool of the same record before", async () => {
    const name = "again";
    const before = await compile(counter, { name, readModule: () => Promise.reject(new Error("out of reach")) });
    await expect(before({}, toolContext())).rejects.toEqual(moduleError(expect.stringContaining("out of reach")));
    expect(await (await compile(counter, { name }))({}, toolContext())).toEqual(said("1"));
  });

  it("can't be had without the binding", async () => {
    await expect(runBody("return ''", { loader: undefined })).rejects.toEqual(
      moduleError(expect.stringContaining("it has no LOADER binding")),
    );
  });

  it("runs so many calls at once and refuses one more", async () => {
    const gate = Promise.withResolvers<void>();
    const entered = vi.fn();
    const ctx = toolContext({
      fetch: async () => {
        entered();
        await gate.promise;
        return {
          url: "https://api.example.com/",
          status: 204,
          statusText: "",
          headers: new Headers(),
          bytes: new Uint8Array(),
        };
      },
    });
    const run = await compile(moduleOf("await fetch('https://api.example.com/'); return ''"), {
      egress: ["api.example.com"],
    });
    const calls = Array.from({ length: LIMITS.moduleCalls }, () => run({}, ctx));
    await vi.waitFor(() => expect(entered).toHaveBeenCalledTimes(LIMITS.moduleCalls));
    const oneMore = await run({}, ctx).catch((error: unknown) => error);
    gate.resolve();
    await Promise.all(calls);
    expect([oneMore, await run({}, ctx)]).toEqual([toolError("This tool is busy: try again in a while."), said("")]);
  });
});
