// Names of tools and arguments for them: right, nearly right, and what an operator's own tools may be given.

import * as fc from "fast-check";
import {
  applyChanges,
  changes,
  nearly,
  objectOf,
  oddJson,
  oddText,
  seldom,
  type Json,
  type JsonObject,
} from "./json.ts";

export interface ToolCall {
  name: string;
  args: Json;
  /** `Mcp-Param-…` as a client of the modern era sends them. */
  paramHeaders?: [string, string][];
  /** What comes besides: answers to what the call asked before. */
  more?: JsonObject;
}

const bytes = fc.uint8Array({ maxLength: 12 }).map((data) => Buffer.from(data).toString("base64"));
const annotations = fc.record(
  {
    audience: fc.subarray<Json>(["user", "assistant"]),
    priority: fc.constantFrom<Json>(0, 0.5, 1),
    lastModified: fc.constant<Json>("2025-01-12T15:00:58Z"),
  },
  { requiredKeys: [] },
);

/** A content item that every revision has a word for, or that is translated for those that have none. */
const bareItem: fc.Arbitrary<JsonObject> = fc
  .oneof(
    fc.record({ type: fc.constant("text"), text: oddText }),
    fc.record({ type: fc.constant("image"), data: bytes, mimeType: fc.constant("image/png") }),
    fc.record({ type: fc.constant("audio"), data: bytes, mimeType: fc.constant("audio/wav") }),
    fc.record({
      type: fc.constant("resource"),
      resource: fc.record({ uri: fc.constant("file:///a.txt"), mimeType: fc.constant("text/plain"), text: oddText }),
    }),
    fc.record({
      type: fc.constant("resource"),
      resource: fc.record({ uri: fc.constant("file:///a.bin"), blob: bytes }),
    }),
    fc.record(
      {
        type: fc.constant("resource_link"),
        uri: fc.constant("https://files.example/a"),
        name: oddText,
        title: oddText,
        description: oddText,
        mimeType: fc.constant("text/plain"),
        size: fc.nat(),
      },
      { requiredKeys: ["type", "uri", "name"] },
    ),
  )
  .map((item) => item as JsonObject);

export const contentItem: fc.Arbitrary<Json> = fc
  .tuple(bareItem, seldom(fc.constant(null), annotations, 4))
  .map(([item, notes]) => (notes === null ? item : { ...item, annotations: notes }));

/** A whole result as a tool may give it. */
export const toolResult: fc.Arbitrary<Json> = fc
  .record(
    {
      content: fc.array(contentItem, { maxLength: 4 }),
      structuredContent: oddJson,
      isError: fc.boolean() as fc.Arbitrary<Json>,
      _meta: objectOf(oddJson, 2),
    },
    { requiredKeys: ["content"] },
  )
  .map((result) => result as Json);

const expression = fc.oneof(
  fc.constantFrom("1+1", "2*(3+4)", "sqrt(2)", "1/0", "((((1))))", "9**9**9", "a.b", "[].constructor", "(".repeat(300)),
  oddText,
);

const call = (name: string, args: fc.Arbitrary<Json>): fc.Arbitrary<ToolCall> =>
  args.map((made) => ({ name, args: made }));
const none = fc.constant<Json>({});

/** Tools whose results depend on their arguments alone. */
export const steadyCall: fc.Arbitrary<ToolCall> = fc.oneof(
  call("calculate", fc.record({ expression })),
  call("qr_code", fc.record({ text: oddText })),
  call("add", fc.record({ a: fc.integer() as fc.Arbitrary<Json>, b: fc.double() as fc.Arbitrary<Json> })),
  call("everything", none),
  call("array_structure", none),
  call("fails", none),
  call("odd_schema", objectOf(oddJson)),
  call("echo", objectOf(oddJson)),
  call("give", fc.record({ result: fc.oneof(toolResult, contentItem, oddText) })),
  call("give_typed", fc.record({ result: fc.record({ label: oddText, count: fc.integer() as fc.Arbitrary<Json> }) })),
  call("complain", fc.record({ message: oddText })),
  call("repeat", fc.record({ text: fc.string({ maxLength: 20 }), times: fc.nat(50) })),
  call("unheard_of", none),
  // What is wrong with arguments is told alike in all revisions.
  call("calculate", nearly(fc.record({ expression }))),
  call("add", nearly(fc.record({ a: fc.integer(), b: fc.integer() }))),
);

