// A tool for each thing that the matrix looks at.

import * as v from "valibot";
import { audio, image, resource, resourceLink, text } from "../../../src/tools/content.ts";
import type { ToolContext } from "../../../src/tools/context.ts";
import { defineTool, type RunResult, type Tool } from "../../../src/tools/define-tool.ts";
import { elicit, elicitUrl, listRoots, sample } from "../../../src/tools/input-request.ts";
import { ToolError } from "../../../src/tools/tool-error.ts";
import { ODD_SCHEMA } from "./odd-schema.ts";

const ICON = { src: "https://icons.example/tool.png", mimeType: "image/png", sizes: ["48x48"] };
const NOTES = { audience: ["user" as const], priority: 0.5, lastModified: "2025-01-12T15:00:58Z" };
const META = { "example.com/trace": "t-1" };
/** Bytes that every type of content carries. */
const BYTES = "AAEC";

type Run = (ctx: ToolContext) => RunResult<undefined> | Promise<RunResult<undefined>>;

const plain = (name: string, description: string, run: Run): Tool =>
  defineTool({ name, description, input: v.object({}), run: (_, ctx) => run(ctx) });

const everything = defineTool({
  name: "everything",
  title: "Everything",
  description: "Has every field of a tool, and answers with every type of content.",
  icons: [ICON],
  annotations: { title: "Everything", readOnlyHint: true, openWorldHint: false },
  input: v.object({ depth: v.optional(v.pipe(v.number(), v.integer())) }),
  output: v.object({ count: v.number() }),
  run: () => ({
    content: [
      text("a text", { annotations: NOTES, _meta: META }),
      image(BYTES, "image/png", { annotations: NOTES, _meta: META }),
      audio(BYTES, "audio/wav", { annotations: NOTES, _meta: META }),
      resource(
        { uri: "file:///note.txt", mimeType: "text/plain", text: "a note" },
        { annotations: NOTES, _meta: META },
      ),
      resourceLink({
        uri: "file:///far.txt",
        name: "far",
        title: "Far",
        description: "Elsewhere",
        mimeType: "text/plain",
        size: 3,
        icons: [ICON],
        annotations: NOTES,
        _meta: META,
      }),
    ],
    structuredContent: { count: 5 },
  }),
});

const arrayStructure = defineTool({
  name: "array_structure",
  description: "Answers with a structure that is no object.",
  input: v.object({}),
  output: v.array(v.number()),
  run: () => ({ content: [text("[1,2]")], structuredContent: [1, 2] }),
});

const add = defineTool({
  name: "add",
  description: "Adds two numbers.",
  input: v.strictObject({ a: v.number(), b: v.number() }),
  run: ({ a, b }) => String(a + b),
});

const fails = plain("fails", "Fails in a way that the model can do something about.", () => {
  throw new ToolError("Pick another city");
});

const boom = plain("boom", "Fails in a way that nobody foresaw.", () => {
  throw new Error("connect pg://admin:hunter2@10.0.0.5:5432/users");
});

const progress = plain("progress", "Reports its progress in three steps.", ({ reportProgress }) => {
  reportProgress(1, 3, "one");
  reportProgress(2, 3, "two");
  reportProgress(3, 3, "three");
  return "done";
});

const logs = plain("logs", "Logs at three levels.", ({ log }) => {
  log("debug", "small", "matrix");
  log("info", { size: 1 }, "matrix");
  log("error", ["large"]);
  return "logged";
});

/** How the calls of `wait` ended, and what lets them go on. */
const waits = new Map<string, { state: "running" | "cancelled" | "released"; release: () => void }>();

const tagged = { tag: v.string() };

