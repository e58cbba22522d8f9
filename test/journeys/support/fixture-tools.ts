// Tools that do what the built-in ones have no cause to.

import * as v from "valibot";
import { defineTool, type Tool } from "../../../src/tools/define-tool.ts";
import { elicit, sample } from "../../../src/tools/input-request.ts";

const STEP_MS = 10;

const climb = defineTool({
  name: "climb",
  description: "Climbs stairs, reporting and logging each.",
  input: v.strictObject({ stairs: v.number() }),
  run: async ({ stairs }, ctx) => {
    for (let stair = 1; stair <= stairs; stair++) {
      ctx.reportProgress(stair, stairs, `stair ${stair}`);
      ctx.log(stair === stairs ? "warning" : "info", { stair }, "stairs");
      await pause(STEP_MS);
    }
    return `Climbed ${stairs} stairs.`;
  },
});

/** Labels of the calls of `wait` that were cancelled. Tests run the Worker in one isolate. */
const cancelled = new Set<string>();

const wait = defineTool({
  name: "wait",
  description: "Reports progress until it is cancelled.",
  input: v.strictObject({ label: v.string() }),
  run: async ({ label }, { signal, reportProgress }) => {
    // At once: a call that nobody waits for any more is not run to its end.
    signal.addEventListener("abort", () => cancelled.add(label));
    // A client that hung up is noticed by what can't be written to it.
    for (let steps = 1; !signal.aborted; steps++) {
      reportProgress(steps);
      await pause(STEP_MS * 5);
    }
    return "Nobody is to read this.";
  },
});

const wasCancelled = defineTool({
  name: "was_cancelled",
  description: "Says whether a call of `wait` was cancelled.",
  input: v.strictObject({ label: v.string() }),
  run: ({ label }) => (cancelled.has(label) ? "yes" : "no"),
});

const quiet = defineTool({
  name: "quiet",
  description: "Takes its time without a word.",
  input: v.strictObject({ ms: v.number() }),
  run: async ({ ms }) => {
    await pause(ms);
    return `Waited ${ms} ms.`;
  },
});

const knock = defineTool({
  name: "knock",
  description: "Knocks at a door, which may take its time to open.",
  input: v.strictObject({ url: v.string() }),
  timeoutMs: 5_000,
  run: async ({ url }, ctx) => {
    const { bytes } = await ctx.fetch(url, { method: "POST" });
    return new TextDecoder().decode(bytes);
  },
});

const story = defineTool({
  name: "story",
  description: "Tells a story of a length: at once, after a word of progress, or to a client that has to come back.",
  input: v.strictObject({ bytes: v.number(), way: v.optional(v.picklist(["at_once", "slowly", "later"]), "at_once") }),
  run: async ({ bytes, way }, { reportProgress, releaseStream }) => {
    if (way === "slowly") reportProgress(1);
    if (way === "later") {
      releaseStream();
      await pause(STEP_MS);
    }
    return "a".repeat(bytes);
  },
});

const order = defineTool({
  name: "order",
  description: "Asks the user what to order and the model how to say so.",
  input: v.strictObject({}),
  run: async (_, ctx) => {
    const dish = { type: "string", title: "Dish" };
    const { choice } = await ctx.requireInput({
      choice: elicit("What will it be?", { type: "object", properties: { dish }, required: ["dish"] }),
    });
    if (choice.action !== "accept") return `No order: ${choice.action}.`;
    const wish = `Order ${choice.content?.["dish"]} politely`;
    const { words } = await ctx.requireInput({
      words: sample({ messages: [{ role: "user", content: { type: "text", text: wish } }], maxTokens: 20 }),
    });
    const [said] = [words.content].flat();
    return said?.type === "text" ? said.text : "No words.";
  },
});

const haiku = defineTool({
  name: "haiku",
  description: "Has the model write a haiku.",
  input: v.strictObject({ about: v.string() }),
  run: async ({ about }, ctx) => {
    const { poem } = await ctx.requireInput({
      poem: sample({ messages: [{ role: "user", content: { type: "text", text: about } }], maxTokens: 30 }),
    });
    const [first] = [poem.content].flat();
    return first?.type === "text" ? first.text : "No poem.";
  },
});

const survey = defineTool({
  name: "survey",
  description: "Asks the user two things at once.",
  input: v.strictObject({}),
  run: async (_, ctx) => {
    const { first, second } = await ctx.requireInput({ first: askFor("first"), second: askFor("second") });
    return JSON.stringify([first.content, second.content]);
  },
});

const askFor = (name: string) =>
  elicit(`Your ${name} answer?`, { type: "object", properties: { [name]: { type: "string" } }, required: [name] });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const fixtureTools: Tool[] = [climb, wait, wasCancelled, quiet, knock, story, order, haiku, survey];
