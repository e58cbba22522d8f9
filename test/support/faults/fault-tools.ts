// Tools whose answers tell whose call they belong to, and whose effects are counted outside.

import * as v from "valibot";
import { defineTool, type Tool } from "../../../src/tools/define-tool.ts";
import { elicit } from "../../../src/tools/input-request.ts";

const nonce = v.string();
const url = v.string();

const echo = defineTool({
  name: "echo",
  description: "Says what it was given, and by whom.",
  annotations: { readOnlyHint: true },
  input: v.strictObject({ nonce, ms: v.optional(v.number(), 0) }),
  output: v.object({ nonce, keyId: v.string() }),
  run: async ({ nonce, ms }, { caller }) => {
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    return { structuredContent: { nonce, keyId: caller.keyId } };
  },
});

const stamp = defineTool({
  name: "stamp",
  description: "Says what it was given, and may destroy for all that anybody knows.",
  input: v.strictObject({ nonce }),
  output: v.object({ nonce, keyId: v.string() }),
  run: ({ nonce }, { caller }) => ({ structuredContent: { nonce, keyId: caller.keyId } }),
});

const report = defineTool({
  name: "report",
  description: "Reports some steps with what it was given, then says it.",
  annotations: { readOnlyHint: true },
  input: v.strictObject({ nonce, steps: v.number() }),
  output: v.object({ nonce, keyId: v.string() }),
  run: async ({ nonce, steps }, { caller, reportProgress }) => {
    for (let step = 1; step <= steps; step++) {
      reportProgress(step, steps, nonce);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { structuredContent: { nonce, keyId: caller.keyId } };
  },
});

const converse = defineTool({
  name: "converse",
  description: "Asks the user for a word, and says it after what it was given.",
  input: v.strictObject({ nonce }),
  output: v.object({ nonce, keyId: v.string(), told: v.string() }),
  timeoutMs: 10_000,
  run: async ({ nonce }, { caller, requireInput }) => {
    const word = { type: "object", properties: { word: { type: "string" } }, required: ["word"] } as const;
    const { answer } = await requireInput({ answer: elicit(`A word for ${nonce}?`, word) });
    const told = answer.action === "accept" ? String(answer.content?.["word"]) : answer.action;
    return { structuredContent: { nonce, keyId: caller.keyId, told } };
  },
});

const visit = defineTool({
  name: "visit",
  description: "Knocks at a door once, where it is counted, and says what it was told.",
  input: v.strictObject({ nonce, url }),
  output: v.object({ nonce, keyId: v.string(), told: v.string() }),
  timeoutMs: 800,
  run: async ({ nonce, url }, { caller, fetch }) => {
    const { bytes } = await fetch(url, { method: "POST", body: "" });
    const told = new TextDecoder().decode(bytes);
    return { structuredContent: { nonce, keyId: caller.keyId, told } };
  },
});

export const faultTools: Tool[] = [echo, stamp, report, converse, visit];