const wait = defineTool({
  name: "wait",
  description: "Waits until it is released or cancelled.",
  input: v.object(tagged),
  run: ({ tag }, { signal, reportProgress }) =>
    new Promise<string>((resolve) => {
      const entry = { state: "running" as "running" | "cancelled" | "released", release: () => undefined as void };
      entry.release = () => {
        entry.state = "released";
        resolve("released");
      };
      waits.set(tag, entry);
      signal.addEventListener("abort", () => {
        if (entry.state === "running") entry.state = "cancelled";
        resolve("too late");
      });
      reportProgress(0);
    }),
});

const waitState = defineTool({
  name: "wait_state",
  description: "Tells how a call of wait is.",
  input: v.object(tagged),
  run: ({ tag }) => waits.get(tag)?.state ?? "unknown",
});

const release = defineTool({
  name: "release",
  description: "Lets a call of wait go on.",
  input: v.object(tagged),
  run: ({ tag }) => {
    waits.get(tag)?.release();
    return "ok";
  },
});

const askForm = plain("ask_form", "Asks the user to fill in a form.", async ({ requireInput }) => {
  const { form } = await requireInput({
    form: elicit("Who are you?", {
      type: "object",
      properties: {
        name: { type: "string", title: "Name", description: "As on the badge", minLength: 1, maxLength: 20 },
        age: { type: "integer", minimum: 0, maximum: 150 },
        email: { type: "string", format: "email" },
        member: { type: "boolean", default: false },
        size: { type: "string", enum: ["s", "m"], enumNames: ["Small", "Medium"] },
      },
      required: ["name"],
    }),
  });
  return `${form.action} ${form.content?.["name"]}`;
});

const askSeveral = plain("ask_several", "Asks the user to choose some of several.", async ({ requireInput }) => {
  const { form } = await requireInput({
    form: elicit("Which ones?", {
      type: "object",
      properties: { name: { type: "array", items: { type: "string", enum: ["a", "b"] } } },
    }),
  });
  return form.action;
});

const askUrl = plain("ask_url", "Sends the user to a page.", async ({ requireInput }) => {
  const { page } = await requireInput({ page: elicitUrl("Please sign in", "https://login.example/start") });
  return page.action;
});

const askModel = plain("ask_model", "Asks the client's model.", async ({ requireInput }) => {
  const { answer } = await requireInput({
    answer: sample({
      messages: [{ role: "user", content: text("Say yes") }],
      maxTokens: 10,
      systemPrompt: "Be brief",
      temperature: 0,
      stopSequences: ["."],
      modelPreferences: { hints: [{ name: "small" }], costPriority: 1 },
    }),
  });
  return answer.model;
});

const askSound = plain("ask_sound", "Asks the client's model about a sound.", async ({ requireInput }) => {
  const { answer } = await requireInput({
    answer: sample({ messages: [{ role: "user", content: audio(BYTES, "audio/wav") }], maxTokens: 10 }),
  });
  return answer.model;
});

const askRoots = plain("ask_roots", "Asks for the client's roots.", async ({ requireInput }) => {
  const { roots } = await requireInput({ roots: listRoots() });
  return roots.roots.map(({ uri }) => uri).join(" ");
});

const takesAnything = plain("odd_schema", "Has a schema of its own making.", () => "ok");

const oddSchema: Tool = { ...takesAnything, definition: { ...takesAnything.definition, inputSchema: ODD_SCHEMA } };

const sometimes = plain("sometimes", "Is taken out of the list and put back.", () => "here");

/** Made when it is asked for, so that hundreds cost nothing. */
const pageTool = (_: unknown, index: number): Tool =>
  plain(`page_${String(index).padStart(3, "0")}`, "Fills pages.", () => "ok");

/** One more than the longest page holds. */
const PAGE_TOOLS = 1_001;

export const matrixTools: Tool[] = [
  everything,
  arrayStructure,
  add,
  fails,
  boom,
  progress,
  logs,
  wait,
  waitState,
  release,
  askForm,
  askSeveral,
  askUrl,
  askModel,
  askSound,
  askRoots,
  oddSchema,
  sometimes,
  ...Array.from({ length: PAGE_TOOLS }, pageTool),
];
