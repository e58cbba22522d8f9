// Tools that speak while they run.

import * as v from "valibot";
import { defineTool, type Tool } from "../../src/tools/define-tool.ts";
import { elicit, listRoots, sample, type FormRequest } from "../../src/tools/input-request.ts";

const FORM = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;

/** What `hang` saw of its call's end. */
export const ends: { reason: unknown }[] = [];

let hangs: () => void = () => undefined;

/** Settles when `hang` is called next. */
export const running = (): Promise<void> =>
  new Promise((resolve) => {
    hangs = resolve;
  });

/** Has `late` talk after its end. */
export const late: { talk: () => void } = { talk: () => undefined };

/** Lets `gated` go on. */
export const gate: { open: () => void } = { open: () => undefined };

const ASK = JSON.stringify(elicit("What is your name?", FORM));

export const streamTools: Tool[] = [
  defineTool({
    name: "progress",
    description: "Reports progress three times, once backwards.",
    input: v.object({}),
    sanitize: false,
    run: (_, { reportProgress }) => {
      reportProgress(1, 3, "one");
      reportProgress(2, 3);
      reportProgress(1, 3, "backwards");
      reportProgress(3);
      return "done\u2028\u0085";
    },
  }),
  defineTool({
    name: "logs",
    description: "Logs at three levels.",
    input: v.object({}),
    run: (_, { log }) => {
      log("debug", "small");
      log("info", { size: 1 }, "test");
      log("error", ["large"]);
      return "logged";
    },
  }),
  defineTool({
    name: "late",
    description: "Goes on talking when it is over.",
    input: v.object({}),
    run: (_, { reportProgress, log, releaseStream, requireInput }) => {
      late.talk = () => {
        reportProgress(1);
        log("error", "late");
        releaseStream();
        requireInput({ name: elicit("Still there?", FORM) }).catch(() => undefined);
      };
      return "over";
    },
  }),
  defineTool({
    name: "loose_talk",
    description: "Logs what JSON has no words for, and what is too long.",
    input: v.object({}),
    run: (_, { log }) => {
      const cycle: { self?: unknown } = {};
      cycle.self = cycle;
      for (const data of [cycle, 1n, "x".repeat(1_000_000)]) log("error", data);
      log("error", "short");
      return "done";
    },
  }),
  defineTool({
    name: "odd_names",
    description: "Asks under names that objects have of their own.",
    input: v.object({}),
    run: async (_, { requireInput }) => {
      const questions = JSON.parse(`{"__proto__": ${ASK}, "constructor": ${ASK}}`) as Record<string, FormRequest>;
      const answers = await requireInput(questions);
      return Object.entries(answers)
        .map(([name, { action }]) => `${name} ${action}`)
        .join(", ");
    },
  }),
  defineTool({
    name: "hang",
    description: "Never ends by itself.",
    timeoutMs: 20_000,
    input: v.object({}),
    run: (_, { signal, reportProgress }) => {
      reportProgress(0);
      hangs();
      return new Promise<string>((resolve) => {
        signal.addEventListener("abort", () => {
          ends.push({ reason: signal.reason });
          resolve("late");
        });
      });
    },
  }),
  defineTool({
    name: "gated",
    description: "Lets go of its stream and ends when its gate is opened.",
    input: v.object({}),
    run: async (_, { releaseStream }) => {
      const opened = new Promise<void>((resolve) => {
        gate.open = resolve;
      });
      releaseStream();
      await opened;
      return "after the gate";
    },
  }),
  defineTool({
    name: "greet",
    description: "Asks for a name, then for a greeting.",
    input: v.object({}),
    run: async (_, { requireInput }) => {
      const { who } = await requireInput({ who: elicit("What is your name?", FORM) });
      if (who.action !== "accept") return `no name: ${who.action}`;
      const question = { role: "user" as const, content: { type: "text" as const, text: "Greet!" } };
      const { how, where } = await requireInput({
        how: sample({ messages: [question], maxTokens: 10 }),
        where: listRoots(),
      });
      const greeting = Array.isArray(how.content) ? how.content[0] : how.content;
      return `${greeting?.type === "text" ? greeting.text : ""} ${who.content?.["name"]} in ${where.roots[0]?.uri}`;
    },
  }),
];
