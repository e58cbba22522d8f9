import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { encodeBase64 } from "../../src/lib/base64.ts";
import { image, resource, text, type ToolResult } from "../../src/tools/content.ts";
import type { ToolContext } from "../../src/tools/context.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { elicit, elicitUrl, sample } from "../../src/tools/input-request.ts";
import { CallInterrupt } from "../../src/tools/run-tool.ts";
import { ToolError } from "../../src/tools/tool-error.ts";
import { toolContext } from "../support/tool-context.ts";

const SECRET = "s3cret-v4lue";
const BASE64 = encodeBase64(new TextEncoder().encode(`PNG ${SECRET} `));

/** Runs a tool in the code that reads a secret first; what it gave back, and what it said. */
async function run(say: (ctx: ToolContext, secret: string) => unknown, given: Partial<ToolContext> = {}) {
  const told: unknown[] = [];
  const tool = defineTool({
    name: "reads",
    description: "Reads a secret.",
    input: v.object({}),
    run: async (_, ctx) => (await say(ctx, await ctx.readSecret("TOKEN"))) as ToolResult,
  });
  const ctx = toolContext({
    readSecret: () => Promise.resolve(SECRET),
    log: (...log) => void told.push(log),
    reportProgress: (...progress) => void told.push(progress),
    ...given,
  });
  const outcome = await tool.run({}, ctx).catch((error: unknown) => error);
  return { outcome, told };
}

/** Asks questions that hold the secret. */
const ask = (name: string) => async (ctx: ToolContext, secret: string) => {
  const properties = { [secret]: { type: "string", default: secret } };
  await ctx.requireInput({
    [name]: elicit(`Is it ${secret}?`, { type: "object", properties }),
    model: sample({ messages: [{ role: "user", content: text(secret) }], maxTokens: 1, systemPrompt: secret }),
    page: elicitUrl("Look", `https://a.example/?key=${secret}`),
  });
  return "asked";
};

const raise = (error: unknown) => (): never => {
  throw error;
};

describe("a secret that a tool in the code read is not in", () => {
  it("what it gives back, in any form and place", async () => {
    const { outcome } = await run((_, secret) => ({
      content: [text(`It is ${secret}.`), resource({ uri: `file:///${encodeURIComponent(secret)}`, text: BASE64 })],
      structuredContent: { [secret]: [secret.toUpperCase(), { hex: new TextEncoder().encode(secret).toHex() }] },
      _meta: { note: secret },
    }));
    expect(outcome).toEqual({
      content: [
        text("It is [redacted]."),
        resource({ uri: "file:///[redacted]", text: expect.stringContaining("[redacted]") as string }),
      ],
      structuredContent: { "[redacted]": ["S3CRET-V4LUE", { hex: "[redacted]" }] },
      _meta: { note: "[redacted]" },
    });
  });

  it("bytes, which are withheld", async () => {
    const { outcome } = await run(() => image(BASE64, "image/png"));
    expect(outcome).toEqual(new TypeError("tool result: content.0.data: expected base64"));
  });

  it.each<[string, unknown, unknown]>([
    ["what it tells the model", new ToolError(`no ${SECRET}`), new ToolError("no [redacted]")],
    ["what it throws", new RangeError(`no ${SECRET}`), new Error("RangeError: no [redacted]")],
    ["text that it throws", `no ${SECRET}`, new Error("Error: no [redacted]")],
  ])("%s", async (_, thrown, clean) => {
    const { outcome } = await run(raise(thrown));
    expect(outcome).toEqual(clean);
    expect((outcome as Error).stack).not.toContain(SECRET);
  });

  it("what it asks, nor in the names of its questions", async () => {
    const asked: unknown[] = [];
    const requireInput = (async (requests: unknown) => asked.push(requests)) as unknown as ToolContext["requireInput"];
    await run(ask("form"), { requireInput });
    const named = await run(ask(SECRET), { requireInput });
    expect([asked, named.outcome]).toEqual([
      [
        {
          form: elicit("Is it [redacted]?", {
            type: "object",
            properties: { "[redacted]": { type: "string", default: "[redacted]" } },
          }),
          model: sample({
            messages: [{ role: "user", content: text("[redacted]") }],
            maxTokens: 1,
            systemPrompt: "[redacted]",
          }),
          page: elicitUrl("Look", "https://a.example/?key=[redacted]"),
        },
      ],
      new TypeError("requireInput: a name holds a secret"),
    ]);
  });

  it("what it says while it runs", async () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const { told } = await run(({ log, reportProgress }, secret) => {
      log("info", { key: secret, at: new Date(0) }, "l");
      log("info", cycle);
      reportProgress(1, 2, secret);
      return "done";
    });
    expect(told).toEqual([
      ["info", { key: "[redacted]", at: "1970-01-01T00:00:00.000Z" }, "l"],
      ["info", undefined, undefined],
      [1, 2, "[redacted]"],
    ]);
  });
});

describe("what says nothing of it stays as it is", () => {
  it.each<[string, unknown]>([
    ["a failure", new RangeError("no")],
    ["what the model is told", new ToolError("no")],
    ["an interrupt", new CallInterrupt("asks")],
  ])("%s", async (_, thrown) => {
    expect((await run(raise(thrown))).outcome).toBe(thrown);
  });

  it("what it asks", async () => {
    const asked: unknown[] = [];
    const requireInput = (async (requests: unknown) => asked.push(requests)) as unknown as ToolContext["requireInput"];
    const question = { name: elicit("Name?", { type: "object", properties: {} }) };
    await run((ctx) => ctx.requireInput(question).then(() => "asked"), { requireInput });
    expect(asked).toEqual([question]);
  });
});

it("a failure that can't be looked at is told as that", async () => {
  const hostile = new Proxy({}, { getPrototypeOf: raise(new Error(SECRET)), get: raise(new Error(SECRET)) });
  expect((await run(raise(hostile))).outcome).toEqual(new Error("something that can't be shown"));
});
