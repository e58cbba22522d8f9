// The tools that the official suite calls and expects to answer in a set way: content, notifications, schemas.

import { env } from "cloudflare:workers";
import * as v from "valibot";
import { registryStub, type Env } from "../../src/env.ts";
import { audio, image, resource, text } from "../../src/tools/content.ts";
import type { ToolContext } from "../../src/tools/context.ts";
import { defineTool, type JsonSchema, type RunResult, type Tool } from "../../src/tools/define-tool.ts";
import { ToolError } from "../../src/tools/tool-error.ts";

/** A pause that a client would notice. */
const STEP_MS = 50;

const PNG_OF_ONE_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
/** Eight samples of silence. */
const SILENT_WAV = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==";

type Run = (ctx: ToolContext) => RunResult<undefined> | Promise<RunResult<undefined>>;

/** A tool without arguments. */
export const plainTool = (name: string, description: string, run: Run): Tool =>
  defineTool({ name, description, input: v.strictObject({}), run: (_, ctx) => run(ctx) });

/** A tool whose schema is told as it stands, for keywords that valibot has no word for. */
const withInputSchema = (tool: Tool, inputSchema: JsonSchema): Tool => ({
  ...tool,
  definition: { ...tool.definition, inputSchema },
});

/** The suite calls the first tool of the list with no arguments, and names sort this one to the front. */
const firstInList = plainTool("first_in_list", "Accepts no arguments and answers at once.", () => "done");

const simpleText = plainTool(
  "test_simple_text",
  "Answers with one text.",
  () => "This is a simple text response for testing.",
);

const imageContent = plainTool("test_image_content", "Answers with an image of one pixel.", () =>
  image(PNG_OF_ONE_PIXEL, "image/png"),
);

const audioContent = plainTool("test_audio_content", "Answers with a very short sound.", () =>
  audio(SILENT_WAV, "audio/wav"),
);

const embeddedResource = plainTool("test_embedded_resource", "Answers with a resource.", () =>
  resource({
    uri: "test://embedded-resource",
    mimeType: "text/plain",
    text: "This is an embedded resource content.",
  }),
);

const multipleContentTypes = plainTool("test_multiple_content_types", "Answers with content of three types.", () => [
  text("Multiple content types test:"),
  image(PNG_OF_ONE_PIXEL, "image/png"),
  resource({
    uri: "test://mixed-content-resource",
    mimeType: "application/json",
    text: JSON.stringify({ test: "data", value: 123 }),
  }),
]);

const errorHandling = plainTool("test_error_handling", "Always fails.", () => {
  throw new ToolError("This tool intentionally returns an error for testing");
});

const toolWithProgress = plainTool("test_tool_with_progress", "Reports its progress in three steps.", async (ctx) => {
  ctx.reportProgress(0, 100);
  await scheduler.wait(STEP_MS);
  ctx.reportProgress(50, 100);
  await scheduler.wait(STEP_MS);
  ctx.reportProgress(100, 100);
  return "Finished in three steps.";
});

const toolWithLogging = plainTool("test_tool_with_logging", "Logs what it does in three messages.", async (ctx) => {
  ctx.log("info", "Tool execution started");
  await scheduler.wait(STEP_MS);
  ctx.log("info", "Tool processing data");
  await scheduler.wait(STEP_MS);
  ctx.log("info", "Tool execution completed");
  return "Logged three messages.";
});

const loggingTool = plainTool("test_logging_tool", "Logs one message.", (ctx) => {
  ctx.log("info", "A message for whoever asked for messages");
  return "Logged one message.";
});

const reconnection = plainTool("test_reconnection", "Lets go of its client before it answers.", async (ctx) => {
  ctx.releaseStream();
  await scheduler.wait(STEP_MS);
  return "Answered after the client came back.";
});

/** In and out of the list as `test_trigger_tool_change` has it. */
const sometimesListed = plainTool("test_sometimes_listed", "May be gone at the next look.", () => "here");

const triggerToolChange = plainTool("test_trigger_tool_change", "Changes the list of tools.", async () => {
  const registry = registryStub(env as Env);
  const { name } = sometimesListed;
  const { rows = [] } = await registry.readSnapshot(-1);
  const listed = rows.find((change) => change.name === name)?.row?.enabled ?? true;
  await registry.editTools([{ op: "patch", name, patch: { enabled: !listed } }]);
  return `${name} is ${listed ? "gone" : "back"}.`;
});

const mirroredHeader = withInputSchema(
  defineTool({
    name: "test_x_mcp_header",
    description: "Takes an argument that a header mirrors.",
    input: v.strictObject({ region: v.optional(v.string()) }),
    run: ({ region = "nowhere" }) => `Region: ${region}`,
  }),
  {
    type: "object",
    properties: {
      region: { type: "string", description: "The region to run in.", "x-mcp-header": "Region" },
    },
    additionalProperties: false,
  },
);

const manyKeywords = withInputSchema(
  defineTool({
    name: "json_schema_2020_12_tool",
    description: "Tool with JSON Schema 2020-12 features",
    input: v.strictObject({
      name: v.optional(v.string()),
      address: v.optional(v.object({ street: v.optional(v.string()), city: v.optional(v.string()) })),
      contactMethod: v.optional(v.picklist(["phone", "email"])),
      phone: v.optional(v.string()),
      email: v.optional(v.string()),
    }),
    run: ({ name = "nobody", phone, email }) => `${name}: ${phone ?? email ?? "out of reach"}`,
  }),
  {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  },
);

export const answeringTools: Tool[] = [
  firstInList,
  simpleText,
  imageContent,
  audioContent,
  embeddedResource,
  multipleContentTypes,
  errorHandling,
  toolWithProgress,
  toolWithLogging,
  loggingTool,
  reconnection,
  sometimesListed,
  triggerToolChange,
  mirroredHeader,
  manyKeywords,
];
