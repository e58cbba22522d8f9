// The tools with which the official suite tests questions to the client: forms, sampling and roots.

import * as v from "valibot";
import { defineTool, type Tool } from "../../src/tools/define-tool.ts";
import {
  elicit,
  listRoots,
  sample,
  type ElicitResponse,
  type FormRequest,
  type InputRequest,
  type SamplingRequest,
  type SamplingResponse,
} from "../../src/tools/input-request.ts";
import { plainTool } from "./fixture-tools.ts";

/** A form of fields that must all be filled in. */
const askFor = (message: string, properties: Record<string, Record<string, unknown>>): FormRequest =>
  elicit(message, { type: "object", properties, required: Object.keys(properties) });

const askForName = (message = "What is your name?"): FormRequest => askFor(message, { name: { type: "string" } });

const askModel = (prompt: string, maxTokens = 100): SamplingRequest =>
  sample({ messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens });

const describeForm = ({ action, content = {} }: ElicitResponse): string =>
  `action=${action}, content=${JSON.stringify(content)}`;

const describeSample = ({ content }: SamplingResponse): string =>
  [content]
    .flat()
    .map((item) => (item.type === "text" ? item.text : item.type))
    .join("\n");

const sampling = defineTool({
  name: "test_sampling",
  description: "Passes a prompt to the client's model.",
  input: v.strictObject({ prompt: v.string() }),
  run: async ({ prompt }, ctx) => {
    const { answer } = await ctx.requireInput({ answer: askModel(prompt) });
    return `LLM response: ${describeSample(answer)}`;
  },
});

const elicitation = defineTool({
  name: "test_elicitation",
  description: "Asks the user for a name and an address.",
  input: v.strictObject({ message: v.string() }),
  run: async ({ message }, ctx) => {
    const { user } = await ctx.requireInput({
      user: askFor(message, {
        username: { type: "string", description: "User's response" },
        email: { type: "string", description: "User's email address" },
      }),
    });
    return `User response: ${describeForm(user)}`;
  },
});

const elicitationDefaults = plainTool(
  "test_elicitation_sep1034_defaults",
  "Asks the user with a form that is filled in already.",
  async (ctx) => {
    const { form } = await ctx.requireInput({
      form: elicit("Please check these values", {
        type: "object",
        properties: {
          name: { type: "string", default: "John Doe" },
          age: { type: "integer", default: 30 },
          score: { type: "number", default: 95.5 },
          status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", default: true },
        },
      }),
    });
    return `Elicitation completed: ${describeForm(form)}`;
  },
);

const elicitationEnums = plainTool(
  "test_elicitation_sep1330_enums",
  "Asks the user to choose, in each way that a form can.",
  async (ctx) => {
    const plain = ["option1", "option2", "option3"];
    const titled = [
      { const: "value1", title: "First Option" },
      { const: "value2", title: "Second Option" },
      { const: "value3", title: "Third Option" },
    ];
    const { form } = await ctx.requireInput({
      form: elicit("Please choose", {
        type: "object",
        properties: {
          untitledSingle: { type: "string", enum: plain },
          titledSingle: { type: "string", oneOf: titled },
          legacyEnum: {
            type: "string",
            enum: ["opt1", "opt2", "opt3"],
            enumNames: ["Option One", "Option Two", "Option Three"],
          },
          untitledMulti: { type: "array", items: { type: "string", enum: plain } },
          titledMulti: { type: "array", items: { anyOf: titled } },
        },
      }),
    });
    return `Elicitation completed: ${describeForm(form)}`;
  },
);

const missingCapability = plainTool("test_missing_capability", "Can't do without the client's model.", async (ctx) => {
  const { answer } = await ctx.requireInput({ answer: askModel("Are you there?") });
  return describeSample(answer);
});

const streamingElicitation = plainTool(
  "test_streaming_elicitation",
  "Reports progress, then asks the user.",
  async (ctx) => {
    ctx.reportProgress(1, 2);
    const { confirm } = await ctx.requireInput({ confirm: askFor("Please confirm", { ok: { type: "boolean" } }) });
    ctx.reportProgress(2, 2);
    return describeForm(confirm);
  },
);

const requiredElicitation = plainTool("test_input_required_result_elicitation", "Greets the user.", async (ctx) => {
  const { user_name } = await ctx.requireInput({ user_name: askForName() });
  return user_name.action === "accept" ? `Hello, ${user_name.content?.["name"]}!` : "Hello, whoever you are!";
});

const requiredSampling = plainTool("test_input_required_result_sampling", "Asks the client's model.", async (ctx) => {
  const { capital_question } = await ctx.requireInput({
    capital_question: askModel("What is the capital of France?"),
  });
  return describeSample(capital_question);
});

const requiredRoots = plainTool("test_input_required_result_list_roots", "Names the client's roots.", async (ctx) => {
  const { client_roots } = await ctx.requireInput({ client_roots: listRoots() });
  return client_roots.roots.map(({ uri, name = uri }) => `${name}: ${uri}`).join("\n");
});

/** Gets to its answer only when the server has accepted the state that came back. */
const confirmed = (name: string, description: string): Tool =>
  plainTool(name, description, async (ctx) => {
    const { confirm } = await ctx.requireInput({ confirm: askFor("Please confirm", { ok: { type: "boolean" } }) });
    return `state-ok: ${describeForm(confirm)}`;
  });

const multipleInputs = plainTool(
  "test_input_required_result_multiple_inputs",
  "Asks for three things at once.",
  async (ctx) => {
    const { user_name, greeting, client_roots } = await ctx.requireInput({
      user_name: askForName(),
      greeting: askModel("Generate a greeting", 50),
      client_roots: listRoots(),
    });
    return [describeForm(user_name), describeSample(greeting), `${client_roots.roots.length} roots`].join("\n");
  },
);

const multiRound = plainTool(
  "test_input_required_result_multi_round",
  "Asks twice, one after the other.",
  async (ctx) => {
    const { step1 } = await ctx.requireInput({ step1: askForName("Step 1: What is your name?") });
    const { step2 } = await ctx.requireInput({
      step2: askFor("Step 2: What is your favorite color?", { color: { type: "string" } }),
    });
    return `${describeForm(step1)}; ${describeForm(step2)}`;
  },
);

const capabilities = plainTool(
  "test_input_required_result_capabilities",
  "Asks in whichever ways the client can answer.",
  async (ctx) => {
    const wanted: Record<string, InputRequest> = { user: askForName(), model: askModel("Say hello") };
    const possible = Object.entries(wanted).filter(([, request]) => ctx.canAsk(request));
    const answers = await ctx.requireInput(Object.fromEntries(possible));
    return `Asked ${Object.keys(answers).join(" and ") || "nobody"}.`;
  },
);

export const askingTools: Tool[] = [
  sampling,
  elicitation,
  elicitationDefaults,
  elicitationEnums,
  missingCapability,
  streamingElicitation,
  requiredElicitation,
  requiredSampling,
  requiredRoots,
  confirmed("test_input_required_result_request_state", "Asks for a confirmation and comes back to its state."),
  confirmed("test_input_required_result_tampered_state", "Asks for a confirmation and trusts no altered state."),
  multipleInputs,
  multiRound,
  capabilities,
];
