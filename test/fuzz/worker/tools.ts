// Tools that answer with whatever their caller makes up.

import * as v from "valibot";
import { defineTool, type Tool } from "../../../src/tools/define-tool.ts";
import { ToolError } from "../../../src/tools/tool-error.ts";

const echo = defineTool({
  name: "echo",
  description: "Answers with its arguments.",
  input: v.looseObject({}),
  run: (input) => ({ content: [{ type: "text", text: JSON.stringify(input) }], structuredContent: input }),
});

const give = defineTool({
  name: "give",
  description: "Answers with what it is given, as if it were its own result.",
  input: v.object({ result: v.unknown() }),
  // What it is given need not be a result: that is the point.
  run: ({ result }) => result as string,
});

const giveTyped = defineTool({
  name: "give_typed",
  description: "The same with an output schema that it may break.",
  input: v.object({ result: v.unknown() }),
  output: v.object({ label: v.pipe(v.string(), v.maxLength(20)), count: v.optional(v.number()) }),
  run: ({ result }) => ({ structuredContent: result as { label: string } }),
});

const complain = defineTool({
  name: "complain",
  description: "Fails with a message of its caller's.",
  input: v.object({ message: v.string() }),
  run: ({ message }) => {
    throw new ToolError(message);
  },
});

const repeat = defineTool({
  name: "repeat",
  description: "Answers with a text many times over.",
  input: v.object({ text: v.string(), times: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000)) }),
  run: ({ text, times }) => text.repeat(times),
});

const mirrored = defineTool({
  name: "mirrored",
  description: "Has its arguments told in headers as well.",
  input: v.object({
    region: v.optional(v.string()),
    level: v.optional(v.pipe(v.number(), v.integer())),
    dry: v.optional(v.boolean()),
  }),
  paramHeaders: { region: "Region", level: "Level", dry: "Dry" },
  run: (input) => JSON.stringify(input),
});

export const fuzzTools: Tool[] = [echo, give, giveTyped, complain, repeat, mirrored];