const URLS = [
  "http://169.254.169.254/latest/meta-data",
  "http://[::ffff:169.254.169.254]/",
  "http://0x7f.1/",
  "http://localhost./",
  "http://u:p@10.0.0.1/",
  "file:///etc/passwd",
  "https://",
  "javascript:alert(1)",
  "http://127.0.0.1:1/",
];

const mirroredCall: fc.Arbitrary<ToolCall> = fc
  .record({ region: fc.string({ maxLength: 8 }), level: fc.integer(), dry: fc.boolean() }, { requiredKeys: [] })
  .map((args) => ({
    name: "mirrored",
    args: args as Json,
    paramHeaders: Object.entries(args).map(([name, value]): [string, string] => [
      `Mcp-Param-${name}`,
      headerText(String(value)),
    ]),
  }));

/** A value that a header can carry, encoded where it is none (2026-07-28, "Value Encoding"). */
export const headerText = (value: string): string =>
  /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(value) && !value.startsWith("=?")
    ? value
    : `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;

/** Names of tools that the admin model puts into the catalogue and takes out again. */
export const madeUpTool: fc.Arbitrary<string> = fc.nat(9).map((number) => `f${number}`);

const ASKING = ["ask_form", "ask_several", "ask_url", "ask_model", "ask_roots"];

const askingCall: fc.Arbitrary<ToolCall> = fc
  .record({
    name: fc.constantFrom(...ASKING),
    state: fc.constantFrom("", "«state.a»", "«state.a~flip40»", "«state.a~cut30»", "x"),
    answers: fc.oneof(fc.constant<Json>({ form: { action: "accept", content: { name: "x" } } }), oddJson),
  })
  .map(({ name, state, answers }) => ({
    name,
    args: {},
    ...(state !== "" && { more: { requestState: state, inputResponses: answers } }),
  }));

export const toolCall: fc.Arbitrary<ToolCall> = fc.oneof(
  { weight: 12, arbitrary: steadyCall },
  {
    weight: 2,
    arbitrary: call(
      "current_time",
      fc.record(
        { timeZones: fc.array(fc.oneof(fc.constantFrom("Europe/Berlin", "UTC"), oddText)) },
        { requiredKeys: [] },
      ),
    ),
  },
  {
    weight: 1,
    arbitrary: call(
      "tone",
      fc.record({ frequencyHz: fc.integer({ min: 1, max: 2_000 }), durationMs: fc.integer({ min: 1, max: 60 }) }),
    ),
  },
  { weight: 1, arbitrary: call("fetch_page", fc.record({ url: fc.oneof(fc.constantFrom(...URLS), oddText) })) },
  { weight: 1, arbitrary: call("progress", none) },
  { weight: 1, arbitrary: call("logs", none) },
  { weight: 1, arbitrary: call("boom", none) },
  { weight: 2, arbitrary: mirroredCall },
  { weight: 2, arbitrary: askingCall },
  { weight: 1, arbitrary: call("give", fc.record({ result: nearly(toolResult) })) },
  { weight: 1, arbitrary: call("give_typed", fc.record({ result: oddJson })) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(madeUpTool, fc.oneof(objectOf(oddJson), madeUpArguments()))
      .map(([name, args]) => ({ name, args })),
  },
  {
    weight: 1,
    arbitrary: call(
      "search_tools",
      fc.record({ query: oddText, limit: fc.integer() as fc.Arbitrary<Json> }, { requiredKeys: [] }),
    ),
  },
  {
    weight: 1,
    arbitrary: call(
      "call_tool",
      nearly(fc.record({ name: fc.constantFrom("add", "echo", "f1"), arguments: objectOf(oddJson) }), 0),
    ),
  },
  { weight: 2, arbitrary: fc.tuple(oddText, oddJson).map(([name, args]) => ({ name, args })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(steadyCall, changes(1))
      .map(([{ name, args }, list]) => ({ name, args: applyChanges(args, list) })),
  },
);

/** For the arguments `a`, `b` and `c` that made-up tools have. */
function madeUpArguments(): fc.Arbitrary<Json> {
  const value = fc.oneof(oddText, fc.array(oddText, { maxLength: 3 }), oddJson) as fc.Arbitrary<Json>;
  return fc.record({ a: value, b: value, c: value }, { requiredKeys: ["a"] }).map((made) => made as Json);
}
