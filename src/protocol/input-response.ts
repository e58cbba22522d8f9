// A client's answers to what a call asked, checked before a tool sees them. MCP 2026-07-28, basic/patterns/mrtr.

import * as v from "valibot";
import { issueMessage } from "../lib/issue-message.ts";
import type { InputRequest } from "../tools/input-request.ts";
import { INVALID_PARAMS, ProtocolError } from "./protocol-error.ts";

const ElicitSchema = v.looseObject({
  action: v.picklist(["accept", "decline", "cancel"]),
  content: v.exactOptional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.array(v.string())]))),
});

const ContentSchema = v.looseObject({ type: v.string() });

const SamplingSchema = v.looseObject({
  role: v.picklist(["user", "assistant"]),
  content: v.union([ContentSchema, v.array(ContentSchema)]),
  model: v.string(),
  stopReason: v.exactOptional(v.string()),
});

const RootsSchema = v.looseObject({
  roots: v.array(v.looseObject({ uri: v.string(), name: v.exactOptional(v.string()) })),
});

const SCHEMAS: Record<InputRequest["method"], v.GenericSchema> = {
  "elicitation/create": ElicitSchema,
  "sampling/createMessage": SamplingSchema,
  "roots/list": RootsSchema,
};

/** The answer to a question, in its shape. Throws −32602 that names the question and what is wrong with the answer. */
export function parseInputResponse(name: string, { method }: InputRequest, response: unknown): unknown {
  const outcome = v.safeParse(SCHEMAS[method], response);
  if (outcome.success) return outcome.output;
  const [issue] = outcome.issues;
  throw new ProtocolError(
    INVALID_PARAMS,
    `Invalid params: the response ${JSON.stringify(name)} to ${method}: ${v.getDotPath(issue) ?? "the whole"}: ${issueMessage(issue)}`,
  );
}
